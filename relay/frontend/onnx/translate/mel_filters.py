"""Build mel filter banks whose parameters are computed at run time."""

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.onnx.dtypes import tensor_dtype
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.translate.run_time_tensors import as_int64, scalar
from relay.ir.dims import ANY
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import FloorDivide, add, divide, multiply, scaled, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import Greater, GreaterEqual, Less, LessEqual, equal
from relay.ops.elementwise import Floor
from relay.ops.logical import LogicalAnd
from relay.ops.selection import where
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.gather import Take
from relay.ops.transcendental import Log10, Power
from relay.support.dtype import float64, int64

_FACTOR, _CORNER = 2595.0, 700.0
"""A frequency `f` is `2595 · log10(1 + f / 700)` on the mel scale."""


def mel_filters(node: OnnxNode) -> Expr:
    """Return the mel filter bank, `(frequencies, bands)`, with a triangular filter per band."""
    bins, length = (as_int64(scalar(node.expr(index))) for index in (0, 1))
    rate, low, high = (Call(Cast(float64), (scalar(node.expr(index)),)) for index in (2, 3, 4))
    one, two = constant(1, int64), constant(2, int64)
    parts = add(bins, two)
    apart = divide(subtract(_mel(high), _mel(low)), Call(Cast(float64), (parts,)))
    counted = Call(Cast(float64), (_counting(parts),))
    heights = add(multiply(counted, apart), _mel(low))
    ten = constant(10.0, float64)
    waves = subtract(Call(Power(), (ten, scaled(heights, 1.0 / _FACTOR))), constant(1.0, float64))
    places = scaled(multiply(waves, Call(Cast(float64), (add(length, one),))), _CORNER)
    whole = Call(Floor(), (divide(places, rate),))
    lower, centre, upper = (
        Call(Take(axis=0), (whole, add(_counting(bins), constant(k, int64)))) for k in range(3)
    )
    half = add(Call(FloorDivide(), (length, two)), one)
    rows = reshape(Call(Cast(float64), (_counting(half),)), (ANY, 1))
    element = tensor_dtype(node.attribute("output_datatype", 1), node.span)
    return Call(Cast(element), (_triangles(rows, lower, centre, upper),), span=node.span)


def _mel(frequency: Expr) -> Expr:
    share = add(scaled(frequency, 1.0 / _CORNER), constant(1.0, float64))
    return scaled(Call(Log10(), (share,)), _FACTOR)


def _counting(count: Expr) -> Expr:
    return Call(Arange(), (constant(0, int64), count, constant(1, int64)))


def _triangles(rows: Expr, lower: Expr, centre: Expr, upper: Expr) -> Expr:
    """Return triangular filters: they rise from 0 to 1 at `centre`, and fall again.

    If `lower` equals `centre`, the rise is a step.
    """
    one, none = (Constant(np.asarray(float(each))) for each in (1, 0))
    is_step = equal(lower, centre)
    rise = subtract(centre, lower)
    rising = divide(subtract(rows, lower), where(is_step, one, rise))
    rising = where(is_step, one, rising)
    falls = Call(Greater(), (upper, centre))
    fall = where(falls, subtract(upper, centre), one)
    falling = divide(subtract(upper, rows), fall)
    below = _both(Call(GreaterEqual(), (rows, lower)), Call(LessEqual(), (rows, centre)))
    above = _both(Call(GreaterEqual(), (rows, centre)), Call(Less(), (rows, upper)))
    return where(_both(above, falls), falling, where(below, rising, none))


def _both(a: Expr, b: Expr) -> Expr:
    return Call(LogicalAnd(), (a, b))
