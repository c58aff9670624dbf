"""Translate TensorFlow Lite image resizing."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.image_resizing import resized_linear, resized_nearest
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tflite.integer_arithmetic import over_power
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.binary import add, multiply
from relay.ops.cast import Cast
from relay.ops.qnn.scale_and_zero_point import cast
from relay.ops.tensor.gather import Take
from relay.support.dtype import float32, int32, int64, uint8

_PLACES = 10  # fraction bits of positions and weights for integer images


@lite_operator("RESIZE_BILINEAR")
def resize_bilinear(node: LiteNode) -> Expr:
    """Translate `RESIZE_BILINEAR`; signed integers are interpolated with 10-bit weights."""
    corners, centres = node.option("AlignCorners"), node.option("HalfPixelCenters")
    size = node.ints(1, "the size")
    if node.type(0).dtype.is_float:
        return resized_linear(node.expr(0), size, corners=corners, centres=centres)
    of = node.type(0).dtype
    if of is uint8:
        return _blended_in_floats(node.expr(0), size, corners=corners, centres=centres)
    x = cast(node.expr(0), int64 if of.bits > 8 else int32)
    for axis, wanted in zip((1, 2), size, strict=True):
        x = _blended(x, axis, wanted, corners=corners, centres=centres)
    return Call(Cast(of), (over_power(x, 2 * _PLACES),))


def _blended_in_floats(x: Expr, size: Sequence[int], *, corners: bool, centres: bool) -> Expr:
    """Interpolate uint8 linearly, with float32 products of the four neighbours in a fixed order."""
    shape, real = x.tensor_type.static_shape, cast(x, float32)
    rows, columns = (
        _neighbours(shape[axis], wanted, corners=corners, centres=centres)
        for axis, wanted in zip((1, 2), size, strict=True)
    )
    total: Expr | None = None
    for column, across in columns:
        for row, down in rows:
            part = _weighted(_weighted(real, 1, row, down), 2, column, across)
            total = part if total is None else add(total, part)
    assert total is not None, "each axis has two neighbours"
    return Call(Cast(uint8), (add(total, constant(0.5, float32)),))


def _neighbours(
    size: int, wanted: int, *, corners: bool, centres: bool
) -> Sequence[tuple[Array, Array]]:
    """Return the indices below and above each position of an axis, and their float32 weights."""
    one, half = np.float32(1), np.float32(0.5)
    scale = np.float32(size) / np.float32(wanted)
    if corners and wanted > 1:
        scale = np.float32(size - 1) / np.float32(wanted - 1)
    places = np.arange(wanted, dtype=np.float32)
    at = (places + half) * scale - half if centres else places * scale
    below = np.maximum(np.floor(at), 0).astype(np.int64)
    above = np.minimum(np.ceil(at), size - 1).astype(np.int64)
    part = at - below.astype(np.float32)
    return [(below, one - part), (above, part)]


def _blended(x: Expr, axis: int, wanted: int, *, corners: bool, centres: bool) -> Expr:
    """Interpolate integers linearly along one axis, with weights that sum to 1024."""
    size = x.tensor_type.static_shape[axis]
    one = 1 << _PLACES
    scale = (one * size + wanted // 2) // wanted
    if corners and wanted > 1:
        scale = (one * (size - 1) + (wanted - 1) // 2) // (wanted - 1)
    at = np.arange(wanted) * scale + (scale // 2 - one // 2 if centres else 0)
    below = np.maximum(np.trunc(at / one).astype(np.int64), 0)
    above = np.minimum(np.trunc((at + one - 1) / one).astype(np.int64), size - 1)
    part = at - one * below
    return add(_weighted(x, axis, below, one - part), _weighted(x, axis, above, part))


def _weighted(x: Expr, axis: int, places: Array, weights: Array) -> Expr:
    shape = [1] * x.tensor_type.rank
    shape[axis] = weights.size
    weight = weights.reshape(shape).astype(x.tensor_type.dtype.numpy)
    return multiply(_at(x, axis, places), Constant(weight))


def _at(x: Expr, axis: int, places: Array) -> Expr:
    return Call(Take(axis=axis, mode="fast"), (x, Constant(places)))


@lite_operator("RESIZE_NEAREST_NEIGHBOR")
def resize_nearest(node: LiteNode) -> Expr:
    """Translate `RESIZE_NEAREST_NEIGHBOR`, with positions in float32."""
    corners, centres = node.option("AlignCorners"), node.option("HalfPixelCenters")
    size = node.ints(1, "the size")
    return resized_nearest(node.expr(0), size, corners=corners, centres=centres)
