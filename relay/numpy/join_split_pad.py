"""Join, split, repeat, broadcast and pad tensors."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from relay.ir.expr import Constant, Expr
from relay.ir.nested_tuples import fields
from relay.numpy.argument_conversion import (
    Apart,
    Given,
    Sizes,
    axes_of,
    known_shape,
    known_size,
    numpy_function,
)
from relay.numpy.creation import arange, checked, known_sizes
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import (
    convert,
    count_along,
    element_type,
    like,
    sizes_of,
    tensor,
    together,
)
from relay.ops.functions import core, nn
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode

Parts = tuple[Expr, ...]


def at_least(x: Expr, rank: int) -> Expr:
    """Return a tensor with leading axes of size 1, as NumPy's `atleast_1d` does."""
    missing = rank - x.tensor_type.rank
    return core.expand_dims(x, 0, missing) if missing > 0 else x


def _each(made: Sequence[Expr]) -> Any:
    return made[0] if len(made) == 1 else tuple(made)


@numpy_function
def atleast_1d(*arys: Apart) -> Any:
    """Return tensors with at least one axis."""
    return _each([at_least(x, 1) for x in arys])


@numpy_function
def atleast_2d(*arys: Apart) -> Any:
    """Return tensors with at least two axes."""
    return _each([at_least(x, 2) for x in arys])


def _cube(x: Expr) -> Expr:
    return core.expand_dims(at_least(x, 2), 2) if x.tensor_type.rank < 3 else x


@numpy_function
def atleast_3d(*arys: Apart) -> Any:
    """Return tensors with at least three axes; a matrix gets a trailing third axis."""
    return _each([_cube(x) for x in arys])


@numpy_function
def concatenate(arrays: Sequence[Expr], axis: int | None = 0, dtype: Any = None) -> Expr:
    """Return tensors concatenated along an axis, or flattened if the axis is None."""
    parts = arrays if axis is not None else [core.reshape(x, (-1,)) for x in arrays]
    found = core.concatenate(parts, axis or 0)
    return found if dtype is None else core.cast(found, element_type(dtype, _dtype(found)))


def _dtype(x: Expr) -> Any:
    return x.tensor_type.dtype


concat = concatenate


@numpy_function
def stack(arrays: Sequence[Expr], axis: int = 0, dtype: Any = None) -> Expr:
    """Return tensors of one shape stacked along a new axis."""
    found = core.stack(arrays, axis)
    return found if dtype is None else core.cast(found, element_type(dtype, _dtype(found)))


@numpy_function
def vstack(tup: Sequence[Expr]) -> Expr:
    """Return tensors stacked vertically; vectors become matrices of one row."""
    return core.concatenate([at_least(x, 2) for x in tup], 0)


row_stack = vstack


def stacked_rows(x: Expr, axis: int = 0) -> Expr:
    """Return `stack` of the rows of a tensor, whose number may be unknown."""
    rank = x.tensor_type.rank
    (at,) = axes_of(axis, rank)
    order = list(range(1, rank))
    order.insert(at, 0)
    return core.transpose(x, order) if at else x


def joined_rows(x: Expr, axis: int = 0) -> Expr:
    """Return `concatenate` of the rows of a tensor, whose number may be unknown."""
    (at,) = axes_of(axis, x.tensor_type.rank - 1)
    moved = stacked_rows(x, at)
    sizes = [*sizes_of(moved)]
    return core.reshape(moved, (*[0] * at, -1, *sizes[at + 2 :]))


def vertical_rows(x: Expr) -> Expr:
    """Return `vstack` of the rows of a tensor, whose number may be unknown."""
    return x if x.tensor_type.rank == 2 else joined_rows(x)


OF_ROWS = {
    "stack": stacked_rows,
    "concatenate": joined_rows,
    "concat": joined_rows,
    "vstack": vertical_rows,
    "row_stack": vertical_rows,
}
"""Functions of a list of tensors, in a form for a tensor whose rows are the list."""


@numpy_function
def hstack(tup: Sequence[Expr]) -> Expr:
    """Return tensors stacked horizontally."""
    wide = [at_least(x, 1) for x in tup]
    return core.concatenate(wide, 0 if wide[0].tensor_type.rank == 1 else 1)


@numpy_function
def dstack(tup: Sequence[Expr]) -> Expr:
    """Return tensors stacked along the third axis."""
    return core.concatenate([_cube(x) for x in tup], 2)


