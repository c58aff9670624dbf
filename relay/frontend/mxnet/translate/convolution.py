"""Translate MXNet convolutions, poolings and resizing."""

from relay.frontend.builders.operators_by_rank import AVERAGE_POOL, CONV, MAX_POOL, TRANSPOSED
from relay.frontend.builders.tensors import add_channels
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.ir.dims import Dim
from relay.ir.expr import Call, Expr
from relay.ops.image.resize import Resize2D
from relay.ops.max_min_reductions import Max
from relay.ops.nn.adaptive_pool_operators import AdaptiveAvgPool2D, GlobalAvgPool2D
from relay.ops.sum_and_mean_reductions import Mean, Sum
from relay.ops.tensor.tile_and_repeat import Repeat
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
    if kind not in ("max", "avg", "sum"):
        raise node.wrong("pool_type")
    if node.flag("global_pool"):
        node.ignore("kernel", "stride", "pad", "pooling_convention", "count_include_pad", "p_value")
        return _global(node, rank, kind)
    if kind == "sum":
        raise node.wrong("pool_type")
    convention = node.text("pooling_convention", "valid")
    if convention not in ("valid", "full"):
        raise node.wrong("pooling_convention")
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


@mxnet_operator("UpSampling")
def upsampling(node: MxNode) -> Expr:
    """Translate `UpSampling`, which repeats each element along both spatial axes."""
    if node.text("sample_type") != "nearest" or len(node.inputs) > 1:
        raise node.wrong("sample_type")
    factor, result = node.integer("scale"), node.tensor()
    for axis in (2, 3):
        result = Call(Repeat(factor, axis), (result,), span=node.span)
    return result


@mxnet_operator("_contrib_BilinearResize2D")
def bilinear_resize(node: MxNode) -> Expr:
    """Translate bilinear resizing with aligned corners."""
    if node.text("mode", "size") != "size":
        raise node.wrong("mode")
    x = node.tensor()
    old = x.tensor_type.shape[2:]
    size: list[Dim] = []
    for axis, name in enumerate(("height", "width")):
        scale = f"scale_{name}"
        factor = node.number(scale, 0.0) if scale in node else 0.0
        known = old[axis]
        if factor and not isinstance(known, int):
            raise node.error(
                ErrorCode.F032,
                f"the attribute {scale} needs a {name} that is known at compile time, but found "
                f"{known}",
            )
        size.append(int(int(str(known)) * factor) if factor else node.integer(name, 1))
    mode = "align_corners" if node.flag("align_corners", default=True) else "half_pixel"
    op = Resize2D(size=tuple(size), method="linear", coordinate_transformation_mode=mode,
                  rounding_method="")  # fmt: skip
    return Call(op, (x,), span=node.span)
