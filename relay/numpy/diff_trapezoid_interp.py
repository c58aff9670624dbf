"""Differences of neighbours, integrals by the trapezoidal rule, and linear interpolation."""

import numpy as np

from relay.ir.expr import Call, Constant, Expr
from relay.numpy.argument_conversion import MaybeExpr, MaybeReal, Real, axes_of, numpy_function
from relay.numpy.arithmetic import is_bool, subtract
from relay.numpy.tensor_conversion import convert, like
from relay.ops.functions import core
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import int32

_LAST = np.iinfo(np.int32).max


def _between(x: Expr, begin: int, end: int, axis: int) -> Expr:
    """Return a slice along an axis; a negative end counts from the end."""
    return Call(StridedSlice((begin,), (end,), axes=(axis,)), (x,))


@numpy_function
def diff(
    a: Expr, n: int = 1, axis: int = -1, prepend: MaybeExpr = None, append: MaybeExpr = None
) -> Expr:
    """Return the differences of neighbours, `n` times; for booleans, whether they differ."""
    (place,) = axes_of(axis, a.tensor_type.rank)
    ends = [each for each in (prepend, a, append) if each is not None]
    if len(ends) > 1:
        a = core.concatenate([_one_slice(each, a, place) for each in ends], place)
    for _ in range(n):
        if a.tensor_type.shape[place] == 0:
            return a
        after, before = _between(a, 1, _LAST, place), _between(a, 0, -1, place)
        a = core.logical_xor(after, before) if is_bool(a) else core.subtract(after, before)
    return a


def _one_slice(x: Expr, beside: Expr, axis: int) -> Expr:
    if x.tensor_type.rank:
        return x
    shape = list(beside.tensor_type.shape)
    shape[axis] = 1
    return core.broadcast_to(x, shape)


@numpy_function
def ediff1d(ary: Expr, to_end: MaybeExpr = None, to_begin: MaybeExpr = None) -> Expr:
    """Return the differences of neighbours in the flattened tensor."""
    row = core.reshape(ary, (-1,))
    empty = row.tensor_type.shape[0] == 0
    found = row if empty else subtract(_between(row, 1, _LAST, 0), _between(row, 0, -1, 0))
    parts = [to_begin, found, to_end]
    rows = [core.reshape(each, (-1,)) for each in parts if each is not None]
    return core.concatenate(rows, 0) if len(rows) > 1 else found


@numpy_function
def trapezoid(y: Real, x: MaybeReal = None, dx: float = 1.0, axis: int = -1) -> Expr:
    """Return the integral along an axis by the trapezoidal rule."""
    (place,) = axes_of(axis, y.tensor_type.rank)
    heights = core.add(_between(y, 1, _LAST, place), _between(y, 0, -1, place))
    if x is None:
        return core.multiply(core.sum(heights, place), like(dx / 2, y))
    widths = diff(x, 1, -1 if x.tensor_type.rank == 1 else place)
    if x.tensor_type.rank == 1 < y.tensor_type.rank:
        behind = y.tensor_type.rank - 1 - place
        widths = core.expand_dims(widths, 1, behind) if behind else widths
    return core.sum(core.multiply(core.multiply(heights, widths), like(0.5, y)), place)


@numpy_function
def interp(x: Real, xp: Real, fp: Real, left: MaybeReal = None, right: MaybeReal = None) -> Expr:
    """Return the linear interpolation of the points `(xp, fp)`, `xp` ascending, at `x`."""
    last = Constant(np.asarray(-1, np.int32))
    size = xp.tensor_type.shape[0]
    if size == 1:
        middle = core.add(core.zeros_like(x), core.take(fp, _like_int(0), 0))
    else:
        count = core.sum(core.ones_like(convert(xp, int32)))
        place = core.searchsorted(xp, x, True, "int32")
        place = core.subtract(core.maximum(place, _like_int(1)), _like_int(1))
        place = core.minimum(place, core.subtract(count, _like_int(2)))
        after = core.add(place, _like_int(1))
        x0, x1 = core.take(xp, place, 0), core.take(xp, after, 0)
        y0, y1 = core.take(fp, place, 0), core.take(fp, after, 0)
        slope = core.divide(core.subtract(y1, y0), core.subtract(x1, x0))
        last_node = core.equal(x, x1)
        node, height = core.where(last_node, x1, x0), core.where(last_node, y1, y0)
        middle = core.add(core.multiply(slope, core.subtract(x, node)), height)
        steep = core.logical_and(core.equal(x, node), core.logical_not(core.isfinite(slope)))
        middle = core.where(steep, height, middle)
    ends = core.take(xp, _like_int(0), 0), core.take(xp, last, 0, mode="raise")
    low = core.take(fp, _like_int(0), 0) if left is None else left
    high = core.take(fp, last, 0, mode="raise") if right is None else right
    found = core.where(core.less(x, ends[0]), low, middle)
    found = core.where(core.greater(x, ends[1]), high, found)
    return core.where(core.isnan(x), x, found)


def _like_int(number: int) -> Constant:
    """Return an integer as a constant that can be used as an index."""
    return Constant(np.asarray(number, np.int32))
