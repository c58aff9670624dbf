"""Reduce windows of a tensor by a binary operator, such as a sum or a maximum."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from relay.frontend.builders.interior_padding import padded
from relay.frontend.builders.size_expressions import numbers_below
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.ir.dims import Dim, Shape, maximum
from relay.ir.expr import Call, Constant, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Add, Maximum, Minimum, Multiply, add, multiply
from relay.ops.broadcasting import BroadcastTo
from relay.ops.logical import LogicalAnd, LogicalOr
from relay.ops.max_min_reductions import All, Any, Max, Min
from relay.ops.sum_and_mean_reductions import Prod, Sum
from relay.ops.tensor.gather import Take
from relay.ops.tensor.scan import Cumprod, Cumsum
from relay.ops.tensor.symbolic_slice import Part
from relay.ops.tensor.transpose import Reverse
from relay.ops.tensor.windows_and_fourier import SlidingWindow
from relay.support.dtype import int64

Fold: TypeAlias = Callable[[Sequence[Expr], Sequence[Expr]], Sequence[Expr]]
"""Joins two groups of tensors to one, elementwise."""

_FEW = 4  # the limit of window elements that are combined one by one

REDUCTIONS: Mapping[type[OperatorDef], tuple[type[OperatorDef], float]] = {
    Add: (Sum, 0),
    Multiply: (Prod, 1),
    Maximum: (Max, -np.inf),
    Minimum: (Min, np.inf),
    LogicalAnd: (All, 1),
    LogicalOr: (Any, 0),
}
"""For binary operators: the reduction, and the neutral element."""


@dataclass(frozen=True)
class Windows:
    """Windows along each axis: sizes, strides, and distances of their elements (dilation).

    The tensor is first padded: `spread - 1` elements between its own, and `padding` around them.
    """

    sizes: Shape
    strides: tuple[int, ...]
    dilation: tuple[int, ...]
    spread: tuple[int, ...]
    padding: tuple[tuple[Dim, Dim], ...]


def reduced_windows(op: type[OperatorDef], x: Expr, initial: Expr, windows: Windows) -> Expr:
    """Return the reduction of each window by the binary operator `op`, starting from `initial`."""
    is_plain = is_neutral(initial, REDUCTIONS[op][1])
    running = _cumulative(op, x, windows)
    if running is not None and is_plain:
        return running
    low, high = (tuple(pair[side] for pair in windows.padding) for side in (0, 1))
    x = padded(x, initial, low, high, tuple(each - 1 for each in windows.spread))
    for axis, size in enumerate(windows.sizes):
        x = _windows_of(op, x, axis, size, windows.strides[axis], windows.dilation[axis])
    return x if is_plain else Call(op(), (x, initial))


def folded_windows(
    body: Fold, data: Sequence[Expr], initial: Sequence[Expr], windows: Windows
) -> list[Expr]:
    """Return the reductions of each window of several tensors by any associative function.

    `body` maps two groups of tensors to one; windows of one axis after the other are reduced.
    """
    low, high = (tuple(pair[side] for pair in windows.padding) for side in (0, 1))
    inner = tuple(each - 1 for each in windows.spread)
    rows = [padded(x, value, low, high, inner) for x, value in zip(data, initial, strict=True)]
    for axis, size in enumerate(windows.sizes):
        if not isinstance(size, int):
            raise TypeError("the windows must have known sizes")
        rows = _folded_along(body, rows, axis, size, windows.dilation[axis])
        rows = [_every(x, axis, windows.strides[axis]) for x in rows]
    shape = rows[0].tensor_type.shape
    return list(body([Call(BroadcastTo(shape), (each,)) for each in initial], rows))


def _folded_along(
    body: Fold, rows: Sequence[Expr], axis: int, size: int, dilation: int
) -> list[Expr]:
    """Return the reductions of all windows along an axis: windows of half the size are joined."""
    if size == 1:
        return list(rows)
    half = size // 2
    halves = _folded_along(body, rows, axis, half, dilation)
    joined = _joined(body, halves, halves, axis, half * dilation)
    return joined if size % 2 == 0 else _joined(body, joined, rows, axis, (size - 1) * dilation)


def _joined(
    body: Fold, first: Sequence[Expr], second: Sequence[Expr], axis: int, distance: int
) -> list[Expr]:
    """Join the elements of `first` with those of `second` that lie `distance` further on."""
    count = maximum(second[0].tensor_type.shape[axis] - distance, 0)
    ends = ((first, 0), (second, distance))
    parts = [[Call(Part((axis,), (at,), (count,), (1,)), (x,)) for x in xs] for xs, at in ends]
    return list(body(*parts))


def _every(x: Expr, axis: int, stride: int) -> Expr:
    if stride == 1:
        return x
    count = (x.tensor_type.shape[axis] - 1) // stride + 1
    return Call(Part((axis,), (0,), (count,), (stride,)), (x,))


def is_neutral(value: Expr, number: float) -> bool:
    """Return whether an initial value is the constant `number`, the neutral element."""
    if not isinstance(value, Constant) or value.array.size != 1:
        return False
    found, of = value.array.reshape(()), value.array.dtype
    if np.isinf(number) and of.kind in "iu":
        limits = np.iinfo(str(of))
        return bool(found == (limits.min if number < 0 else limits.max))
    return bool(found.astype(np.complex128 if of.kind == "c" else np.float64) == number)


def _cumulative(op: type[OperatorDef], x: Expr, windows: Windows) -> Expr | None:
    """Return a cumulative sum or product if the windows describe one, else None."""
    scans: Mapping[type[OperatorDef], type[Cumsum | Cumprod]] = {Add: Cumsum, Multiply: Cumprod}
    long = [axis for axis, size in enumerate(windows.sizes) if size != 1]
    steps = {*windows.strides, *windows.dilation, *windows.spread}
    if op not in scans or len(long) != 1 or steps != {1}:
        return None
    (axis,) = long
    size = x.tensor_type.shape[axis]
    others = [pair for n, pair in enumerate(windows.padding) if n != axis]
    if windows.sizes[axis] != size or any(width != 0 for pair in others for width in pair):
        return None
    scan = scans[op](axis)
    if windows.padding[axis] == (size - 1, 0):
        return Call(scan, (x,))
    if windows.padding[axis] == (0, size - 1):
        return Call(Reverse(axis), (Call(scan, (Call(Reverse(axis), (x,)),)),))
    return None


def _windows_of(
    op: type[OperatorDef], x: Expr, axis: int, size: Dim, stride: int, dilation: int
) -> Expr:
    """Return the reduced windows along one axis."""
    if size == 1 and stride == 1:
        return x
    if not isinstance(size, int):
        return _wide_windows_of(op, x, axis, size, stride, dilation)
    if dilation == 1 and size > _FEW:
        behind = x.tensor_type.rank - axis - 1
        cut = SlidingWindow(axis, (size, *(1,) * behind), (stride, *(1,) * behind))
        places = tuple(range(-1 - behind, 0))
        return Call(REDUCTIONS[op][0](axis=places), (Call(cut, (x,)),))
    length = x.tensor_type.shape[axis]
    count = maximum((length - (size - 1) * dilation - 1) // stride + 1, 0)
    found = None
    for begin in range(0, size * dilation, dilation):
        part = Call(Part((axis,), (begin,), (count,), (stride,)), (x,))
        found = part if found is None else Call(op(), (found, part))
    assert found is not None, "windows are not empty"
    return found


def _wide_windows_of(
    op: type[OperatorDef], x: Expr, axis: int, size: Dim, stride: int, dilation: int
) -> Expr:
    """Return the reduced windows along one axis, of a size that is known at run time."""
    count = maximum((x.tensor_type.shape[axis] - (size - 1) * dilation - 1) // stride + 1, 0)
    begins = multiply(numbers_below(count), constant(stride, int64))
    steps = multiply(numbers_below(size), constant(dilation, int64))
    places = add(reshape(begins, (count, 1)), steps)
    windows = Call(Take(axis=axis, mode="fast"), (x, places))
    return Call(REDUCTIONS[op][0](axis=(axis + 1,)), (windows,))
