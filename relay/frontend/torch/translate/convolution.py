"""Translate PyTorch convolutions and poolings over one to three spatial axes."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from relay.frontend.builders.operators_by_rank import (
    AVERAGE_POOL,
    CONV,
    MAX_POOL,
    TRANSPOSED,
    of_rank,
)
from relay.frontend.builders.pooling_windows import (
    average_of_padded,
    rounded_up,
    rounded_up_for_any_size,
)
from relay.frontend.builders.tensor_helpers import add_channels, constant, reshape
from relay.frontend.node_errors import static_size, static_sizes
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.ir.dims import is_static
from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import divide, multiply
from relay.ops.nn.adaptive_pool_operators import (
    AdaptiveAvgPool1D,
    AdaptiveAvgPool2D,
    AdaptiveAvgPool3D,
)
from relay.ops.nn.pad import Pad

_Classes = Mapping[int, type[OperatorDef]]

_ADAPTIVE_AVERAGE: _Classes = {1: AdaptiveAvgPool1D, 2: AdaptiveAvgPool2D, 3: AdaptiveAvgPool3D}


@torch_operator("conv1d", "conv2d", "conv3d", "convolution", "_convolution")
def convolution(node: TorchNode) -> Expr:
    """Translate convolutions, which may be transposed; the bias is a separate addition."""
    node.ignore("benchmark", "deterministic", "cudnn_enabled", "allow_tf32")
    if node.flag("transposed"):
        return conv_transpose(node)
    node.ignore("output_padding")
    weight = node.tensor("weight")
    rank = weight.tensor_type.rank - 2
    strides, dilation = _numbers(node, "stride", rank), _numbers(node, "dilation", rank)
    op = of_rank(CONV, rank, node.error)(
        strides=strides,
        dilation=dilation,
        padding=_conv_padding(node, weight, dilation, rank),
        groups=node.integer("groups"),
    )
    return _biased(node, op, weight)


@torch_operator("conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def conv_transpose(node: TorchNode) -> Expr:
    """Translate transposed convolutions."""
    weight = node.tensor("weight")
    rank = weight.tensor_type.rank - 2
    op = of_rank(TRANSPOSED, rank, node.error)(
        strides=_numbers(node, "stride", rank),
        dilation=_numbers(node, "dilation", rank),
        padding=_numbers(node, "padding", rank) * 2,
        output_padding=_numbers(node, "output_padding", rank),
        groups=node.integer("groups"),
    )
    return _biased(node, op, weight)


def _biased(node: TorchNode, op: OperatorDef, weight: Expr) -> Expr:
    """Return a convolution of the data, with the bias of the node added."""
    bias = node.optional("bias")
    return batched(
        node.tensor(_data(node)),
        weight.tensor_type.rank - 2,
        lambda x: add_channels(Call(op, (x, weight), span=node.span), bias),
    )


def _data(node: TorchNode) -> str:
    return "input" if "input" in node else "self"


def batched(x: Expr, spatial: int, make: Callable[[Expr], Expr]) -> Expr:
    """Return `make(x)` for a batch; a single sample becomes a batch of one and back."""
    shape = x.tensor_type.shape
    if len(shape) != spatial + 1:
        return make(x)
    result = make(reshape(x, (1, *shape)))
    return reshape(result, result.tensor_type.shape[1:])


def _numbers(node: TorchNode, name: str, rank: int) -> tuple[int, ...]:
    """Return an argument with one integer per spatial axis; a single one applies to all."""
    found = node.ints(name)
    return found * rank if len(found) == 1 else found


def _conv_padding(
    node: TorchNode, weight: Expr, dilation: Sequence[int], rank: int
) -> tuple[int, ...]:
    """Return the padding before each axis, then after; "same" puts the odd element after."""
    given = node.value("padding")
    if given == "valid":
        return (0,) * (2 * rank)
    if given != "same":
        return _numbers(node, "padding", rank) * 2
    kernel = weight.tensor_type.shape[2:]
    if not is_static(kernel):
        raise node.dynamic("the size of the kernel", *kernel)
    total = [(static_size(k) - 1) * d for k, d in zip(kernel, dilation, strict=True)]
    return (*(each // 2 for each in total), *(each - each // 2 for each in total))


@torch_operator("max_pool1d", "max_pool2d", "max_pool3d")
def max_pool(node: TorchNode) -> Expr:
    """Translate max pooling."""
    rank = _spatial(node)
    kernel, strides = _window(node, rank)
    dilation = _numbers(node, "dilation", rank)
    padding, ceil = _windows_of(node, rank, kernel, strides, dilation)
    op = MAX_POOL[rank](
        pool_size=kernel, strides=strides, dilation=dilation, padding=padding, ceil_mode=ceil
    )
    return batched(node.tensor("self"), rank, lambda x: Call(op, (x,), span=node.span))


def _windows_of(
    node: TorchNode,
    rank: int,
    kernel: Sequence[int],
    strides: Sequence[int],
    dilation: Sequence[int],
    *,
    counts_padding: bool = False,
) -> tuple[tuple[int, ...], bool]:
    """Return the padding of a pooling, and whether its number of windows is still rounded up.

    Rounding up becomes padding where sizes are static, except in averages that count the padding,
    because these do not count elements beyond the padding.
    """
    padding, ceil = _numbers(node, "padding", rank) * 2, node.flag("ceil_mode")
    sizes = node.tensor("self").tensor_type.shape[-rank:]
    if not ceil or (counts_padding and not is_static(sizes)):
        return padding, ceil
    if not is_static(sizes):
        return rounded_up_for_any_size(kernel, strides, dilation, padding), False
    wider = rounded_up(static_sizes(sizes), kernel, strides, dilation, padding)
    if counts_padding and any(a > b for a, b in zip(wider, padding, strict=True)):
        return tuple(map(min, wider, padding)), True
    return wider, False


@torch_operator("avg_pool1d", "avg_pool2d", "avg_pool3d")
def average_pool(node: TorchNode) -> Expr:
    """Translate average pooling; `divisor_override` replaces the number of elements."""
    rank = _spatial(node)
    kernel, strides = _window(node, rank)
    divisor = node.value("divisor_override")
    include = node.flag("count_include_pad")
    padding, ceil = _windows_of(node, rank, kernel, strides, (1,) * rank, counts_padding=include)
    op = AVERAGE_POOL[rank](
        pool_size=kernel,
        strides=strides,
        padding=padding,
        ceil_mode=ceil,
        count_include_pad=include,
    )

    def pooled(x: Expr) -> Expr:
        if divisor is None and ceil and not is_static(x.tensor_type.shape[-rank:]):
            mean, padded = average_of_padded(op, x)
            return Call(mean, (padded,), span=node.span)
        if divisor is None:
            return Call(op, (x,), span=node.span)
        return _summed(node, x, kernel, strides, divisor)

    return batched(node.tensor("self"), rank, pooled)


def _summed(
    node: TorchNode, x: Expr, kernel: Sequence[int], strides: Sequence[int], divisor: float
) -> Expr:
    """Return the sum of each window, divided by `divisor`."""
    rank, dtype = len(kernel), x.tensor_type.dtype
    padding = _numbers(node, "padding", rank) * 2
    if node.flag("ceil_mode"):
        sizes = x.tensor_type.shape[2:]
        if not is_static(sizes):
            raise node.dynamic("the sizes of the image", *sizes)
        padding = rounded_up(static_sizes(sizes), kernel, strides, (1,) * rank, padding)
    sides = zip(padding[:rank], padding[rank:], strict=True)
    padded = Call(Pad(((0, 0), (0, 0), *sides)), (x, constant(0.0, dtype)))
    op = AVERAGE_POOL[rank](pool_size=tuple(kernel), strides=tuple(strides))
    count = constant(float(np.prod(kernel)), dtype)
    sums = multiply(Call(op, (padded,), span=node.span), count)
    return divide(sums, constant(divisor, dtype))


@torch_operator("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d",
                "_adaptive_avg_pool2d", "_adaptive_avg_pool3d")  # fmt: skip
def adaptive_average_pool(node: TorchNode) -> Expr:
    """Translate adaptive average pooling: windows are chosen by the output size."""
    return adaptive(node, _ADAPTIVE_AVERAGE)


def adaptive(node: TorchNode, classes: Mapping[int, type[OperatorDef]]) -> Expr:
    """Return adaptive pooling by an operator class for each number of spatial axes."""
    rank = _spatial(node)
    sizes = node.dims("output_size")
    sizes = sizes * rank if len(sizes) == 1 else sizes
    op = classes[rank](output_size=sizes)
    return batched(node.tensor("self"), rank, lambda x: Call(op, (x,), span=node.span))


def _spatial(node: TorchNode) -> int:
    """Return the number of spatial axes from the operator's name, such as `max_pool2d`."""
    return int(node.operator.partition("pool")[2][0])


def _window(node: TorchNode, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the sizes and strides of windows; strides default to the sizes."""
    kernel = _numbers(node, "kernel_size", rank)
    strides = _numbers(node, "stride", rank) if node.value("stride") else kernel
    return kernel, strides
