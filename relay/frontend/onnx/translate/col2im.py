"""Translate `Col2Im`: sum columns into images; sizes may be dynamic."""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.builders.window_indices import images_of_columns
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.run_time_tensors import (
    as_int64,
    joined,
    length,
    numbers,
    part,
    scalar,
    sizes_of,
)
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import FloorDivide, add, multiply, subtract
from relay.ops.nn.pad import Pad
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.dynamic_shapes import DynamicBroadcastTo, DynamicReshape
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.scatter import ScatterElements
from relay.support.dtype import int64

Frame = Sequence[tuple[int, int]]


@onnx_operator("Col2Im")
def col2im(node: OnnxNode) -> Expr:
    """Translate `Col2Im`: add each column to the window of the image that it belongs to."""
    known = node.is_known(1) and node.is_known(2)
    sizes = node.ints(1, "the sizes of the image") if known else ()
    count = len(sizes) if known else length(numbers(node, 1))
    ones, none = [1] * count, [0] * (2 * count)
    pads: list[int] = node.attribute("pads", none)
    frame = list(zip(pads[:count], pads[count:], strict=True))
    dilation, strides = node.attribute("dilations", ones), node.attribute("strides", ones)
    if not known:
        return _at_run_time(node, frame, dilation, strides)
    kernel = node.ints(2, "the sizes of the windows")
    return images_of_columns(node.expr(0), sizes, kernel, frame, dilation, strides)


def _at_run_time(
    node: OnnxNode, frame: Frame, dilation: Sequence[int], strides: Sequence[int]
) -> Expr:
    """Sum columns into images if the sizes of images or windows are computed at run time."""
    x, count = node.expr(0), len(frame)
    around = Constant(np.array([sum(each) for each in frame]))
    padded, kernel = add(numbers(node, 1), around), numbers(node, 2, count)
    places = _places(padded, kernel, dilation, strides)
    batch, rows = (part(sizes_of(x), i, i + 1) for i in (0, 1))
    taps, whole = (reduce(multiply, _parts(each)) for each in (kernel, padded))
    channels = Call(FloorDivide(), (rows, _vector(taps)))
    lead = joined(batch, channels)
    zeros = _broadcast(constant(0, x.tensor_type.dtype), joined(lead, _vector(whole)))
    each = sizes_of(places)
    updates = Call(DynamicReshape(), (x, joined(lead, each)))
    index = _broadcast(places, joined(lead, each))
    made = Call(ScatterElements(2, "add"), (zeros, index, updates), span=node.span)
    images = Call(DynamicReshape(), (made, joined(lead, padded)))
    cut = ((0, 0), (0, 0), *((-before, -after) for before, after in frame))
    return Call(Pad(cut), (images, constant(0, x.tensor_type.dtype)))


def _places(padded: Expr, kernel: Expr, dilation: Sequence[int], strides: Sequence[int]) -> Expr:
    """Return the index of each window element in the flattened image, as one vector."""
    rank, one = len(dilation), constant(1, int64)
    total: Expr = constant(0, int64)
    apart: Expr = one
    sizes, taps = _parts(padded), _parts(kernel)
    for axis in reversed(range(rank)):
        reach = multiply(subtract(taps[axis], one), constant(dilation[axis], int64))
        room = subtract(subtract(sizes[axis], reach), one)
        many = add(Call(FloorDivide(), (room, constant(strides[axis], int64))), one)
        steps = (_line(taps[axis], dilation[axis], axis, 2 * rank),
                 _line(many, strides[axis], rank + axis, 2 * rank))  # fmt: skip
        total = add(total, multiply(add(*steps), apart))
        apart = multiply(apart, sizes[axis])
    return Call(Reshape((-1,)), (total,))


def _line(count: Expr, step: int, axis: int, rank: int) -> Expr:
    """Return the multiples of `step` from 0 on, reshaped to vary along one of `rank` axes."""
    places = Call(Arange(), (constant(0, int64), count, constant(1, int64)))
    shape = tuple(-1 if i == axis else 1 for i in range(rank))
    return Call(Reshape(shape), (multiply(places, constant(step, int64)),))


def _parts(vector: Expr) -> list[Expr]:
    return [scalar(part(vector, i, i + 1)) for i in range(length(vector))]


def _vector(number: Expr) -> Expr:
    return Call(Reshape((1,)), (as_int64(number),))


def _broadcast(x: Expr, shape: Expr) -> Expr:
    return Call(DynamicBroadcastTo(), (x, shape))
