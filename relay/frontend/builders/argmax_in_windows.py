"""Find the indices of window maxima (argmax pooling) in images of dynamic size."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.ir.dims import Dim, elements
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import add, multiply, subtract
from relay.ops.broadcasting import BroadcastToLike
from relay.ops.cast import Cast
from relay.ops.comparison import Less, less_equal
from relay.ops.logical import LogicalAnd
from relay.ops.max_min_reductions import ArgMax
from relay.ops.selection import where
from relay.ops.tensor.gather import Gather, Take
from relay.ops.tensor.position_tensors import length, numbered
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import DType, int64


@dataclass(frozen=True)
class Window:
    """The pooling windows along one axis: size (`kernel`), stride, padding and dilation.

    The padding is the number of positions before the axis, an int64 scalar.
    """

    kernel: int
    stride: int
    padding: Expr
    dilation: int

    def taps(self, windows: Expr) -> Expr:
        """Return the positions that each window reads along its axis, a row for each window."""
        first = subtract(multiply(windows, constant(self.stride, int64)), self.padding)
        more = Constant(np.arange(self.kernel) * self.dilation)
        return add(reshape(first, (*first.tensor_type.shape, 1)), more)


def largest_in_windows(x: Expr, maxima: Expr, windows: Sequence[Window]) -> Expr:
    """Return the index of each window's maximum in the flattened image, as int64.

    `maxima` are the maxima, whose shape is that of the result; windows extend over the last axes of
    `x`. If several elements are equal, the first one counts.
    """
    shape = maxima.tensor_type.shape
    lead = len(shape) - len(windows)
    axes = range(lead, len(shape))
    taps = [each.taps(numbered(maxima, axis)) for each, axis in zip(windows, axes, strict=True)]
    sizes = [length(x, axis) for axis in axes]
    spread = [_broadcast_positions(each, axis, len(windows)) for axis, each in enumerate(taps)]
    values = where(
        _is_inside(spread, sizes), _elements_at(x, lead, taps), _lowest(x.tensor_type.dtype)
    )
    table = Call(BroadcastToLike(), (_flat_indices(spread, sizes), values))
    flat = (*shape, elements(each.kernel for each in windows))
    best = Call(ArgMax(axis=(-1,), keepdims=True), (reshape(values, flat),))
    found = Call(Gather(len(shape)), (reshape(table, flat), Call(Cast(int64), (best,))))
    return reshape(found, shape)


def _broadcast_positions(taps: Expr, axis: int, rank: int) -> Expr:
    """Reshape the positions along one axis so that they broadcast to (windows…, positions…)."""
    shape: list[Dim] = [1] * (2 * rank)
    shape[axis], shape[rank + axis] = taps.tensor_type.shape
    return reshape(taps, shape)


def _elements_at(x: Expr, lead: int, taps: Sequence[Expr]) -> Expr:
    """Return the elements of `x` at the positions `taps`: (…, windows…, positions…).

    The first `lead` axes are kept; positions outside of the image are clipped to it.
    """
    for axis, each in enumerate(taps):
        x = Call(Take(axis=lead + 2 * axis), (x, each))
    end = lead + 2 * len(taps)
    return Call(Transpose((*range(lead), *range(lead, end, 2), *range(lead + 1, end, 2))), (x,))


def _is_inside(spread: Sequence[Expr], sizes: Sequence[Expr]) -> Expr:
    """Return whether each position lies inside of the image, by its coordinate along each axis."""
    zero = constant(0, int64)
    ends = [Call(Less(), pair) for pair in zip(spread, sizes, strict=True)]
    return reduce(_both, [*ends, *(less_equal(zero, each) for each in spread)])


def _both(a: Expr, b: Expr) -> Expr:
    return Call(LogicalAnd(), (a, b))


def _flat_indices(spread: Sequence[Expr], sizes: Sequence[Expr]) -> Expr:
    """Return the index of each position in the flattened image."""
    places: Expr = constant(0, int64)
    for taps, size in zip(spread, sizes, strict=True):
        places = add(multiply(places, size), taps)
    return places


def _lowest(dtype: DType) -> Expr:
    return constant(-np.inf if dtype.is_float else dtype.limits[0], dtype)
