"""Indexing of tensors by NumPy's rules: `x[i]`, `x[1:, -1]`, `x[rows]`, `x[x > 0]`."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from relay.frontend.python.tensors.slicing import slice_of
from relay.frontend.python.values.error_suggestions import describe
from relay.frontend.python.values.traced_values import (
    is_array_of_numpy,
    is_list,
    is_slice,
    is_tuple,
)
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ir.types import TensorType
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import Size, array_of
from relay.ops.tensor.advanced_indexing import AdvIndex
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.search_and_unique import ArgWhere
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import bool_
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span

Part: TypeAlias = Any
"""One index: a slice, None, an expression, a size, a number, or a list of them."""


def index(whole: Expr, key: Any, span: Span) -> Expr:
    """Return `whole[key]`; raises `F121` for an invalid index."""
    try:
        return _tensor(whole, parts_of(key, whole, span), span)
    except RelayError as error:
        raise error.at(span) from None


def shows(key: Any) -> bool:
    """Whether `whole[key]` is a view in NumPy, not a copy or a scalar.

    It is if the key has only numbers, slices and new axes.
    """
    parts: tuple[Any, ...] = key if is_tuple(key) else (key,)
    taken = [each for each in parts if not (each is None or each is Ellipsis or is_slice(each))]
    scalar = all(
        isinstance(each, int | Size) or (isinstance(each, Expr) and not each.tensor_type.rank)
        for each in taken
    )
    masks = any(isinstance(each, bool) or is_mask(each) for each in parts)
    return scalar and not masks


def parts_of(key: Any, whole: Expr, span: Span) -> list[Part]:
    """Return the indices of a tensor; `...` is replaced by full slices."""
    given: tuple[Any, ...] = key if is_tuple(key) else (key,)
    parts = [_as_index(each) for each in given]
    rank = whole.tensor_type.rank
    used = sum(0 if each is None else _axes(each) for each in parts)
    if used and not rank:
        raise mistake(
            ErrorCode.F121,
            "a scalar, which has no axes, cannot be indexed",
            span,
            "remove the index",
        )
    if used > rank:
        what = f"there are {used} indices, but the tensor has rank {rank}"
        raise mistake(ErrorCode.F121, what, span, "write at most one index for each axis")
    full: list[Part] = []
    for part in parts:
        full += [slice(None)] * (rank - used) if part is Ellipsis else [part]
    return full


def _as_index(part: Part) -> Part:
    """Convert a list of Python bools to a mask, and NumPy arrays to tensors."""
    if is_array_of_numpy(part):
        return Constant(np.asarray(part))
    is_plain = is_list(part) and bool(part) and all(isinstance(each, bool) for each in part)
    return array_of(part) if is_plain and is_list(part) else part


def _axes(part: Part) -> int:
    """Return the number of axes that an index consumes: several for a mask, none for `...`."""
    if part is Ellipsis:
        return 0
    return part.tensor_type.rank if is_mask(part) else 1


def is_mask(part: object) -> bool:
    """Whether an index is a boolean mask."""
    return isinstance(part, Expr) and isinstance(part.ty, TensorType) and part.ty.dtype is bool_


def _tensor(whole: Expr, parts: Sequence[Part], span: Span) -> Expr:
    masked = any(map(is_mask, parts))
    places = [] if masked else _places(whole, parts, span)
    vectors = [each for each in places if each.tensor_type.rank]
    if masked or (vectors and len(places) > 1):
        return _advanced(whole, parts, span)
    axis, taken = 0, iter(places)
    for part in parts:
        if part is None:
            whole = Call(ExpandDims(axis), (whole,), span=span)
            axis += 1
        elif is_slice(part):
            whole = slice_of(whole, axis, part, span)
            axis += 1
        else:
            place = next(taken)
            whole = Call(Take(axis=axis, mode="raise"), (whole, place), span=span)
            axis += place.tensor_type.rank
    return whole


def _places(whole: Expr, parts: Sequence[Part], span: Span) -> list[Expr]:
    """Return the indices that are integers or tensors of integers."""
    axes = [part for part in parts if part is not None]
    return [
        place_of(part, whole, axis, span) for axis, part in enumerate(axes) if not is_slice(part)
    ]


def place_of(at: Part, whole: Expr, axis: int, span: Span) -> Expr:
    """Return the index of one axis as a tensor of integers."""
    if isinstance(at, Size):
        at = at.expr
    if isinstance(at, int) and not isinstance(at, bool):
        size = whole.tensor_type.shape[axis]
        if isinstance(size, int) and not -size <= at < size:
            what = f"index {at} is out of range for an axis with {size} elements"
            advice = "indices are counted from 0, or from -1 backwards"
            raise mistake(ErrorCode.F121, what, span, advice)
        return Constant(np.asarray(at, np.int32), span=span)
    if is_list(at) and at:
        at = array_of(at, span)
    if isinstance(at, Expr) and isinstance(at.ty, TensorType) and at.ty.dtype.is_integer:
        return at
    advice = "use an integer, x[0], or a tensor of integers or bools"
    raise mistake(
        ErrorCode.F121,
        f"an index must be an integer, a slice or a tensor, not {describe(at)}",
        span,
        advice,
    )


# Several indices together


def _advanced(whole: Expr, parts: Sequence[Part], span: Span) -> Expr:
    """Return the elements that several tensor indices select jointly, after slices and new axes."""
    axis, chosen = 0, dict[int, Expr]()
    for part in parts:
        if part is None:
            whole = Call(ExpandDims(axis), (whole,), span=span)
        elif is_slice(part):
            whole = slice_of(whole, axis, part, span)
        elif is_mask(part):
            found = _places_of_mask(part, span)
            chosen.update(enumerate(found, axis))
            axis += len(found) - 1
        else:
            chosen[axis] = place_of(part, whole, axis, span)
        axis += 1
    return _together(whole, chosen, span)


def _places_of_mask(mask: Expr, span: Span) -> list[Expr]:
    """Return the indices of a mask's true elements: one vector for each of its axes."""
    rows = Call(ArgWhere(), (mask,), span=span)
    numbers = [Constant(np.asarray(axis, np.int32)) for axis in range(mask.tensor_type.rank)]
    return [Call(Take(axis=1), (rows, number), span=span) for number in numbers]


def _together(whole: Expr, chosen: Mapping[int, Expr], span: Span) -> Expr:
    """Return the elements at indices given for several axes, which are broadcast.

    The axes of the indices replace the indexed axes if these are adjacent, and come first
    otherwise.
    """
    axes = sorted(chosen)
    others = [axis for axis in range(whole.tensor_type.rank) if axis not in chosen]
    turned = _transposed(whole, [*axes, *others], span)
    indices = tuple(chosen[axis] for axis in axes)
    found = Call(AdvIndex(), (Tuple((turned, *indices)),), span=span)
    if axes != list(range(axes[0], axes[-1] + 1)):
        return found
    new = found.tensor_type.rank - len(others)
    before = [new + others.index(axis) for axis in others if axis < axes[0]]
    after = [new + others.index(axis) for axis in others if axis > axes[0]]
    return _transposed(found, [*before, *range(new), *after], span)


def _transposed(x: Expr, order: list[int], span: Span) -> Expr:
    return x if order == sorted(order) else Call(Transpose(tuple(order)), (x,), span=span)
