"""NumPy's functions that arrange elements: joins, turns, borders and repetitions."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.python.errors import mistake
from relay.frontend.python.places import count_along, places_along
from relay.frontend.python.tensor_arguments import (
    Apart,
    Axes,
    Shape,
    axes_of,
    known_shape,
    shape_of,
)
from relay.ir.dims import AnyDim
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.functions import core, nn
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.slice import StridedSlice


def append(arr: Expr, values: Expr, axis: int | None = None) -> Expr:
    """Return the elements of both, in one row or along an axis."""
    parts = [arr, values] if axis is not None else [ravel(arr), ravel(values)]
    return core.concatenate(parts, axis=axis or 0)


def array_split(ary: Expr, indices_or_sections: object, axis: int = 0) -> Expr | Tuple:
    """Return parts of a tensor, the first ones longer by one where the sizes are not equal."""
    if not isinstance(indices_or_sections, int):
        return split(ary, indices_or_sections, axis)
    size = known_shape(ary)[axis]
    parts = np.array_split(np.arange(size), indices_or_sections)
    return split(ary, tuple(int(part[0]) for part in parts[1:]), axis)


def atleast_1d(x: Expr) -> Expr:
    """Return a tensor that has an axis at least."""
    return x if x.tensor_type.rank else core.reshape(x, (1,))


def atleast_2d(x: Expr) -> Expr:
    """Return a tensor that has two axes at least."""
    row = atleast_1d(x)
    return core.expand_dims(row, 0) if row.tensor_type.rank == 1 else row


def broadcast_arrays(*args: Apart) -> Tuple:
    """Return tensors in the shape that they have together."""
    shape = np.broadcast_shapes(*(known_shape(each) for each in args))
    return Tuple(tuple(core.broadcast_to(each, shape) for each in args))


def column_stack(tup: Sequence[Expr]) -> Expr:
    """Return vectors as the columns of a matrix, and matrices side by side."""
    columns = [core.expand_dims(x, 1) if x.tensor_type.rank == 1 else x for x in tup]
    return core.concatenate(columns, axis=1)


def concatenate(arrays: Sequence[Expr], axis: int | None = 0) -> Expr:
    """Return tensors one after the other along an axis, or all their elements in one row."""
    return core.concatenate(arrays if axis is not None else [ravel(x) for x in arrays], axis or 0)


def diag(v: Expr, k: int = 0) -> Expr:
    """Return the matrix with this diagonal, or a diagonal of a matrix."""
    if v.tensor_type.rank != 1:
        return diagonal(v, k)
    size = v.tensor_type.shape[0] + abs(k)
    return core.matrix_set_diag(core.zeros((size, size), v.tensor_type.dtype), v, k)


def diagonal(a: Expr, offset: int = 0) -> Expr:
    """Return a diagonal of a matrix: above the main one for a positive offset."""
    rows, columns = a.tensor_type.shape
    if not isinstance(rows, int) or not isinstance(columns, int):
        return _open_diagonal(a, offset)
    places = np.diagonal(np.arange(rows * columns).reshape(rows, columns), offset)
    begin, end = (int(places[0]), int(places[-1]) + 1) if places.size else (0, 0)
    return Call(StridedSlice((begin,), (end,), (columns + 1,), axes=(0,)), (ravel(a),))


def _open_diagonal(a: Expr, offset: int) -> Expr:
    """Return a diagonal of a square matrix, whose size is known only at run time."""
    rows, columns = a.tensor_type.shape
    if rows != columns or isinstance(rows, AnyDim):
        advice = "annotate the sizes as numbers, Tensor[3, 4], or write a loop"
        raise mistake("F120", f"the diagonal of {a.tensor_type!r}", None, advice)
    size = count_along(a, 0, None)
    begin = Constant(np.asarray(offset, np.int32)) if offset >= 0 else size * -offset
    end = size * (size - max(offset, 0))
    bounds = [core.reshape(each, (1,)) for each in (begin, end, size + 1)]
    whole = Call(DynamicStridedSlice("end", (0,)), (ravel(a), *bounds))
    return core.reshape(whole, (rows - abs(offset),))


def dstack(tup: Sequence[Expr]) -> Expr:
    """Return tensors behind each other, along the third axis."""
    return core.concatenate(
        [core.expand_dims(atleast_2d(x), 2) if x.tensor_type.rank < 3 else x for x in tup], axis=2
    )


def expand_dims(a: Expr, axis: int | Sequence[int]) -> Expr:
    """Return the tensor with new axes at these places of the result."""
    places = (axis,) if isinstance(axis, int) else axis
    for each in sorted(place % (a.tensor_type.rank + len(places)) for place in places):
        a = core.expand_dims(a, each)
    return a


def flip(m: Expr, axis: Axes = None) -> Expr:
    """Return the elements in the opposite order along axes."""
    for each in axes_of(axis, m.tensor_type.rank):
        m = core.reverse(m, each)
    return m


def fliplr(m: Expr) -> Expr:
    """Return the columns in the opposite order."""
    return core.reverse(m, 1)


def flipud(m: Expr) -> Expr:
    """Return the rows in the opposite order."""
    return core.reverse(m, 0)


def hstack(tup: Sequence[Expr]) -> Expr:
    """Return tensors side by side."""
    wide = [atleast_1d(x) for x in tup]
    return core.concatenate(wide, axis=0 if wide[0].tensor_type.rank == 1 else 1)


def matrix_transpose(x: Expr) -> Expr:
    """Return matrices with rows and columns exchanged."""
    return swapaxes(x, -1, -2)


def meshgrid(*xi: Expr, indexing: str = "xy") -> Expr:
    """Return the coordinates of the points of a grid."""
    return core.meshgrid(xi, indexing)


def moveaxis(a: Expr, source: int | Sequence[int], destination: int | Sequence[int]) -> Expr:
    """Return the tensor with some axes at other places."""
    rank = a.tensor_type.rank
    pairs = sorted(zip(axes_of(destination, rank), axes_of(source, rank), strict=True))
    order = [axis for axis in range(rank) if axis not in axes_of(source, rank)]
    for place, axis in pairs:
        order.insert(place, axis)
    return core.transpose(a, order)


def pad(
    array: Expr, pad_width: object, mode: str = "constant", constant_values: float = 0.0
) -> Expr:
    """Return the tensor with a border: of one number, or of what the edge is, or mirrored."""
    widths = np.broadcast_to(np.asarray(pad_width, np.int64), (array.tensor_type.rank, 2))
    pairs = [(int(before), int(after)) for before, after in widths]
    if mode in ("constant", "edge", "reflect"):
        return nn.pad(array, pairs, constant_values, mode)
    if mode == "symmetric":
        return nn.mirror_pad(array, pairs, "SYMMETRIC")
    advice = "use constant, edge, reflect or symmetric"
    raise mistake("F120", f"padding has no mode {mode}", None, advice)


def permute_dims(a: Expr, axes: Axes = None) -> Expr:
    """Return the tensor with its axes in another order."""
    return core.transpose(a, axes)


def ravel(a: Expr) -> Expr:
    """Return the elements in one row."""
    return core.reshape(a, (-1,))


def repeat(a: Expr, repeats: int | Sequence[int], axis: int | None = None) -> Expr:
    """Return each slice several times, each as often or as a list says."""
    if isinstance(repeats, int):
        return core.repeat(a, repeats, axis)
    whole, place = (ravel(a), 0) if axis is None else (a, axis)
    size = known_shape(whole)[place]
    places = np.repeat(np.arange(size, dtype=np.int32), repeats)
    return core.take(whole, Constant(places), place % whole.tensor_type.rank)


def reshape(a: Expr, shape: Shape) -> Expr:
    """Return the elements in another shape; one size may be -1."""
    return core.reshape(a, shape_of(shape))


def roll(a: Expr, shift: Apart, axis: int | None = None) -> Expr:
    """Return the tensor moved along an axis; what falls off comes in at the other end."""
    if axis is None:
        return core.reshape(roll(ravel(a), shift, 0), a.tensor_type.shape)
    place = axis % a.tensor_type.rank
    size = a.tensor_type.shape[place]
    if isinstance(shift, Constant) and isinstance(size, int):
        return _rolled(a, int(shift.data) % max(size, 1), size, place)
    places = places_along(a, place, None) - core.cast(shift, "int32")
    return core.take(a, core.floor_mod(places, count_along(a, place, None)), place)


def _rolled(a: Expr, by: int, size: int, axis: int) -> Expr:
    """Return the last `by` slices before all others: kernels read stretches where they lie."""
    if by == 0:
        return core.copy(a)
    ends = ((size - by, size), (0, size - by))
    parts = [Call(StridedSlice((low,), (high,), axes=(axis,)), (a,)) for low, high in ends]
    return core.concatenate(parts, axis)


def rot90(m: Expr, k: int = 1) -> Expr:
    """Return matrices turned to the left by `k` right angles."""
    for _ in range(k % 4):
        m = core.reverse(core.transpose(m, (1, 0)), 0)
    return m


def split(ary: Expr, indices_or_sections: object, axis: int = 0) -> Expr:
    """Return equal parts of a tensor, or those between some places."""
    return core.split(ary, indices_or_sections, axis)


def squeeze(a: Expr, axis: Axes = None) -> Expr:
    """Return the tensor without axes of size 1: all of them, or those that are named."""
    if axis is not None:
        return core.squeeze(a, axes_of(axis, a.tensor_type.rank))
    ones = tuple(i for i, size in enumerate(a.tensor_type.shape) if size == 1)
    return core.squeeze(a, ones) if ones else a


def stack(arrays: Sequence[Expr], axis: int = 0) -> Expr:
    """Return tensors of one shape along a new axis."""
    return core.stack(arrays, axis)


def swapaxes(a: Expr, axis1: int, axis2: int) -> Expr:
    """Return the tensor with two axes in each other's place."""
    axes = list(range(a.tensor_type.rank))
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return core.transpose(a, axes)


def trace(a: Expr, offset: int = 0) -> Expr:
    """Return the sum of a diagonal."""
    return core.sum(diagonal(a, offset))


def tril(m: Expr, k: int = 0) -> Expr:
    """Return the lower triangle."""
    return core.trilu(m, k, False)


def triu(m: Expr, k: int = 0) -> Expr:
    """Return the upper triangle."""
    return core.trilu(m, k, True)


def vstack(tup: Sequence[Expr]) -> Expr:
    """Return tensors below each other; rows become matrices of one row."""
    return core.concatenate([atleast_2d(x) for x in tup], axis=0)
