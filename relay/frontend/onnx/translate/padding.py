"""Translate ONNX padding and cropping; the widths may be computed at run time."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.run_time_tensors import (
    joined,
    length,
    numbers,
    part,
    placed,
    scalar,
    sizes_of,
)
from relay.ir.dims import Dim, is_static
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import FloorDivide, FloorMod, Maximum, add, subtract
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

    Negative widths crop.
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
    if mode == "wrap":
        return _wrapped(x, pairs)
    return Call(Pad(tuple(pairs), mode), (x, reshape(fill, ())), span=node.span)


def _wrapped(x: Expr, pairs: Sequence[tuple[Dim, Dim]]) -> Expr:
    """Pad cyclically by `pairs` of static widths."""
    for axis, (before, after) in enumerate(pairs):
        size = x.tensor_type.shape[axis]
        if before or after:
            ends = range(-int(str(before)), int(str(size)) + int(str(after)))
            places = np.array(ends, np.int64) % max(int(str(size)), 1)
            x = Call(Take(axis=axis), (x, Constant(places)), span=x.span)
    return x


def _padded(node: OnnxNode, mode: str, fill: Expr) -> Expr:
    """Pad by run-time widths, or by static widths of a tensor with unknown sizes."""
    x, rank = node.expr(0), node.rank(0)
    axes = numbers(node, 3) if node.has(3) else Constant(np.arange(rank))
    widths = numbers(node, 1, 2 * length(axes))
    none = Constant(np.zeros(rank, np.int64))
    sides = [part(widths, i * length(axes), (i + 1) * length(axes)) for i in (0, 1)]
    before, after = (placed(side, axes, none) for side in sides)
    return _framed(x, before, after, mode, fill)


def _framed(x: Expr, before: Expr, after: Expr, mode: str, fill: Expr) -> Expr:
    rank = x.tensor_type.rank
    if mode != "wrap":
        rows = Call(Transpose((1, 0)), (reshape(joined(before, after), (2, rank)),))
        return Call(DynamicPad(mode), (x, fill, rows), span=x.span)
    for axis in range(rank):
        low, high = (scalar(part(side, axis, axis + 1)) for side in (before, after))
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
        return _framed(x, before, subtract(extra, before), "constant", zero)
    widths: list[tuple[int, int]] = [(0, 0)] * len(shape)
    for axis, size in zip(axes, node.ints(1, "the shape"), strict=True):
        extra = size - int(str(shape[axis]))
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
