"""Assignment to a part of a tensor, `x[i] = new`: the contents of the tensor afterwards."""

import math
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

import numpy as np

from relay.frontend.node_errors import static_sizes
from relay.frontend.python.tensors.indexing import Part, index, is_mask, parts_of, place_of
from relay.frontend.python.tensors.slice_assignment import Stretch
from relay.frontend.python.tensors.slicing import slice_bounds, slice_of
from relay.frontend.python.values.traced_values import is_list, is_plain, is_sequence, is_slice
from relay.ir.dims import ANY, Dim, is_static, product
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.numpy.argument_conversion import Sizes
from relay.numpy.creation import full, known_sizes
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import rank_of_kind, sizes_of, together
from relay.ops.broadcasting import BroadcastTo
from relay.ops.cast import Cast
from relay.ops.elementwise import Copy
from relay.ops.selection import Where
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import ExpandDims, Reshape
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span


def written(whole: Expr, key: Any, new: Any, span: Span) -> Expr:
    """Return `whole` with `new`, which is broadcast, assigned to `whole[key]`.

    These kinds of keys are supported:

    1. Numbers that index the first axes, or a vector of numbers that indexes the first axis.
    2. A slice with a positive step, of one axis.
    3. A mask whose elements all receive one number.
    4. Any other key of a tensor of static shape.

    Raises `F116` for other parts, `F121` for an invalid index.
    """
    parts = parts_of(key, whole, span)
    count = sum(not is_slice(part) for part in parts)
    cuts = [axis for axis, part in enumerate(parts) if _is_cut(part)]
    try:
        if any(map(is_mask, parts)):
            return _masked(whole, parts, new, span)
        if not count and not cuts:
            return Call(Copy(), (_fitted(new, whole, sizes_of(whole), span),), span=span)
        if places := _numeric(parts, whole, span):
            return _scattered(whole, places, new, span)
        if len(cuts) == 1 and not count:
            found = _sliced(whole, cuts[0], parts[cuts[0]], new, span)
            if found is not None:
                return found
        return _anywhere(whole, key, new, span)
    except RelayError as error:
        raise error.at(span) from None


def combined(whole: Expr, key: Any, new: Any, mode: str, span: Span) -> Expr:
    """Return `whole` with `new`, which is broadcast, combined with `whole[key]` by `scatter_nd`.

    Elements that the key selects several times are combined with all their updates. Raises `F116`
    for masks, and for parts of tensors of dynamic sizes other than rows.
    """
    parts = parts_of(key, whole, span)
    places = _numeric(parts, whole, span)
    if not places and (any(map(is_mask, parts)) or not is_static(whole.tensor_type.shape)):
        raise _uncombinable(is_masked=any(map(is_mask, parts)), span=span)
    if places:
        return _scattered(whole, places, new, span, mode)
    return _anywhere(whole, key, new, span, mode)


def _uncombinable(*, is_masked: bool, span: Span) -> RelayError:
    """Return the error `F116`: a ufunc's method `at` cannot combine the selected elements."""
    if is_masked:
        what = "a method such as np.add.at does not accept a mask as its index"
        help_ = "pass the positions of the mask instead: np.nonzero(mask)[0]"
    else:
        what = "a method such as np.add.at accepts slices only of tensors whose sizes are known"
        help_ = "pass positions instead of the slice, such as np.arange(start, stop)"
    return mistake(ErrorCode.F116, what, span, help_)


def _is_cut(part: Part) -> bool:
    """Whether a slice is less than the whole axis."""
    return is_slice(part) and (part.start, part.stop, part.step) != (None, None, None)


def _leading(parts: Sequence[Part], whole: Expr, span: Span) -> list[Expr]:
    """Return the indices before the first slice."""
    before = takewhile(lambda part: not is_slice(part), parts)
    return [
        place_of(part, whole, axis, span) for axis, part in enumerate(before) if not is_slice(part)
    ]


def _numeric(parts: Sequence[Part], whole: Expr, span: Span) -> Sequence[Expr]:
    """Return a key's numbers for the first axes, or its vector for the first axis.

    The result is empty for any other key.
    """
    count = sum(not is_slice(part) for part in parts)
    if any(part is None or is_mask(part) or _is_cut(part) for part in parts):
        return []
    places = _leading(parts, whole, span)
    ranks = [place.tensor_type.rank for place in places]
    return places if len(places) == count and ranks in ([1], [0] * count) else []


