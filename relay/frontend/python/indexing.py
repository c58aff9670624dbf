"""Indexing of tensors and tuples: `x[i]`, `x[1:, -1]`, `x[rows]`, `x[x > 0]`, `t[0]`."""

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, cast

import numpy as np

from relay.frontend.python.advanced_indexing import advanced, places_of_mask
from relay.frontend.python.operations import array_of, describe, group_of, outside
from relay.frontend.python.slicing import slice_of
from relay.frontend.python.values import Group, Series, Static, Value
from relay.ir.expr import Call, Constant, Expr
from relay.ir.types import TensorType
from relay.numpy.errors import mistake
from relay.numpy.tensors import Size
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import ExpandDims
from relay.support.dtype import bool_
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span

Evaluate = Callable[[ast.expr], Value]
Part: TypeAlias = ast.Slice | Value
"""One index: a slice, a value, or `Static(None)` for a new axis; `...` has been replaced."""


def index(whole: Value, at: ast.expr, value: Evaluate, span: Span) -> Value:
    """Return `whole[at]`; raises `F121` for an index that cannot be."""
    listed = group_of(whole, span)
    if listed is not None:
        return _item(listed, at, value, span)
    match whole:
        case Series(tensor) if isinstance(at, ast.Slice):
            cut = index(tensor, at, value, span)
            assert isinstance(cut, Expr), "a part of a tensor"
            return Series(cut)
        case Series(tensor) if _is_number(value(at)):
            return index(tensor, at, value, span)
        case Expr(ty=TensorType()):
            try:
                return _tensor(whole, parts_of(at, whole, value, span), value, span)
            except RelayError as error:
                raise error.at(span) from None
        case Static(content) if isinstance(content, Mapping):
            return _entry(cast("Mapping[object, object]", content), value(at), span)
        case Static(str() as content):
            number = _position(value(at), len(content), span)
            return Static(content[number])
        case _:
            advice = "tensors and tuples have parts; fields of data are taken by `match`"
            raise mistake(ErrorCode.F121, f"{describe(whole)} has no parts", span, advice)


def _item(listed: Group, at: ast.expr, value: Evaluate, span: Span) -> Value:
    """Return an item of a tuple or a list, or those of a slice."""
    if isinstance(at, ast.Slice):
        bounds = [None if b is None else value(b) for b in (at.lower, at.upper, at.step)]
        known = [b.content if isinstance(b, Static) else b for b in bounds]
        if not all(b is None or isinstance(b, int) for b in known):
            advice = "the length of a list is known before the program runs: cut it with numbers"
            raise mistake(ErrorCode.F121, "a list is cut at known places", span, advice)
        low, high, step = (each if isinstance(each, int) else None for each in known)
        return Group(listed.items[low:high:step], listed.brackets)
    found = value(at)
    late = isinstance(found, Expr) and bool(listed.items)
    if late and all(map(_is_number, (found, *listed.items))):
        return _tensor(array_of(listed, span), [found], value, span)
    if late and all(isinstance(x, Expr) and isinstance(x.ty, TensorType) for x in listed.items):
        advice = "make a tensor of them, np.stack([…]), and take its row"
        what = "which item of the list it is is known only when the program runs"
        raise mistake(ErrorCode.F121, what, span, advice)
    return listed.items[_position(found, len(listed.items), span)]


def _is_number(item: Value) -> bool:
    if isinstance(item, Static):
        return item.number is not None
    if isinstance(item, Size):
        return True
    return isinstance(item, Expr) and isinstance(item.ty, TensorType) and not item.ty.shape


def with_item(listed: Group, at: Value, new: Value, span: Span) -> Group:
    """Return a list with another item at one place."""
    items = list(listed.items)
    items[_position(at, len(items), span)] = new
    return Group(tuple(items), listed.brackets)


def _entry(content: Mapping[object, object], at: Value, span: Span) -> Value:
    """Return the entry of a dictionary outside of the function, for a key that is known."""
    if isinstance(at, Static) and at.content in content:
        return outside(content[at.content], span)
    what = f"the dictionary has no entry for {describe(at)}"
    raise mistake(
        ErrorCode.F121, what, span, "the key is known before the program runs: a text, a number"
    )


def _position(at: Value, count: int, span: Span) -> int:
    number = at.content if isinstance(at, Static) else None
    if not isinstance(number, int):
        advice = "a tuple's fields have types of their own: count them with plain numbers"
        raise mistake(
            ErrorCode.F121, f"a tuple is indexed by a number, not {describe(at)}", span, advice
        )
    if not -count <= number < count:
        raise mistake(
            ErrorCode.F121, f"index {number} of {count} fields", span, f"use 0 to {count - 1}"
        )
    return number % count


