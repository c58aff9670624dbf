"""Writing to a part of a tensor, `x[i] = new`: what the tensor is from then on."""

import math
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

import numpy as np

from relay.frontend.python.tensors.indexing import Part, index, is_mask, parts_of, place_of
from relay.frontend.python.tensors.slice_assignment import Stretch
from relay.frontend.python.tensors.slicing import slice_bounds, slice_of
from relay.frontend.python.values.traced_values import is_list, is_plain, is_sequence, is_slice
from relay.ir.dims import ANY, Dim, is_static, product, static
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.numpy.argument_conversion import Sizes
from relay.numpy.creation import full, known_sizes
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import sizes_of, together
from relay.ops.broadcasting import BroadcastTo
from relay.ops.cast import Cast
from relay.ops.elementwise import Copy
from relay.ops.selection import Where
from relay.ops.tensor.gather import Take
from relay.ops.tensor.join import Concatenate
from relay.ops.tensor.reshape import ExpandDims, Reshape
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span


def written(whole: Expr, key: Any, new: Any, span: Span) -> Expr:
    """Return a tensor like `whole` whose part `whole[at]` is `new`, which is broadcast to it.

    1. The first axes are indexed by numbers, the first one alone also by a vector of them.
    2. One axis is cut by a slice, forwards.
    3. A mask chooses the elements, and one number is written to all of them.
    4. Anything else, in a tensor of known shape.

    Raises `F116` for other parts, `F121` for an index that cannot be.
    """
    parts = parts_of(key, whole, span)
    count = sum(not is_slice(part) for part in parts)
    cuts = [axis for axis, part in enumerate(parts) if _is_cut(part)]
    leading = not any(is_slice(part) for part in parts[:count])
    try:
        if any(map(is_mask, parts)):
            return _masked(whole, parts, new, span)
        if not count and not cuts:
            return Call(Copy(), (_fitted(new, whole, sizes_of(whole), span),), span=span)
        places = [] if any(each is None for each in parts) else _leading(parts, whole, span)
        ranks = [place.tensor_type.rank for place in places]
        if count and leading and not cuts and ranks in ([1], [0] * count):
            return _scattered(whole, places, new, span)
        if len(cuts) == 1 and not count:
            found = _sliced(whole, cuts[0], parts[cuts[0]], new, span)
            if found is not None:
                return found
        return _anywhere(whole, key, new, span)
    except RelayError as error:
        raise error.at(span) from None


def _is_cut(part: Part) -> bool:
    """Whether a slice is not the whole axis."""
    return is_slice(part) and (part.start, part.stop, part.step) != (None, None, None)


def _leading(parts: Sequence[Part], whole: Expr, span: Span) -> list[Expr]:
    """Return the indices before the first slice."""
    before = takewhile(lambda part: not is_slice(part), parts)
    return [
        place_of(part, whole, axis, span) for axis, part in enumerate(before) if not is_slice(part)
    ]


def _scattered(whole: Expr, places: Sequence[Expr], new: Any, span: Span) -> Expr:
    """Case 1."""
    (count,) = sizes_of(places[0]) or (1,)
    rows = [Call(Reshape((1, -1)), (Call(Cast(int32), (each,)),), span=span) for each in places]
    indices = rows[0] if len(rows) == 1 else Call(Concatenate(0), (Tuple(tuple(rows)),), span=span)
    shape = (count, *sizes_of(whole)[len(places) :])
    return Call(ScatterND(), (whole, indices, _fitted(new, whole, shape, span)), span=span)


def _masked(whole: Expr, parts: Sequence[Part], new: Any, span: Span) -> Expr:
    """Case 3."""
    mask, *others = parts
    number = new.tensor_type.rank == 0 if isinstance(new, Expr) else is_plain(new)
    if not is_mask(mask) or any(map(_is_chosen, others)) or not number:
        what = "writing several values where a mask holds"
        raise mistake(
            ErrorCode.F116, what, span, "choose for each element: x = np.where(mask, new, x)"
        )
    assert isinstance(mask, Expr), "a mask is a tensor"
    for _ in range(whole.tensor_type.rank - mask.tensor_type.rank):
        mask = Call(ExpandDims(mask.tensor_type.rank), (mask,), span=span)
    filled = _fitted(new, whole, (), span)
    return Call(Where(), (mask, filled, whole), span=span)


def _is_chosen(part: Part) -> bool:
    return not is_slice(part) or _is_cut(part)