@numpy_function
def column_stack(tup: Sequence[Expr]) -> Expr:
    """Return vectors as the columns of a matrix, and matrices stacked horizontally."""
    columns = [core.reshape(x, (-1, 1)) if x.tensor_type.rank < 2 else x for x in tup]
    return core.concatenate(columns, 1)


@numpy_function
def append(arr: Expr, values: Expr, axis: int | None = None) -> Expr:
    """Return the elements of both tensors, flattened or along an axis."""
    parts = [arr, values] if axis is not None else [core.reshape(x, (-1,)) for x in (arr, values)]
    return core.concatenate(parts, axis or 0)


def block(arrays: Any) -> Expr:
    """Return the tensor assembled from nested lists of blocks; the innermost use the last axis."""
    leaves = list(_leaves(arrays))
    typed = iter(together(leaves))
    depth = _depth(arrays)
    rank = max([depth, *(tensor(each).tensor_type.rank for each in leaves)])

    def build(given: Any, level: int) -> Expr:
        if not isinstance(given, list):
            return at_least(next(typed), rank)
        parts = [build(each, level + 1) for each in given]  # pyright: ignore[reportUnknownVariableType] - nested lists of anything
        return core.concatenate(parts, rank - depth + level)

    return build(arrays, 0)


def _leaves(given: Any) -> Any:
    if not isinstance(given, list):
        yield given
        return
    for each in given:  # pyright: ignore[reportUnknownVariableType] - nested lists of anything
        yield from _leaves(each)


def _depth(given: Any) -> int:
    return 1 + _depth(given[0]) if isinstance(given, list) and given else 0


# Splitting


@numpy_function
def split(ary: Apart, indices_or_sections: Any, axis: int = 0) -> Parts:
    """Return equal parts of a tensor, or the parts between given indices."""
    if isinstance(indices_or_sections, int):
        return fields(core.split(ary, indices_or_sections, axis))
    size = known_size(ary, axis)
    inside = [slice(None, each).indices(size)[1] for each in indices_or_sections]
    pairs = zip([0, *inside], [*inside, size], strict=True)
    return tuple(_between(ary, low, max(low, high), axis) for low, high in pairs)


def _between(x: Expr, low: int, high: int, axis: int) -> Expr:
    return core.strided_slice(x, (low,), (high,), axes=(axis,))


