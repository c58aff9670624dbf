"""Translate ONNX padding and cropping; the widths may be computed at run time."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.node_errors import static_size
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.run_time_tensors import (
    as_int64,
    joined,
    numbers,
    part,
    placed,
    scalar,
    sizes_of,
)
from relay.ir.dims import Dim, is_static
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import FloorDivide, FloorMod, Maximum, Minimum, add, subtract
from relay.ops.elementwise import Negative
from relay.ops.nn.dynamic_pad import DynamicPad
from relay.ops.nn.pad import Pad
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.gather import Take
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import int64


@onnx_operator("Pad")
def pad(node: OnnxNode) -> Expr:
    """Translate `Pad`: with a constant, the edge, a reflection, or cyclically.

    Negative widths crop, before the other sides are padded.
    """
    x = node.expr(0)
    rank = x.tensor_type.rank
    mode = node.choice("mode", ("constant", "edge", "reflect", "wrap"), "constant")
    fill = node.optional(2) if node.opset >= 11 else None
    fill = constant(node.attribute("value", 0.0), x.tensor_type.dtype) if fill is None else fill
    known = node.opset < 11 or (node.is_known(1) and not (node.has(3) and not node.is_known(3)))
    if not known or (mode == "wrap" and not is_static(x.tensor_type.shape)):
        return _padded(node, mode, scalar(fill))
    widths = node.attribute("pads") if node.opset < 11 else node.dims(1, "the widths")
    axes = node.ints(3, "the axes") if node.has(3) else range(rank)
    pairs: list[tuple[Dim, Dim]] = [(0, 0)] * rank
    for i, axis in enumerate(axes):
        pairs[axis] = (widths[i], widths[len(widths) // 2 + i])
    crops = [(_crop(low), _crop(high)) for low, high in pairs]
    if mode != "constant" and any(map(any, crops)):
        x = Call(Pad(tuple(crops)), (x, constant(0, x.tensor_type.dtype)), span=node.span)
        rows = zip(pairs, crops, strict=True)
        pairs = [(0 if a else low, 0 if b else high) for (low, high), (a, b) in rows]
    if mode == "wrap":
        return _wrapped(x, pairs)
    return Call(Pad(tuple(pairs), mode), (x, reshape(fill, ())), span=node.span)


def _crop(width: Dim) -> int:
    """Return the width if it is negative, else 0."""
    return min(width, 0) if isinstance(width, int) else 0


def _wrapped(x: Expr, pairs: Sequence[tuple[Dim, Dim]]) -> Expr:
    """Pad cyclically by `pairs` of static widths."""
    for axis, (before, after) in enumerate(pairs):
        size = x.tensor_type.shape[axis]
        if before or after:
            ends = range(-static_size(before), static_size(size) + static_size(after))
            places = np.array(ends, np.int64) % max(static_size(size), 1)
            x = Call(Take(axis=axis), (x, Constant(places)), span=x.span)
    return x


def _padded(node: OnnxNode, mode: str, fill: Expr) -> Expr:
    """Pad by run-time widths, or by static widths of a tensor with unknown sizes."""
    x, rank = node.expr(0), node.rank(0)
    axes = as_int64(node.expr(3)) if node.has(3) else Constant(np.arange(rank))
    none = Constant(np.zeros(rank, np.int64))
    given = _sides(node, axes)
    sides = [placed(side, axes, none) for side in given]
    if mode != "constant" and any(map(_may_crop, given)):
        below, above = ([Call(op, (side, none)) for side in sides] for op in (Minimum(), Maximum()))
        return _framed(_framed(x, below, "constant", fill), above, mode, fill)
    return _framed(x, sides, mode, fill)


def _may_crop(widths: Expr) -> bool:
    return not isinstance(widths, Constant) or bool((widths.array < 0).any())


def _sides(node: OnnxNode, axes: Expr) -> list[Expr]:
    """Return the widths before `axes` and after them, whose number may be known at run time."""
    if is_static(axes.tensor_type.shape):
        count = axes.tensor_type.static_shape[0]
        widths = numbers(node, 1, 2 * count)
        return [part(widths, i * count, (i + 1) * count) for i in (0, 1)]
    rows = reshape(as_int64(node.expr(1)), (2, -1))
    return [Call(Take(axis=0), (rows, constant(i, int64)), span=node.span) for i in (0, 1)]


def _framed(x: Expr, sides: Sequence[Expr], mode: str, fill: Expr) -> Expr:
    """Pad by vectors of the widths before all axes and after them."""
    rank = x.tensor_type.rank
    if mode != "wrap":
        rows = Call(Transpose((1, 0)), (reshape(joined(*sides), (2, rank)),))
        return Call(DynamicPad(mode), (x, fill, rows), span=x.span)
    for axis in range(rank):
        low, high = (scalar(part(side, axis, axis + 1)) for side in sides)
        size = size_of(x, axis)
        one = constant(1, int64)
        places = Call(Arange(), (Call(Negative(), (low,)), add(size, high), one))
        inside = Call(FloorMod(), (places, Call(Maximum(), (size, one))))
        x = Call(Take(axis=axis), (x, inside), span=x.span)
    return x


@onnx_operator("CenterCropPad")
def center_crop_pad(node: OnnxNode) -> Expr:
    """Translate `CenterCropPad`: crop or pad around the centre to the requested sizes."""
    x = node.expr(0)
    shape = x.tensor_type.shape
    given: list[int] = list(node.attribute("axes", range(len(shape))))
    axes = [axis % len(shape) for axis in given]
    zero = constant(0, x.tensor_type.dtype)
    if not (node.is_known(1) and is_static(shape)):
        places = Constant(np.array(axes))
        wanted = placed(numbers(node, 1, len(axes)), places, sizes_of(x))
        extra = subtract(wanted, sizes_of(x))
        before = _toward_zero(extra)
        return _framed(x, (before, subtract(extra, before)), "constant", zero)
    widths: list[tuple[int, int]] = [(0, 0)] * len(shape)
    for axis, size in zip(axes, node.ints(1, "the shape"), strict=True):
        extra = size - static_size(shape[axis])
        before = extra // 2 if extra > 0 else -(-extra // 2)
        widths[axis] = (before, extra - before)
    return Call(Pad(tuple(widths)), (x, zero), span=node.span)


def _toward_zero(x: Expr) -> Expr:
    """Return half of each integer, rounded toward zero."""
    halves = [
        Call(FloorDivide(), (Call(Maximum(), (each, constant(0, int64))), constant(2, int64)))
        for each in (x, Call(Negative(), (x,)))
    ]
    return subtract(*halves)
