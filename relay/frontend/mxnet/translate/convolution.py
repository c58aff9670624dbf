"""Translate MXNet convolutions and poolings."""

from math import prod

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.operators_by_rank import AVERAGE_POOL, CONV, MAX_POOL, TRANSPOSED
from relay.frontend.builders.tensor_helpers import add_channels
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.ir.expr import Call, Expr
from relay.ops.max_min_reductions import Max
from relay.ops.nn.adaptive_pool_operators import AdaptiveAvgPool2D, GlobalAvgPool2D
from relay.ops.sum_and_mean_reductions import Mean, Sum
from relay.support.error_codes import ErrorCode


def _rank(node: MxNode, *layouts: str) -> int:
    """Return the number of spatial axes; raises `F062` unless channels are the second axis."""
    rank = node.type().rank - 2
    if rank not in CONV:
        raise node.error(
            ErrorCode.F031, f"the images have {rank} spatial axes, but only 1, 2 or 3 are supported"
        )
    default = ("NCW", "NCHW", "NCDHW")[rank - 1]
    if node.text("layout", default) not in (default, "None", *layouts):
        raise node.wrong("layout")
    return rank


@mxnet_operator("Convolution", "Convolution_v1")
def convolution(node: MxNode) -> Expr:
    """Translate `Convolution`."""
    rank = _rank(node)
    ones = (1,) * rank
    op = CONV[rank](
        strides=node.ints("stride", ones),
        dilation=node.ints("dilate", ones),
        padding=node.ints("pad", (0,) * rank) * 2,
        groups=node.integer("num_group", 1),
        kernel_size=node.ints("kernel"),
    )
    return add_channels(Call(op, (node.tensor(), node.tensor(1)), span=node.span), bias(node))


def bias(node: MxNode, default: bool = False) -> Expr | None:
    """Return the bias, which is the third input, or None if an attribute disables it."""
    return None if node.flag("no_bias", default) else node.tensor(2)


@mxnet_operator("Deconvolution")
def deconvolution(node: MxNode) -> Expr:
    """Translate `Deconvolution`; a target shape, if present, determines the padding."""
    rank = _rank(node)
    ones = (1,) * rank
    strides, kernel, dilation = (node.ints(name, ones) for name in ("stride", "kernel", "dilate"))
    padding, extra = node.ints("pad", (0,) * rank), node.ints("adj", (0,) * rank)
    target = node.ints("target_shape", ())
    if target:
        padding, extra = _towards(node, target, strides, kernel, dilation)
    op = TRANSPOSED[rank](
        strides=strides,
        dilation=dilation,
        padding=padding * 2,
        output_padding=extra,
        groups=node.integer("num_group", 1),
    )
    result = Call(op, (node.tensor(), node.tensor(1)), span=node.span)
    return add_channels(result, bias(node, default=True))


def _towards(
    node: MxNode,
    target: tuple[int, ...],
    strides: tuple[int, ...],
    kernel: tuple[int, ...],
    dilation: tuple[int, ...],
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the padding and the output padding that give a result of spatial sizes `target`."""
    pads: list[int] = []
    extras: list[int] = []
    sizes = node.type().shape[2:]
    for size, want, s, k, d in zip(sizes, target, strides, kernel, dilation, strict=True):
        if not isinstance(size, int):
            raise node.error(
                ErrorCode.F032,
                f"target_shape needs sizes that are known at compile time, but found {size}",
            )
        total = s * (size - 1) + (k - 1) * d + 1 - want
        pads.append((total + 1) // 2)
        extras.append(total % 2)
    return tuple(pads), tuple(extras)


@mxnet_operator("Pooling", "Pooling_v1")
def pooling(node: MxNode) -> Expr:
    """Translate `Pooling`: maximum, average or sum over windows, or over whole channels."""
    rank, kind = _rank(node), node.text("pool_type", "max")
    if kind not in ("max", "avg", "sum", "lp"):
        raise node.wrong("pool_type")
    if node.flag("global_pool") and kind != "lp":
        node.ignore("kernel", "stride", "pad", "pooling_convention", "count_include_pad", "p_value")
        return _global(node, rank, kind)
    convention = node.text("pooling_convention", "valid")
    if convention not in ("valid", "full"):
        raise node.wrong("pooling_convention")
    if kind in ("sum", "lp"):
        return _summed(node, rank, convention)
    shared = {
        "pool_size": node.ints("kernel"),
        "strides": node.ints("stride", (1,) * rank),
        "padding": node.ints("pad", (0,) * rank) * 2,
        "ceil_mode": convention == "full",
    }
    counts = node.flag("count_include_pad", default=True)
    classes = MAX_POOL if kind == "max" else AVERAGE_POOL
    more = {} if kind == "max" else {"count_include_pad": counts}
    return Call(classes[rank](**shared, **more), (node.tensor(),), span=node.span)


def _summed(node: MxNode, rank: int, convention: str) -> Expr:
    """Return the sums of windows, or the roots of the sums of powers (`lp`)."""
    if convention == "full" or node.flag("global_pool"):
        raise node.wrong("pool_type")
    node.ignore("count_include_pad", "p_value")
    kernel = node.ints("kernel")
    op = AVERAGE_POOL[rank](
        pool_size=kernel,
        strides=node.ints("stride", (1,) * rank),
        padding=node.ints("pad", (0,) * rank) * 2,
        count_include_pad=True,
    )
    x = node.tensor()
    size = np.asarray(prod(kernel), x.tensor_type.dtype.numpy)
    if node.text("pool_type") == "sum":
        return rnp.multiply(Call(op, (x,), span=node.span), size)
    p, dtype = node.integer("p_value", 2), x.tensor_type.dtype.numpy
    powers = Call(op, (rnp.power(rnp.abs(x), np.asarray(p, dtype)),), span=node.span)
    return rnp.power(rnp.multiply(powers, size), np.asarray(1 / p, dtype))


def _global(node: MxNode, rank: int, kind: str) -> Expr:
    axes = tuple(range(2, 2 + rank))
    if kind == "avg" and rank == 2:
        return Call(GlobalAvgPool2D(), (node.tensor(),), span=node.span)
    op = {"max": Max, "avg": Mean, "sum": Sum}[kind](axis=axes, keepdims=True)
    return Call(op, (node.tensor(),), span=node.span)


@mxnet_operator("_contrib_AdaptiveAvgPooling2D")
def adaptive_average(node: MxNode) -> Expr:
    """Translate adaptive average pooling: the windows are chosen by the output size."""
    sizes = node.ints("output_size", (1,))
    op = AdaptiveAvgPool2D(output_size=sizes * 2 if len(sizes) == 1 else sizes)
    return Call(op, (node.tensor(),), span=node.span)
