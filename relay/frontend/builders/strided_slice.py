"""Build strided slices with bit masks, as TensorFlow and TensorFlow Lite encode them.

Bit `n` of a mask refers to entry `n` of the begins, ends and strides. An entry is a range of an
axis, one index of an axis, which is removed, a new axis, or an ellipsis: all axes that other
entries do not refer to.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.ir.dims import ANY, Dim
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.cast import Cast
from relay.ops.shape_arithmetic import size_in
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.dim_arithmetic import END
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import ExpandDims, Squeeze
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import int64


@dataclass(frozen=True)
class Masks:
    """The bit masks of a slice: which bounds are absent, and which entries are not ranges."""

    begin: int = 0
    end: int = 0
    ellipsis: int = 0
    new_axis: int = 0
    shrink: int = 0


@dataclass(frozen=True)
class _Entry:
    """The slice along one axis of the data; a bound that is absent is None."""

    begin: Expr | None = None
    end: Expr | None = None
    stride: int = 1
    is_index: bool = False


def strided_slice(x: Expr, begin: Expr, end: Expr, strides: Sequence[int], masks: Masks) -> Expr:
    """Return a strided slice of a tensor; bounds may be constants or computed at run time."""
    entries = list(_entries(begin, end, strides, masks, x.tensor_type.rank))
    axes = [each for each in entries if each is not None]
    x = _at_run_time(_known_ranges(x, axes), axes)
    dropped = tuple(axis for axis, each in enumerate(axes) if each.is_index)
    x = Call(Squeeze(dropped), (x,)) if dropped else x
    kept = [each for each in entries if each is None or not each.is_index]
    for axis, entry in enumerate(kept):
        x = Call(ExpandDims(axis), (x,)) if entry is None else x
    return x


def _entries(
    begin: Expr, end: Expr, strides: Sequence[int], masks: Masks, rank: int
) -> Iterator[_Entry | None]:
    """Yield the entry of each axis of the data in order, and None for each new axis."""
    count = len(strides)
    begins, ends = scalars(begin, count), scalars(end, count)
    named = sum(not (masks.new_axis | masks.ellipsis) >> n & 1 for n in range(count))
    missing = [_Entry()] * (rank - named)
    for n in range(count):
        if masks.ellipsis >> n & 1:
            yield from missing
            missing = []
        elif masks.new_axis >> n & 1:
            yield None
        elif masks.shrink >> n & 1:
            yield _Entry(begins[n], is_index=True)
        else:
            first = None if masks.begin >> n & 1 else begins[n]
            yield _Entry(first, None if masks.end >> n & 1 else ends[n], strides[n])
    yield from missing


def scalars(vector: Expr, count: int) -> list[Expr]:
    """Return the `count` elements of a vector as scalars."""
    match vector:
        case Constant(data):
            return [Constant(each.reshape(())) for each in data]
        case Call(Stack(), (Tuple(fields),)) if vector.tensor_type.rank == 1:
            return list(fields)
        case _:
            parts = (Call(StridedSlice((at,), (at + 1,)), (vector,)) for at in range(count))
            return [reshape(part, ()) for part in parts]


def _known_ranges(x: Expr, axes: Sequence[_Entry]) -> Expr:
    """Return the slice along all axes whose bounds are constants."""
    sizes = x.tensor_type.shape
    found = [_range(size, each) or (0, END, 1) for size, each in zip(sizes, axes, strict=True)]
    begins, ends, strides = zip(*found, strict=True) if found else ((), (), ())
    if all(each == (0, END, 1) for each in found):
        return x
    return Call(StridedSlice(begins, ends, strides), (x,))


def _range(size: Dim, entry: _Entry) -> tuple[Dim, Dim, int] | None:
    """Return begin, end and stride of an axis, clamped if its size is static.

    Returns None if a bound is computed at run time.
    """
    begin, end = (_known(each) for each in (entry.begin, entry.end))
    if begin is ANY or end is ANY:
        return None
    if entry.is_index:
        first = begin or 0
        return first, END if first == -1 else first + 1, 1
    whole = all(isinstance(each, int | None) for each in (begin, end))
    if isinstance(size, int) and whole:
        return _clamped(size, slice(begin, end, entry.stride))
    up = entry.stride > 0
    first = begin if begin is not None else (0 if up else END)
    return first, end if end is not None else (END if up else -END), entry.stride


def _clamped(size: int, bounds: slice) -> tuple[int, int, int]:
    low, high, step = bounds.indices(size)
    high = max(high, low) if step > 0 else min(high, low)
    if (low, high, step) == (0, size, 1):
        return 0, END, 1
    return low, -END if high < 0 else high, step


def _known(bound: Expr | None) -> Dim | None:
    """Return a bound as a dimension: None if it is absent, `Any` if it is computed at run time."""
    return None if bound is None else size_in(bound)


def _at_run_time(x: Expr, axes: Sequence[_Entry]) -> Expr:
    """Return the slice along the axes whose bounds are computed at run time."""
    sizes = x.tensor_type.shape
    left = [n for n, each in enumerate(axes) if _range(sizes[n], each) is None]
    for axis in (n for n in left if axes[n].is_index):
        index = axes[axis].begin
        assert index is not None, "an index has a begin"
        x = Call(Take(axis=axis, mode="raise"), (x, reshape(index, (1,))))
    ranges = [n for n in left if not axes[n].is_index]
    if not ranges:
        return x
    bounds = (_vector([_bound(axes[n], is_end=is_end) for n in ranges]) for is_end in (False, True))
    strides = Constant(np.array([axes[n].stride for n in ranges]))
    return Call(DynamicStridedSlice(axes=tuple(ranges)), (x, *bounds, strides))


def _bound(entry: _Entry, *, is_end: bool) -> Expr:
    found = entry.end if is_end else entry.begin
    if found is not None:
        return Call(Cast(int64), (found,))
    return constant(
        (END if is_end else 0) if entry.stride > 0 else (-END if is_end else END), int64
    )


def _vector(numbers: Sequence[Expr]) -> Expr:
    return Call(Stack(0), (Tuple(tuple(numbers)),))