def _scattered(
    whole: Expr, places: Sequence[Expr], new: Any, span: Span, mode: str = "update"
) -> Expr:
    """Return the tensor after an assignment at numeric indices (case 1)."""
    (count,) = sizes_of(places[0]) or (1,)
    rows = [Call(Reshape((1, -1)), (Call(Cast(int32), (each,)),), span=span) for each in places]
    indices = rows[0] if len(rows) == 1 else Call(Concatenate(0), (Tuple(tuple(rows)),), span=span)
    shape = (count, *sizes_of(whole)[len(places) :])
    return Call(ScatterND(mode), (whole, indices, _fitted(new, whole, shape, span)), span=span)


def _masked(whole: Expr, parts: Sequence[Part], new: Any, span: Span) -> Expr:
    """Return the tensor after an assignment through a mask (case 3)."""
    mask, *others = parts
    number = new.tensor_type.rank == 0 if isinstance(new, Expr) else is_plain(new)
    if not is_mask(mask) or any(map(_is_chosen, others)) or not number:
        what = (
            "an assignment through a mask, x[mask] = new, accepts one number, but several "
            "are assigned"
        )
        raise mistake(
            ErrorCode.F116,
            what,
            span,
            "write x = np.where(mask, new, x), with a new value for each element",
        )
    assert isinstance(mask, Expr), "a mask is a tensor"
    for _ in range(whole.tensor_type.rank - mask.tensor_type.rank):
        mask = Call(ExpandDims(mask.tensor_type.rank), (mask,), span=span)
    filled = _fitted(new, whole, (), span)
    return Call(Where(), (mask, filled, whole), span=span)


def _is_chosen(part: Part) -> bool:
    return not is_slice(part) or _is_cut(part)


def _anywhere(whole: Expr, key: Any, new: Any, span: Span, mode: str = "update") -> Expr:
    """Return the tensor after any other assignment (case 4).

    The key is applied to a tensor of flat indices, and the new elements are scattered to those. A
    tensor with unknown sizes is instead split axis by axis.
    """
    shape = whole.tensor_type.shape
    if not is_static(shape):
        parts = parts_of(key, whole, span)
        if any(each is None for each in parts) or any(map(_is_vector, parts)):
            what = (
                "this index cannot be assigned to, because the tensor's sizes are known only "
                "at run time"
            )
            advice = "write to x[i], x[i, j] or x[2:5], or make a new tensor"
            raise mistake(ErrorCode.F116, what, span, advice)
        return _within(whole, parts, new, span)
    count = math.prod(static_sizes(shape))
    grid = Constant(np.arange(count, dtype=np.int32).reshape(static_sizes(shape)))
    places = index(grid, key, span)
    assert isinstance(places, Expr), "parts of a tensor are tensors"
    part = places.tensor_type.shape
    size = product(part)
    row = Call(Reshape((count,)), (whole,), span=span)
    chosen = Call(Reshape((1, size)), (places,), span=span)
    filled = _fitted(new, whole, sizes_of(places), span)
    filled = Call(Reshape((size,)), (filled,), span=span)
    return Call(Reshape(shape), (Call(ScatterND(mode), (row, chosen, filled)),), span=span)


def _is_vector(part: Part) -> bool:
    return is_list(part) or (isinstance(part, Expr) and bool(part.tensor_type.rank))


def _within(whole: Expr, parts: Sequence[Part], new: Any, span: Span) -> Expr:
    """Return a tensor with one slice extracted, assigned to recursively, and put back."""
    rank = len(parts)
    for axis, part in enumerate(parts):
        if is_slice(part):
            continue
        order = (axis, *(each for each in range(rank) if each != axis))
        turned = Call(Transpose(order), (whole,), span=span)
        place = place_of(part, turned, 0, span)
        row = Call(Take(axis=0, mode="raise"), (turned, place), span=span)
        inner = _within(row, [*parts[:axis], *parts[axis + 1 :]], new, span)
        back = tuple(order.index(each) for each in range(rank))
        return Call(Transpose(back), (_scattered(turned, [place], inner, span),), span=span)
    for axis, part in enumerate(parts):
        if is_slice(part) and _is_cut(part):
            cut = slice_of(whole, axis, part, span)
            others = [*parts[:axis], slice(None), *parts[axis + 1 :]]
            inner = _within(cut, others, new, span)
            found = _sliced(whole, axis, part, inner, span)
            if found is None:
                advice = "write the values in reverse order instead: x[:n] = y[::-1]"
                raise mistake(
                    ErrorCode.F116,
                    "a slice with a negative step cannot be assigned to",
                    span,
                    advice,
                )
            return found
    return _fitted(new, whole, sizes_of(whole), span)


