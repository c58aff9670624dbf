"""Slices of one axis, `x[1:-1]`: between bounds that are known, or found at run time."""

import ast
from collections.abc import Callable

import numpy as np

from relay.frontend.python.operations import describe
from relay.frontend.python.values import Static, Value
from relay.ir.dims import Dim, DimVar
from relay.ir.expr import Call, Constant, Expr
from relay.ir.types import TensorType
from relay.numpy.errors import mistake
from relay.numpy.tensors import Size
from relay.ops.cast import Cast
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode
from relay.support.span import Span

_END = np.iinfo(np.int32).max

Evaluate = Callable[[ast.expr], Value]
Bound = Dim | Expr | None


def slice_of(whole: Expr, axis: int, item: ast.Slice, value: Evaluate, span: Span) -> Expr:
    """Return a slice along an axis; its size is open where a bound is found at run time."""
    low, high = (_bound(part, value, span) for part in (item.lower, item.upper))
    step = _step(item, value, span)
    if low is None and high is None and step == 1:
        return whole
    if isinstance(low, Expr) or isinstance(high, Expr):
        low, high = (scalar_of(part, value) for part in (item.lower, item.upper))
        return _at_run_time(whole, axis, low, high, step, span)
    size = whole.tensor_type.shape[axis]
    if _is_empty(low, high, step, size):
        return Call(StridedSlice((0,), (0,), axes=(axis,)), (whole,), span=span)
    begin = (0 if step > 0 else _END) if low is None else low
    stop = (_END if step > 0 else -_END) if high is None else high
    return Call(StridedSlice((begin,), (stop,), (step,), axes=(axis,)), (whole,), span=span)


def _is_empty(low: Bound, high: Bound, step: int, size: Dim) -> bool:
    """Whether nothing is between two numbers: on this axis, or however long it turns out to be."""
    if not (isinstance(low, int | None) and isinstance(high, int | None)):
        return False
    if isinstance(size, int):
        return not range(*slice(low, high, step).indices(size))
    if low is None or high is None or (low < 0) != (high < 0):
        return high == 0 and step > 0
    return (high - low) * step <= 0


def _at_run_time(whole: Expr, axis: int, low: Bound, high: Bound, step: int, span: Span) -> Expr:
    if step < 0:
        advice = "cut forwards, then turn it: x[a:b][::-1]"
        raise mistake(ErrorCode.F121, "a backward slice with bounds of run time", span, advice)
    bounds = [
        _vector(0 if low is None else low, span),
        _vector(_END if high is None else high, span),
    ]
    args = (whole, *bounds, _vector(step, span))
    return Call(DynamicStridedSlice("end", (axis,)), args, span=span)


def scalar_of(part: ast.expr | None, value: Evaluate) -> Bound:
    """Return a bound as a number or an expression: no size that is known by name."""
    found = Static(None) if part is None else value(part)
    if isinstance(found, Static):
        return found.content if isinstance(found.content, int) else None
    return found.expr if isinstance(found, Size) else found if isinstance(found, Expr) else None


def _vector(bound: Bound, span: Span) -> Expr:
    if not isinstance(bound, Expr):
        assert isinstance(bound, int), "sizes beside run-time bounds are expressions"
        return Constant(np.asarray([bound], np.int32))
    return Call(Reshape((1,)), (Call(Cast(int32), (bound,), span=span),), span=span)


def slice_bounds(item: ast.Slice, size: Dim, value: Evaluate, span: Span) -> tuple[int, int] | None:
    """Return what a slice takes of an axis whose size is known; None where that is not known."""
    if isinstance(scalar_of(item.step, value), Expr):
        return None
    low, high = (_bound(part, value, span) for part in (item.lower, item.upper))
    known = all(bound is None or isinstance(bound, int) for bound in (low, high))
    if _step(item, value, span) != 1 or not isinstance(size, int) or not known:
        return None
    begin, end, _ = slice(low, high).indices(size)
    return begin, max(begin, end)


def _step(item: ast.Slice, value: Evaluate, span: Span) -> int:
    found = Static(1) if item.step is None else value(item.step)
    number = found.content if isinstance(found, Static) else None
    if number is None and isinstance(found, Static):
        return 1
    if not isinstance(number, int) or not number:
        advice = "write a number: x[::2]; for another step, take with np.arange(0, n, step)"
        raise mistake(
            ErrorCode.F121, f"the step of a slice is a number, not {describe(found)}", span, advice
        )
    return number


def _bound(part: ast.expr | None, value: Evaluate, span: Span) -> Bound:
    found = Static(None) if part is None else value(part)
    match found:
        case Size(dim, expr):
            return dim if _is_plain(dim) else expr
        case Static(content) if content is None or isinstance(content, int):
            return content
        case Expr(ty=TensorType(shape=(), dtype=dtype)) if dtype.is_integer:
            return found
        case _:
            advice = "bounds are whole numbers: convert with int(…)"
            what = f"the bound of a slice is a number, not {describe(found)}"
            raise mistake(ErrorCode.F121, what, span, advice)


def _is_plain(dim: Dim) -> bool:
    """Whether a size is never negative: a number, or a name alone."""
    return isinstance(dim, DimVar) or (isinstance(dim, int) and dim >= 0)