@numpy_function
def array_split(ary: Apart, indices_or_sections: Any, axis: int = 0) -> Parts:
    """Return parts of a tensor; the first ones are longer by one if sizes differ."""
    if not isinstance(indices_or_sections, int):
        return split(ary, indices_or_sections, axis)
    size, count = known_size(ary, axis), indices_or_sections
    lengths = [size // count + (part < size % count) for part in range(count)]
    ends = [sum(lengths[: part + 1]) for part in range(count)]
    return tuple(
        _between(ary, end - length, end, axis) for end, length in zip(ends, lengths, strict=True)
    )


@numpy_function
def hsplit(ary: Apart, indices_or_sections: Any) -> Parts:
    """Return parts along the second axis."""
    return split(ary, indices_or_sections, 1 if ary.tensor_type.rank > 1 else 0)


@numpy_function
def vsplit(ary: Apart, indices_or_sections: Any) -> Parts:
    """Return parts along the first axis."""
    return split(ary, indices_or_sections, 0)


@numpy_function
def dsplit(ary: Apart, indices_or_sections: Any) -> Parts:
    """Return parts along the third axis."""
    return split(ary, indices_or_sections, 2)


@numpy_function
def unstack(x: Apart, *, axis: int = 0) -> Parts:
    """Return the slices along an axis of static size."""
    (place,) = axes_of(axis, x.tensor_type.rank)
    numbers = range(known_size(x, place))
    return tuple(core.take(x, Constant(np.asarray(i, np.int32)), place) for i in numbers)


# Repetition


@numpy_function
def repeat(a: Apart, repeats: Given, axis: int | None = None) -> Expr:
    """Return each slice repeated; the counts are equal or given one by one.

    The program may compute the counts; the size of the result is then known at run time only.
    """
    whole = core.reshape(a, (-1,)) if axis is None else a
    (place,) = axes_of(axis or 0, whole.tensor_type.rank)
    given = tensor(repeats)
    if not isinstance(given, Constant):
        return core.take(whole, _repeated_places(whole, place, given), place)
    if not given.array.ndim:
        return core.repeat(whole, int(given.array), place)
    counts = np.broadcast_to(given.array, known_size(whole, place))
    places = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    return core.take(whole, Constant(places), place)


def _repeated_places(whole: Expr, axis: int, counts: Expr) -> Expr:
    """Return the index along `axis` of each slice of the result; traps for negative counts."""
    ty = counts.tensor_type
    if not ty.dtype.is_integer or ty.rank > 1:
        what = f"np.repeat takes an integer or a vector of integers as counts, not {ty!r}"
        raise mistake(ErrorCode.F112, what, None, "convert the counts: k.astype(np.int32)")
    counts, size = convert(counts, int32), count_along(whole, axis)
    fits = core.all(core.greater_equal(counts, like(0, counts)))
    if ty.shape in ((), (1,)):
        count = core.reshape(counts, ())
        indices = arange(core.multiply(size, count))
        found = core.floor_divide(indices, core.maximum(count, like(1, count)))
    else:
        fits = core.logical_and(fits, core.equal(count_along(counts, 0), size))
        indices = arange(core.sum(counts))
        found = core.searchsorted(core.cumsum(counts, 0), indices, True, "int32")
    return checked(found, fits, "repeats: a count is negative, or there are too many or too few")


@numpy_function
def tile(A: Apart, reps: Any) -> Expr:  # noqa: N803
    """Return copies of the tensor along each axis."""
    return core.tile(A, (reps,) if isinstance(reps, int) else tuple(reps))


@numpy_function
def resize(a: Apart, new_shape: Any) -> Expr:
    """Return the elements in another shape, repeated cyclically if it is larger."""
    shape = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
    size, wanted = int(np.prod(known_shape(a))), int(np.prod(shape))
    if not size:
        return core.zeros(shape, a.tensor_type.dtype)
    places = Constant((np.arange(wanted) % size).astype(np.int32).reshape(shape))
    return core.take(core.reshape(a, (-1,)), places, 0)


@numpy_function
def broadcast_to(array: Apart, shape: Sizes) -> Expr:
    """Return a tensor broadcast to a shape."""
    known = known_sizes(shape)
    if known is None:
        what = "np.broadcast_to needs a constant shape, but a size is computed by the program"
        raise mistake(
            ErrorCode.F120, what, None, "add to zeros of that shape instead: np.zeros(shape) + x"
        )
    return core.broadcast_to(array, known)


@numpy_function
def broadcast_arrays(*args: Apart) -> Parts:
    """Return tensors broadcast to their common shape."""
    shape = np.broadcast_shapes(*(known_shape(each) for each in args))
    return tuple(core.broadcast_to(each, shape) for each in args)


@numpy_function
def pad(array: Expr, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Expr:
    """Return the tensor padded by a constant, the edge, a mirror image, or cyclically."""
    rank = array.tensor_type.rank
    widths = np.broadcast_to(np.asarray(pad_width, np.int64), (rank, 2))
    pairs = [(int(before), int(after)) for before, after in widths]
    if mode == "constant":
        return _with_borders(array, pairs, constant_values)
    if mode == "edge":
        return nn.pad(array, pairs, 0.0, mode)
    if mode not in ("reflect", "symmetric", "wrap"):
        advice = 'use mode="constant", "edge", "reflect", "symmetric" or "wrap"'
        raise mistake(ErrorCode.F120, f"np.pad does not support the mode {mode}", None, advice)
    for axis, (before, after) in enumerate(pairs):
        if before or after:
            places = np.pad(np.arange(known_size(array, axis)), (before, after), mode)
            array = core.take(array, Constant(places.astype(np.int32)), axis)
    return array


def _with_borders(x: Expr, pairs: Sequence[tuple[int, int]], values: Any) -> Expr:
    if isinstance(values, bool | int | float):
        of_bools = str(x.tensor_type.dtype) == "bool"
        wide = core.cast(x, "uint8") if of_bools else x
        found = nn.pad(wide, pairs, float(values), "constant")
        return core.cast(found, "bool") if of_bools else found
    rows = np.broadcast_to(np.asarray(values), (len(pairs), 2))
    for axis, (pair, row) in enumerate(zip(pairs, rows, strict=True)):
        borders: list[Expr] = []
        for width, value in zip(pair, row, strict=True):
            shape = [*x.tensor_type.shape]
            shape[axis] = width
            number = Constant(np.asarray(value, x.tensor_type.dtype.numpy))
            borders.append(core.broadcast_to(number, shape))
        x = core.concatenate([borders[0], x, borders[1]], axis)
    return x