def _sliced(whole: Expr, axis: int, item: Part, new: Any, span: Span) -> Expr | None:
    """Return the tensor after an assignment to a slice (case 2).

    Return None for steps in a tensor of static shape, and for negative steps. Parts are
    concatenated if the bounds are known; otherwise each element is selected at run time.
    """
    assert is_slice(item), "the caller looked"
    bounds = slice_bounds(item, whole.tensor_type.shape[axis], span)
    if bounds is not None:
        return _joined(whole, axis, bounds, new, span)
    stretch = Stretch(whole, axis, item, span)
    known = is_static(whole.tensor_type.shape) and stretch.is_known
    return None if known or stretch.is_backward else stretch.written(_typed(new, whole, span))


def _joined(whole: Expr, axis: int, bounds: tuple[int, int], new: Any, span: Span) -> Expr:
    """Return the concatenation of the elements before a slice, the new ones, and those after it."""
    (begin, end), size = bounds, whole.tensor_type.shape[axis]
    shape = [*sizes_of(whole)]
    shape[axis] = end - begin
    parts = [_fitted(new, whole, shape, span)]
    if begin:
        parts.insert(0, Call(StridedSlice((0,), (begin,), axes=(axis,)), (whole,), span=span))
    if end != size:
        rest = StridedSlice((end,), (np.iinfo(np.int32).max,), axes=(axis,))
        parts.append(Call(rest, (whole,), span=span))
    return Call(Concatenate(axis), (Tuple(tuple(parts)),), span=span)


def _fitted(new: Any, whole: Expr, shape: Sizes, span: Span) -> Expr:
    """Return the new elements in the element type of the tensor and the shape of the part."""
    found, known = _typed(new, whole, span), known_sizes(shape)
    if known is None:
        return full(shape, found)
    if found.tensor_type.shape == known:
        return found
    return Call(BroadcastTo(known), (found,), span=span)


def _typed(new: Any, whole: Expr, span: Span) -> Expr:
    """Return the new elements in the element type of the tensor."""
    dtype = whole.tensor_type.dtype
    if _is_plain(new):
        found: Expr = Constant(np.asarray(new).astype(dtype.numpy), span=span)
    else:
        (found,) = together([new], span)
    if found.tensor_type.dtype is not dtype:
        found = Call(Cast(dtype), (found,), span=span)
    return found


def _is_plain(new: Any) -> bool:
    """Whether a value is a Python number or nested lists of them."""
    return all(map(_is_plain, new)) if is_sequence(new) else is_plain(new)


def kept(old: Expr, made: Expr, by: Any, span: Span) -> Expr:
    """Return `made`, the result of `x += by`, in the shape and element type of `x` (`old`).

    Raises `F112` where NumPy refuses: for another shape, or floats in an integer array. A shape
    that is known only at run time is checked there.
    """
    was, now = old.tensor_type, made.tensor_type
    fits = was.rank == now.rank and all(map(_may_agree, was.shape, now.shape))
    if not fits or rank_of_kind(now.dtype) > max(rank_of_kind(was.dtype), rank_of_kind(int32)):
        what = f"an in-place operation must keep the type {was!r}, but its result has type {now!r}"
        raise mistake(ErrorCode.F112, what, span, "make a new array: x = x + …")
    made = made if was.dtype is now.dtype else Call(Cast(was.dtype), (made,), span=span)
    alone = is_plain(by) or (isinstance(by, Expr) and not by.tensor_type.shape)
    known = alone or ANY not in (*was.shape, *now.shape)
    return made if known else full(sizes_of(old), made)


def _may_agree(one: Dim, other: Dim) -> bool:
    return one == other or one is ANY or other is ANY