def parts_of(at: ast.expr, whole: Expr, value: Evaluate, span: Span) -> list[Part]:
    """Return the indices of a tensor, with as many full slices for `...` as are missing."""
    items = at.elts if isinstance(at, ast.Tuple) else [at]
    parts: list[Part | ast.expr] = [
        each if isinstance(each, ast.Slice) or _is_dots(each) else value(each) for each in items
    ]
    if len(items) == 1 and items[0] is at and isinstance(parts[0], Group):
        parts = [*_of_group(parts[0])]
    parts = [_as_mask(each) if isinstance(each, Group) else each for each in parts]
    rank = whole.tensor_type.rank
    used = sum(0 if is_new_axis(part) else _axes(part) for part in parts)
    if used and not rank:
        raise mistake(
            ErrorCode.F121, "a number has no parts", span, "it is one element: use it as it is"
        )
    if used > rank:
        what = f"{used} indices for a tensor of rank {rank}"
        raise mistake(ErrorCode.F121, what, span, "index at most as many axes as there are")
    full: list[Part] = []
    for part in parts:
        if isinstance(part, ast.Constant):
            full += [ast.Slice() for _ in range(rank - used)]
        elif not isinstance(part, ast.expr) or isinstance(part, ast.Slice):
            full.append(part)
    return full


def _of_group(only: Group) -> Sequence[Value]:
    """Return the indices that one list or tuple stands for: a list is one, `x[[0, 2]]`."""
    if only.brackets is None:
        advice = "write it between the brackets: x[i, j] for one element, x[[i, j]] for two rows"
        what = "an index that may be a list or a tuple"
        raise mistake(ErrorCode.F121, what, None, advice)
    return only.items if only.brackets is tuple else [only]


def _as_mask(listed: Group) -> Value:
    """Return a list of plain bools as the mask that it is in NumPy; others as they are."""
    plain = [each.content for each in listed.items if isinstance(each, Static)]
    is_mask = len(plain) == len(listed.items) and all(isinstance(each, bool) for each in plain)
    return array_of(listed, None) if plain and is_mask else listed


def _axes(part: Part | ast.expr) -> int:
    """Return how many axes an index takes: none for `...`, several for a mask."""
    if isinstance(part, ast.expr):
        return int(isinstance(part, ast.Slice))
    return part.tensor_type.rank if is_mask(part) and isinstance(part, Expr) else 1


def _is_dots(item: ast.expr) -> bool:
    return isinstance(item, ast.Constant) and item.value is Ellipsis


def is_new_axis(part: object) -> bool:
    """Whether an index is `None`, which makes an axis."""
    return isinstance(part, Static) and part.content is None


def is_mask(part: object) -> bool:
    """Whether an index chooses by a bool for each element."""
    tensor = isinstance(part, Expr) and isinstance(part.ty, TensorType)
    return tensor and isinstance(part, Expr) and part.tensor_type.dtype is bool_


def _tensor(whole: Expr, parts: Sequence[Part], value: Evaluate, span: Span) -> Expr:
    masked = any(map(is_mask, parts))
    places = [] if masked else _places(whole, parts, span)
    vectors = [each for each in places if each.tensor_type.rank]
    if masked or (vectors and len(places) > 1):
        return _advanced(whole, parts, value, span)
    axis, taken = 0, iter(places)
    for part in parts:
        if is_new_axis(part):
            whole = Call(ExpandDims(axis), (whole,), span=span)
            axis += 1
        elif isinstance(part, ast.Slice):
            whole = slice_of(whole, axis, part, value, span)
            axis += 1
        else:
            place = next(taken)
            whole = Call(Take(axis=axis, mode="raise"), (whole, place), span=span)
            axis += place.tensor_type.rank
    return whole


def _places(whole: Expr, parts: Sequence[Part], span: Span) -> list[Expr]:
    """Return the indices that are numbers, or tensors of them."""
    axes = [part for part in parts if not is_new_axis(part)]
    return [
        place_of(part, whole, axis, span)
        for axis, part in enumerate(axes)
        if not isinstance(part, ast.Slice)
    ]


def _advanced(whole: Expr, parts: Sequence[Part], value: Evaluate, span: Span) -> Expr:
    """Return what several indices choose together, after slices and new axes."""
    axis, chosen = 0, dict[int, Expr]()
    for part in parts:
        if is_new_axis(part):
            whole = Call(ExpandDims(axis), (whole,), span=span)
        elif isinstance(part, ast.Slice):
            whole = slice_of(whole, axis, part, value, span)
        elif is_mask(part) and isinstance(part, Expr):
            found = places_of_mask(part, span)
            chosen.update(enumerate(found, axis))
            axis += len(found) - 1
        else:
            chosen[axis] = place_of(part, whole, axis, span)
        axis += 1
    return advanced(whole, chosen, span)


def place_of(at: Value, whole: Expr, axis: int, span: Span) -> Expr:
    """Return an index of one axis as a tensor of integers."""
    if isinstance(at, Size):
        at = at.expr
    if isinstance(at, Static) and isinstance(at.content, int) and not isinstance(at.content, bool):
        size = whole.tensor_type.shape[axis]
        if isinstance(size, int) and not -size <= at.content < size:
            what = f"index {at.content} of an axis with {size} elements"
            raise mistake(ErrorCode.F121, what, span, "indices count from 0, or backwards from -1")
        return Constant(np.asarray(at.content, np.int32), span=span)
    if isinstance(at, Group) and at.items and all(map(_is_number, at.items)):
        at = array_of(at, span)
    if isinstance(at, Expr) and isinstance(at.ty, TensorType) and at.ty.dtype.is_integer:
        return at
    advice = "use an integer, x[0], or a tensor of integers or bools"
    raise mistake(ErrorCode.F121, f"an index is an integer, not {describe(at)}", span, advice)
