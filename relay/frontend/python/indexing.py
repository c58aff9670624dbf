"""Indexing of tensors and tuples: `x[i]`, `x[1:, -1]`, `x[rows]`, `t[0]`."""

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import cast

import numpy as np

from relay.frontend.python.errors import mistake
from relay.frontend.python.operations import describe, outside, size_of
from relay.frontend.python.values import Group, Size, Static, Value
from relay.ir.dims import Dim
from relay.ir.expr import Call, Constant, Expr, TupleGetItem
from relay.ir.types import TensorType, TupleType
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.slice import StridedSlice
from relay.support.errors import RelayError
from relay.support.span import Span

Evaluate = Callable[[ast.expr], Value]


def index(whole: Value, at: ast.expr, value: Evaluate, span: Span) -> Value:
    """Return `whole[at]`; raises `F121` for an index that cannot be."""
    items = list(at.elts) if isinstance(at, ast.Tuple) else [at]
    match whole:
        case Group(parts):
            return parts[_position(value(at), len(parts), span)]
        case Expr(ty=TupleType(fields)):
            return TupleGetItem(whole, _position(value(at), len(fields), span), span=span)
        case Expr(ty=TensorType()):
            return _tensor(whole, complete(items, whole, span), value, span)
        case Static(content) if isinstance(content, Mapping):
            return _entry(cast("Mapping[object, object]", content), value(at), span)
        case _:
            advice = "tensors and tuples have parts; fields of data are taken by `match`"
            raise mistake("F121", f"{describe(whole)} has no parts", span, advice)


def _entry(content: Mapping[object, object], at: Value, span: Span) -> Value:
    """Return the entry of a dictionary outside of the function, for a key that is known."""
    if isinstance(at, Static) and at.content in content:
        return outside(content[at.content], span)
    what = f"the dictionary has no entry for {describe(at)}"
    raise mistake("F121", what, span, "the key is known before the program runs: a text, a number")


def _position(at: Value, count: int, span: Span) -> int:
    number = at.content if isinstance(at, Static) else None
    if not isinstance(number, int):
        advice = "a tuple's fields have types of their own: count them with plain numbers"
        raise mistake("F121", f"a tuple is indexed by a number, not {describe(at)}", span, advice)
    if not -count <= number < count:
        raise mistake("F121", f"index {number} of {count} fields", span, f"use 0 to {count - 1}")
    return number % count


def complete(items: Sequence[ast.expr], whole: Expr, span: Span) -> list[ast.expr]:
    """Replace `...` in the indices of a tensor by as many full slices as are missing."""
    rank = whole.tensor_type.rank
    used = sum(not _is_new_axis(item) and not _is_dots(item) for item in items)
    if used and not rank:
        raise mistake("F121", "a number has no parts", span, "it is one element: use it as it is")
    if used > rank:
        what = f"{used} indices for a tensor of rank {rank}"
        raise mistake("F121", what, span, "index at most as many axes as there are")
    full: list[ast.expr] = []
    for item in items:
        full += [ast.Slice()] * (rank - used) if _is_dots(item) else [item]
    return full


def _is_dots(item: ast.expr) -> bool:
    return isinstance(item, ast.Constant) and item.value is Ellipsis


def _is_new_axis(item: ast.expr) -> bool:
    return isinstance(item, ast.Constant) and item.value is None


def _tensor(whole: Expr, items: Sequence[ast.expr], value: Evaluate, span: Span) -> Expr:
    axis = 0
    for item in items:
        if _is_new_axis(item):
            whole = Call(ExpandDims(axis), (whole,), span=span)
            axis += 1
        elif isinstance(item, ast.Slice):
            whole = _slice(whole, axis, item, value, span)
            axis += 1
        else:
            place = place_of(value(item), whole, axis, span)
            whole = Call(Take(axis=axis, mode="raise"), (whole, place), span=span)
            axis += place.tensor_type.rank
    return whole


def place_of(at: Value, whole: Expr, axis: int, span: Span) -> Expr:
    """Return an index of one axis as a tensor of integers."""
    if isinstance(at, Size):
        at = size_of(at, span)
    if isinstance(at, Static) and isinstance(at.content, int):
        size = whole.tensor_type.shape[axis]
        if isinstance(size, int) and not -size <= at.content < size:
            what = f"index {at.content} of an axis with {size} elements"
            raise mistake("F121", what, span, "indices count from 0, or backwards from -1")
        return Constant(np.asarray(at.content, np.int32), span=span)
    if isinstance(at, Group) and at.items:
        numbers = [item.content for item in at.items if isinstance(item, Static)]
        if len(numbers) == len(at.items) and all(isinstance(each, int) for each in numbers):
            return Constant(np.asarray(numbers, np.int32), span=span)
    if isinstance(at, Expr) and isinstance(at.ty, TensorType) and at.ty.dtype.is_integer:
        return at
    advice = "use an integer, x[0], or a tensor of integers"
    if isinstance(at, Expr):
        advice = "to keep what fulfils a condition write np.where(x > 0, x, 0)"
    raise mistake("F121", f"an index is an integer, not {describe(at)}", span, advice)


def _slice(whole: Expr, axis: int, item: ast.Slice, value: Evaluate, span: Span) -> Expr:
    bounds = [_bound(part, value, span) for part in (item.lower, item.upper, item.step)]
    if bounds == [None, None, None]:
        return whole
    step = 1 if bounds[2] is None else bounds[2]
    end = np.iinfo(np.int32).max
    begin = (0 if step > 0 else end) if bounds[0] is None else bounds[0]
    stop = (end if step > 0 else -end) if bounds[1] is None else bounds[1]
    try:
        return Call(StridedSlice((begin,), (stop,), (step,), axes=(axis,)), (whole,), span=span)
    except RelayError as error:
        raise error.at(span) from None


def slice_bounds(item: ast.Slice, size: Dim, value: Evaluate, span: Span) -> tuple[int, int] | None:
    """Return what a slice takes of an axis whose size is known; None for steps or another axis."""
    low, high, step = [_bound(part, value, span) for part in (item.lower, item.upper, item.step)]
    if step not in (None, 1) or not isinstance(size, int):
        return None
    begin, end, _ = slice(low, high).indices(size)
    return begin, max(begin, end)


def _bound(part: ast.expr | None, value: Evaluate, span: Span) -> int | None:
    if part is None:
        return None
    found = value(part)
    bound = found.dim if isinstance(found, Size) else getattr(found, "content", found)
    if isinstance(bound, int) or bound is None:
        return bound
    advice = "the size of the result must be known: use relay.take(x, start + np.arange(3), axis=0)"
    raise mistake("F121", f"the bound of a slice is a number, not {describe(found)}", span, advice)
