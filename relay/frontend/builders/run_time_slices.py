"""Read and write slices of tensors whose positions or lengths are computed at run time."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.size_expressions import numbers_below, size_number
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.ir.dims import ANY, Dim
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.binary import Maximum, Minimum, add
from relay.ops.cast import Cast
from relay.ops.elementwise import Clip
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.gather import Take
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.strided_set import SetPart
from relay.support.dtype import int64


def inside(begin: Expr, size: Dim, count: Dim) -> Expr:
    """Return the start `begin` of a slice of length `count`, clamped to the axis; int64."""
    if size is ANY or count is ANY:
        raise TypeError("the sizes of the axis and of the slice must be numbers or sizes of inputs")
    return clamped(Call(Cast(int64), (begin,)), size - count)


def clamped(x: Expr, limit: Dim) -> Expr:
    """Return int64 numbers, clamped to the interval from 0 to a dimension."""
    if isinstance(limit, int):
        return Call(Clip(0.0, float(limit)), (x,))
    below = Call(Minimum(), (x, size_number(limit)))
    return Call(Maximum(), (below, constant(0, int64)))


def read_part(x: Expr, begins: Sequence[Expr], sizes: Sequence[Dim]) -> Expr:
    """Return the slice of `x` with the given sizes that starts at `begins`, a scalar per axis.

    Begins are clamped, so that the slice is inside `x`.
    """
    for axis, (begin, count) in enumerate(zip(begins, sizes, strict=True)):
        size = x.tensor_type.shape[axis]
        if size == count:
            continue
        first = inside(begin, size, count)
        if isinstance(begin, Constant) and isinstance(size, int) and isinstance(count, int):
            at = int(np.clip(begin.array, 0, size - count))
            x = Call(StridedSlice((at,), (at + count,), axes=(axis,)), (x,))
        elif count == 1:
            x = Call(Take(axis=axis, mode="fast"), (x, reshape(first, (1,))))
        else:
            places = add(first, numbers_below(count))
            x = Call(Take(axis=axis, mode="fast"), (x, places))
    return x


def write_part(x: Expr, part: Expr, begins: Sequence[Expr]) -> Expr:
    """Return `x` with `part` written at `begins`, a clamped scalar for each axis."""
    sizes = part.tensor_type.shape
    rows = zip(begins, x.tensor_type.shape, sizes, strict=True)
    first = [
        constant(0, int64) if a == b and a is not ANY else inside(at, a, b) for at, a, b in rows
    ]
    if not first:
        return part
    counts = [size_of(part, axis) for axis in range(len(sizes))]
    ranges = Call(Stack(0), (Tuple((*first, *counts)),))
    none = Constant(np.zeros(0, np.int64))
    return Call(SetPart(sizes), (x, part, ranges, none))


def first_of(x: Expr, count: Expr, axis: int = 0) -> Expr:
    """Return the first `count` elements along an axis; `count` is a vector of length 1."""
    zero, one = (Constant(np.array([each])) for each in (0, 1))
    return Call(DynamicStridedSlice(axes=(axis,)), (x, zero, count, one))
