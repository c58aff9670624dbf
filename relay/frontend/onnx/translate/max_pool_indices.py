"""Translate max pooling with indices, and its inverse, `MaxUnpool`."""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from relay.frontend.builders.argmax_in_windows import Window, largest_in_windows
from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.builders.window_indices import (
    flat_places,
    largest,
    positions,
    row_major,
)
from relay.frontend.node_errors import static_sizes
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.convolution import Pooling, maximum_pooling
from relay.frontend.onnx.translate.run_time_tensors import numbers, sizes_of
from relay.ir.dims import elements, is_static, product
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.binary import FloorDivide, FloorMod, add, multiply, subtract
from relay.ops.broadcasting import BroadcastTo
from relay.ops.cast import Cast
from relay.ops.nn.dynamic_pad import DynamicPad
from relay.ops.nn.pad import Pad
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.position_tensors import numbered
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.scatter import ScatterElements
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode

_GIVE_SHAPES = "specify the input shapes: load(path, shapes={…})"


@onnx_operator("MaxPool")
def max_pool(node: OnnxNode) -> Sequence[Expr]:
    """Translate `MaxPool`: the maximum of each window, and its index if requested."""
    pooling = maximum_pooling(node)
    values = pooling.result
    return [values, _places(node, pooling, values)] if any(node.outputs[1:]) else [values]


def _places_of_run_time(node: OnnxNode, pooling: Pooling, values: Expr) -> Expr:
    """Return the indices of maxima for run-time sizes; raises `F032` if column-major."""
    x, op = node.expr(0), pooling.op
    sizes = [size_of(x, axis) for axis in range(2, x.tensor_type.rank)]
    windows = [
        Window(kernel, stride, before, dilation)
        for kernel, stride, before, dilation in zip(
            op.pool_size, op.strides, pooling.before, op.dilation, strict=True
        )
    ]
    places = largest_in_windows(x, values, windows)
    if node.attribute("storage_order", 0):
        if len(sizes) != 2:
            raise node.error(
                ErrorCode.F032,
                "storage_order=1 (column-major indices) needs sizes that are known at compile time",
                _GIVE_SHAPES,
            )
        row, column = (Call(each, (places, sizes[1])) for each in (FloorDivide(), FloorMod()))
        places = add(multiply(column, sizes[0]), row)
    rows, channels = (numbered(x, axis) for axis in (0, 1))
    image = add(multiply(Call(ExpandDims(1), (rows,)), size_of(x, 1)), channels)
    before = multiply(image, reduce(multiply, sizes))
    return add(places, Call(ExpandDims(2, len(sizes)), (before,)))


def _places(node: OnnxNode, pooling: Pooling, values: Expr) -> Expr:
    """Return the indices of maxima in the flattened tensor.

    With `storage_order` 1, the indices within an image are column-major.
    """
    x, shape, counts = node.expr(0), node.type(0).shape, values.tensor_type.shape[2:]
    op = pooling.op
    if 0 in counts:
        return Call(Cast(int64), (values,))
    if not is_static((*shape, *counts)):
        return _places_of_run_time(node, pooling, values)
    batch, channels, *sizes = static_sizes(shape)
    axes = [
        positions(count, size, kernel, stride, before, dilation)
        for count, size, kernel, stride, (before, _), dilation in zip(
            static_sizes(counts), sizes, op.pool_size, op.strides, op.pads, op.dilation, strict=True
        )
    ]
    rows = flat_places(axes, row_major(sizes))
    turned = row_major(sizes[::-1])[::-1]
    numbers = flat_places(axes, turned) if node.attribute("storage_order", 0) else rows
    inside = largest(x, static_sizes(counts), rows, numbers)
    images = np.arange(batch * channels) * elements(sizes)
    return add(inside, Constant(images.reshape(batch, channels, *((1,) * len(sizes)))))


@onnx_operator("MaxUnpool")
def max_unpool(node: OnnxNode) -> Expr:
    """Translate `MaxUnpool`: write maxima to their original positions, zeros elsewhere."""
    x, shape = node.expr(0), node.type(0).shape
    kernel: list[int] = node.required("kernel_shape")
    strides: list[int] = node.attribute("strides", [1] * len(kernel))
    pads: list[int] = node.attribute("pads", [0] * (2 * len(kernel)))
    sizes = [
        (size - 1) * stride + width - pads[axis] - pads[len(kernel) + axis]
        for axis, (size, stride, width) in enumerate(zip(shape[2:], strides, kernel, strict=True))
    ]
    whole, zero = (*shape[:2], *sizes), constant(0, x.tensor_type.dtype)
    flat = [reshape(each, (product(shape),)) for each in (x, node.expr(1))]
    zeros = Call(BroadcastTo((product(whole),)), (zero,))
    made = Call(ScatterElements(0, "update"), (zeros, flat[1], flat[0]), span=node.span)
    result = reshape(made, whole)
    if not node.has(2):
        return result
    if not node.is_known(2):
        after = subtract(numbers(node, 2, len(shape)), sizes_of(result))
        none = Constant(np.zeros(len(shape), np.int64))
        rows = Call(Stack(1), (Tuple((none, after)),))
        return Call(DynamicPad("constant"), (result, zero, rows), span=node.span)
    wanted = node.dims(2, "the shape of the result")
    widths = tuple((0, more - had) for more, had in zip(wanted, whole, strict=True))
    return Call(Pad(widths), (result, zero), span=node.span)
