"""Writing to a part of a tensor, `x[i] = new`: the variable gets a new value.

That is what Python does only where nobody else sees the array, so a variable that shares its array
with another is refused.
"""

import ast
from collections.abc import Sequence

import numpy as np

from relay.frontend.python.errors import mistake
from relay.frontend.python.indexing import Evaluate, complete, place_of, slice_bounds
from relay.frontend.python.operations import together
from relay.frontend.python.scope import Scope
from relay.frontend.python.values import Group, Static, Value
from relay.ir.dims import Dim
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ir.types import TensorType
from relay.ops.broadcasting import BroadcastTo
from relay.ops.cast import Cast
from relay.ops.tensor.gather import Take
from relay.ops.tensor.join import Concatenate
from relay.ops.tensor.reshape import Reshape, Reshaping
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import int32
from relay.support.errors import RelayError
from relay.support.span import Span

_VIEWS = (Take, StridedSlice, Reshaping, Transpose, BroadcastTo)
"""What gives NumPy's arrays a second name for the same memory."""


def written(whole: Expr, at: ast.expr, new: Value, value: Evaluate, span: Span) -> Expr:
    """Return a tensor like `whole` whose part `whole[at]` is `new`, which is broadcast to it.

    1. The first axes are indexed by numbers, the first one alone also by a vector of them.
    2. One axis is cut by a slice whose bounds are known.

    Raises `F116` for other parts, `F121` for an index that cannot be.
    """
    items = complete([*at.elts] if isinstance(at, ast.Tuple) else [at], whole, span)
    count = sum(not isinstance(item, ast.Slice) for item in items)
    cuts = [axis for axis, item in enumerate(items) if _is_cut(item)]
    leading = not any(isinstance(item, ast.Slice) for item in items[:count])
    try:
        if count and leading and not cuts:
            return _scattered(whole, items[:count], new, value, span)
        if len(cuts) == 1 and not count:
            return _joined(whole, cuts[0], items[cuts[0]], new, value, span)
    except RelayError as error:
        raise error.at(span) from None
    what = f"writing to {ast.unparse(at)} of a tensor"
    raise mistake("F116", what, span, "write to x[i], x[i, j] or x[2:5], or make a new tensor")


def _is_cut(item: ast.expr) -> bool:
    """Whether a slice is not the whole axis."""
    return isinstance(item, ast.Slice) and any((item.lower, item.upper, item.step))


def _scattered(
    whole: Expr, items: Sequence[ast.expr], new: Value, value: Evaluate, span: Span
) -> Expr:
    """Case 1."""
    places = [place_of(value(item), whole, axis, span) for axis, item in enumerate(items)]
    size: Dim = 1
    if len(places) == 1 and places[0].tensor_type.rank == 1:
        size = places[0].tensor_type.shape[0]
    rows = [Call(Reshape((1, size)), (Call(Cast(int32), (each,)),), span=span) for each in places]
    indices = rows[0] if len(rows) == 1 else Call(Concatenate(0), (Tuple(tuple(rows)),), span=span)
    shape = (size, *whole.tensor_type.shape[len(items) :])
    return Call(ScatterND(), (whole, indices, _fitted(new, whole, shape, span)), span=span)


def _joined(
    whole: Expr, axis: int, item: ast.expr, new: Value, value: Evaluate, span: Span
) -> Expr:
    """Case 2."""
    assert isinstance(item, ast.Slice), "the caller looked"
    size = whole.tensor_type.shape[axis]
    bounds = slice_bounds(item, size, value, span)
    if bounds is None:
        raise mistake("F116", "writing to a slice with steps", span, "write row by row, in a loop")
    begin, end = bounds
    shape = [*whole.tensor_type.shape]
    shape[axis] = end - begin
    parts = [_fitted(new, whole, shape, span)]
    if begin:
        parts.insert(0, Call(StridedSlice((0,), (begin,), axes=(axis,)), (whole,), span=span))
    if end != size:
        rest = StridedSlice((end,), (np.iinfo(np.int32).max,), axes=(axis,))
        parts.append(Call(rest, (whole,), span=span))
    return Call(Concatenate(axis), (Tuple(tuple(parts)),), span=span)


def _fitted(new: Value, whole: Expr, shape: Sequence[Dim], span: Span) -> Expr:
    """Return what is written in the element type of the tensor and the shape of the part."""
    dtype = whole.tensor_type.dtype
    if isinstance(new, Group) and all(isinstance(item, Static) for item in new.items):
        numbers = [item.content for item in new.items if isinstance(item, Static)]
        found: Expr = Constant(np.asarray(numbers, dtype.numpy), span=span)
    elif isinstance(new, Static) and new.number is not None:
        found = Constant(np.asarray(new.number, dtype.numpy), span=span)
    else:
        (found,) = together([new], span)
    if found.tensor_type.dtype is not dtype:
        found = Call(Cast(dtype), (found,), span=span)
    if found.tensor_type.shape != tuple(shape):
        found = Call(BroadcastTo(tuple(shape)), (found,), span=span)
    return found


def note_sharing(name: str, value: Value, scope: Scope) -> None:
    """Remember that a variable, just assigned, is another name for a part of some array."""
    var = scope.names[name]
    if isinstance(value, Call) and isinstance(var, Expr) and _is_view(value):
        scope.owners[var] = "a part of another array"


def _is_view(call: Call) -> bool:
    """Whether NumPy gives the same memory; rows that a vector of indices chooses are copied."""
    if isinstance(call.op, Take) and call.args[1].tensor_type.rank:
        return False
    return isinstance(call.op, _VIEWS)


def refuse_sharing(name: str, scope: Scope, span: Span) -> None:
    """Raise `F116` if in Python a change of a variable in place would be seen elsewhere."""
    value = scope.names.get(name)
    if not isinstance(value, Expr) or not isinstance(value.ty, TensorType) or not value.ty.shape:
        return
    other = next((n for n, v in scope.names.items() if n != name and _holds(v, value)), None)
    owner = f"the array of {other}" if other else scope.owners.get(value)
    if owner is not None:
        advice = f"make a new array: {name} = {name}.copy() before, or {name} = {name} + …"
        raise mistake("F116", f"{name} is {owner}, which would change with it", span, advice)


def _holds(value: Value, wanted: Expr) -> bool:
    """Recursion follows lists that are written out."""
    if isinstance(value, Group):
        return any(_holds(item, wanted) for item in value.items)
    return value is wanted
