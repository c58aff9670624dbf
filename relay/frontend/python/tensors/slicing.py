"""Slices of one axis, `x[1:-1]`, with bounds that are known or computed at run time."""

from typing import Any

import numpy as np

from relay.frontend.python.values.error_suggestions import describe
from relay.ir.dims import Dim, DimVar
from relay.ir.expr import Call, Constant, Expr
from relay.ir.types import TensorType
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import Size
from relay.ops.cast import Cast
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode
from relay.support.span import Span

_END = np.iinfo(np.int32).max
Bound = Dim | Expr | None


def slice_of(whole: Expr, axis: int, item: slice, span: Span) -> Expr:
    """Return a slice along an axis; its size is unknown if a bound is computed at run time."""
    low, high = _bound(item.start, span), _bound(item.stop, span)
    step = _step(item, span)
    if low is None and high is None and step == 1:
        return whole
    if isinstance(low, Expr) or isinstance(high, Expr):
        return _at_run_time(whole, axis, scalar_of(item.start), scalar_of(item.stop), step, span)
    size = whole.tensor_type.shape[axis]
    if _is_empty(low, high, step, size):
        return Call(StridedSlice((0,), (0,), axes=(axis,)), (whole,), span=span)
    begin = (0 if step > 0 else _END) if low is None else low
    stop = (_END if step > 0 else -_END) if high is None else high
    return Call(StridedSlice((begin,), (stop,), (step,), axes=(axis,)), (whole,), span=span)


def _is_empty(low: Bound, high: Bound, step: int, size: Dim) -> bool:
    """Whether a slice is certainly empty, for any size of the axis if that is unknown."""
    if not (isinstance(low, int | None) and isinstance(high, int | None)):
        return False
    if isinstance(size, int):
        return not range(*slice(low, high, step).indices(size))
    if low is None or high is None or (low < 0) != (high < 0):
        return high == 0 and step > 0
    return (high - low) * step <= 0


def _at_run_time(whole: Expr, axis: int, low: Bound, high: Bound, step: int, span: Span) -> Expr:
    if step < 0:
        advice = "slice forwards, then reverse: x[a:b][::-1]"
        raise mistake(
            ErrorCode.F121,
            "a slice with a negative step needs bounds that are known before the program runs",
            span,
            advice,
        )
    bounds = [
        _vector(0 if low is None else low, span),
        _vector(_END if high is None else high, span),
    ]
    args = (whole, *bounds, _vector(step, span))
    return Call(DynamicStridedSlice("end", (axis,)), args, span=span)


def scalar_of(part: Any) -> Bound:
    """Return a bound as a number or an expression; symbolic sizes become expressions."""
    if isinstance(part, Size):
        return part.expr
    return part if isinstance(part, Expr | int) else None


def _vector(bound: Bound, span: Span) -> Expr:
    if not isinstance(bound, Expr):
        assert isinstance(bound, int), "sizes beside run-time bounds are expressions"
        return Constant(np.asarray([bound], np.int32))
    return Call(Reshape((1,)), (Call(Cast(int32), (bound,), span=span),), span=span)


def slice_bounds(item: slice, size: Dim, span: Span) -> tuple[int, int] | None:
    """Return the start and stop of a slice as numbers; None if they are not known."""
    if isinstance(scalar_of(item.step), Expr):
        return None
    low, high = _bound(item.start, span), _bound(item.stop, span)
    known = all(bound is None or isinstance(bound, int) for bound in (low, high))
    if _step(item, span) != 1 or not isinstance(size, int) or not known:
        return None
    begin, end, _ = slice(low, high).indices(size)
    return begin, max(begin, end)


def _step(item: slice, span: Span) -> int:
    number = 1 if item.step is None else item.step
    if not isinstance(number, int) or not number:
        advice = (
            "write a number: x[::2]; for a computed step, use np.take(x, np.arange(0, n, step))"
        )
        what = f"the step of a slice must be a constant, not a value of type {describe(number)}"
        raise mistake(ErrorCode.F121, what, span, advice)
    return number


def _bound(part: Any, span: Span) -> Bound:
    match part:
        case Size(dim, expr):
            return dim if _is_plain(dim) else expr
        case None | int():
            return part
        case Expr(ty=TensorType(shape=(), dtype=dtype)) if dtype.is_integer:
            return int(part.array) if isinstance(part, Constant) else part
        case _:
            what = f"the bound of a slice must be an integer, not {describe(part)}"
            raise mistake(ErrorCode.F121, what, span, "convert the bound with int(…)")


def _is_plain(dim: Dim) -> bool:
    """Whether a size is certainly not negative: a number, or a single symbol."""
    return isinstance(dim, DimVar) or (isinstance(dim, int) and dim >= 0)