def _anywhere(whole: Expr, key: Any, new: Any, span: Span) -> Expr:
    """Case 4: the part is found in a tensor of all places, and written in the row of elements.

    A tensor with open sizes is taken apart axis by axis.
    """
    shape = whole.tensor_type.shape
    if not is_static(shape):
        parts = parts_of(key, whole, span)
        if any(each is None for each in parts) or any(map(_is_vector, parts)):
            what = "writing to this part of a tensor"
            advice = "write to x[i], x[i, j] or x[2:5], or make a new tensor"
            raise mistake(ErrorCode.F116, what, span, advice)
        return _within(whole, parts, new, span)
    count = math.prod(static(shape))
    grid = Constant(np.arange(count, dtype=np.int32).reshape(static(shape)))
    places = index(grid, key, span)
    assert isinstance(places, Expr), "parts of a tensor are tensors"
    part = places.tensor_type.shape
    size = product(part)
    row = Call(Reshape((count,)), (whole,), span=span)
    chosen = Call(Reshape((1, size)), (places,), span=span)
    filled = _fitted(new, whole, sizes_of(places), span)
    filled = Call(Reshape((size,)), (filled,), span=span)
    return Call(Reshape(shape), (Call(ScatterND(), (row, chosen, filled)),), span=span)


def _is_vector(part: Part) -> bool:
    return is_list(part) or (isinstance(part, Expr) and bool(part.tensor_type.rank))


def _within(whole: Expr, parts: Sequence[Part], new: Any, span: Span) -> Expr:
    """Return a tensor, a part of which is taken out, written to, and put back; as deep as axes."""
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
                advice = "turn what is written: x[:n] = y[::-1]"
                raise mistake(
                    ErrorCode.F116, "writing to a slice that goes backwards", span, advice
                )
            return found
    return _fitted(new, whole, sizes_of(whole), span)


def _sliced(whole: Expr, axis: int, item: Part, new: Any, span: Span) -> Expr | None:
    """Case 2: parts are joined where bounds are known, else each element asks for its place.

    None for steps in a tensor of known shape, and for those that go backwards.
    """
    assert is_slice(item), "the caller looked"
    bounds = slice_bounds(item, whole.tensor_type.shape[axis], span)
    if bounds is not None:
        return _joined(whole, axis, bounds, new, span)
    stretch = Stretch(whole, axis, item, span)
    known = is_static(whole.tensor_type.shape) and stretch.is_known
    return None if known or stretch.is_backward else stretch.written(_typed(new, whole, span))


def _joined(whole: Expr, axis: int, bounds: tuple[int, int], new: Any, span: Span) -> Expr:
    """Return what is before a slice, what is new, and what is behind it, in one tensor."""
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
    """Return what is written in the element type of the tensor and the shape of the part."""
    found, known = _typed(new, whole, span), known_sizes(shape)
    if known is None:
        return full(shape, found)
    if found.tensor_type.shape == known:
        return found
    return Call(BroadcastTo(known), (found,), span=span)


def _typed(new: Any, whole: Expr, span: Span) -> Expr:
    """Return what is written in the element type of the tensor."""
    dtype = whole.tensor_type.dtype
    if _is_plain(new):
        found: Expr = Constant(np.asarray(new).astype(dtype.numpy), span=span)
    else:
        (found,) = together([new], span)
    if found.tensor_type.dtype is not dtype:
        found = Call(Cast(dtype), (found,), span=span)
    return found


def _is_plain(new: Any) -> bool:
    """Whether something is a plain number, or lists of them; recursion follows their nesting."""
    return all(map(_is_plain, new)) if is_sequence(new) else is_plain(new)


def kept(old: Expr, made: Expr, by: Any, span: Span) -> Expr:
    """Return what `x += by` leaves in an array: it keeps its shape and its element type.

    Raises `F112` where NumPy refuses: another shape, or floats in whole numbers. Where only the run
    tells the shape, the program stops.
    """
    was, now = old.tensor_type, made.tensor_type
    fits = was.rank == now.rank and all(map(_may_agree, was.shape, now.shape))
    if not fits or (now.dtype.is_float and not was.dtype.is_float):
        what = f"an array stays {was!r} when it is changed in place, and this is {now!r}"
        raise mistake(ErrorCode.F112, what, span, "make a new array: x = x + …")
    made = made if was.dtype is now.dtype else Call(Cast(was.dtype), (made,), span=span)
    alone = is_plain(by) or (isinstance(by, Expr) and not by.tensor_type.shape)
    known = alone or ANY not in (*was.shape, *now.shape)
    return made if known else full(sizes_of(old), made)


def _may_agree(one: Dim, other: Dim) -> bool:
    return one == other or one is ANY or other is ANY
