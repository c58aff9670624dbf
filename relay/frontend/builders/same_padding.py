"""Compute "same" padding: an axis of size n has ceil(n / stride) windows."""

from collections.abc import Callable, Mapping, Sequence

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.tensor_helpers import constant
from relay.ir.dims import ANY, Dim, add, floor_divide, maximum, multiply
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import FloorDivide, Maximum, subtract
from relay.ops.binary import add as plus
from relay.ops.binary import multiply as times
from relay.ops.nn.dynamic_pad import DynamicPad
from relay.ops.nn.pad import Pad
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.reshape import Reshape
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode

UNKNOWN_SIZES = (
    "the height and width of the images must be known at compile time",
    "specify the sizes of the images: relay.load(path, shapes={…})",
)
"""The problem of images of dynamic sizes, and what to do."""


def padding_for_strides(size: Dim, reach: int, stride: int) -> tuple[int, int] | None:
    """Return the "same" padding before and after an axis; the odd element goes after.

    `size` is that of the axis, `reach` that of a window including dilation. The result is None if
    the padding depends on a dynamic size.

    >>> padding_for_strides(7, reach=3, stride=2), padding_for_strides(8, reach=3, stride=2)
    ((1, 1), (0, 1))
    """
    if stride == 1:
        total = reach - 1
    elif isinstance(size, int):
        total = max((-(-size // stride) - 1) * stride + reach - size, 0)
    else:
        return None
    return total // 2, total - total // 2


def pairs_for_strides(
    sizes: Sequence[Dim], kernel: Sequence[int], strides: Sequence[int], dilation: Sequence[int],
    error: Callable[[ErrorCode, str, str], Exception],
) -> list[tuple[int, int]]:  # fmt: skip
    """Return the "same" padding before and after each axis; raises `F032` for dynamic sizes."""
    rows = list(zip(sizes, kernel, strides, dilation, strict=True))
    found = [padding_for_strides(size, (k - 1) * d + 1, stride) for size, k, stride, d in rows]
    known = [pair for pair in found if pair is not None]
    if len(known) < len(found):
        raise error(ErrorCode.F032, *UNKNOWN_SIZES)
    return known


def rest_behind_windows(
    error: Callable[..., Exception], wanted: Dim, size: Dim, kernel: int, stride: int,
    dilation: int, pair: tuple[int, int],
) -> int:  # fmt: skip
    """Return how many elements a result of size `wanted` has after those of the last window.

    It is the result of a transposed convolution of an axis of `size`, whose padding is `pair`.
    """
    extra = wanted - ((size - 1) * stride + (kernel - 1) * dilation + 1 - sum(pair))
    if not isinstance(extra, int):
        raise error(ErrorCode.F032, *UNKNOWN_SIZES)
    if not 0 <= extra < max(stride, 1):
        problem = (
            f"an image axis of size {size} cannot give a result of size {wanted} with these strides"
        )
        raise error(ErrorCode.F026, problem)
    return extra


def padded_for_strides(
    x: Expr, axes: Sequence[int], reaches: Sequence[int], strides: Sequence[int], fill: Expr,
    *, odd_before: bool = False,
) -> Expr:  # fmt: skip
    """Return `x` with the "same" padding of some axes, whose sizes may be dynamic.

    The elements added are `fill`, a scalar; the odd one is the last, or with `odd_before` the
    first.
    """
    shape = x.tensor_type.shape
    rows = list(zip(axes, reaches, strides, strict=True))
    if any(shape[axis] is ANY for axis in axes):
        widths = {axis: padding_at_run_time(size_of(x, axis), *row) for axis, *row in rows}
        return _padded_at_run_time(x, widths, fill, odd_before=odd_before)
    pairs: list[tuple[Dim, Dim]] = [(0, 0)] * len(shape)
    for axis, reach, stride in rows:
        total = _total(shape[axis], reach, stride)
        half = floor_divide(total, 2)
        rest = add(total, multiply(half, -1))
        pairs[axis] = (rest, half) if odd_before else (half, rest)
    return Call(Pad(tuple(pairs)), (x, fill), span=x.span)


def with_window_counts(
    x: Expr, axes: Sequence[int], sizes: Sequence[Dim], strides: Sequence[int]
) -> Expr:
    """Return windows of padded axes; their type has the simplest form of the number of windows."""
    codes: list[Dim] = [0] * x.tensor_type.rank
    for axis, size, stride in zip(axes, sizes, strides, strict=True):
        codes[axis] = 0 if size is ANY else _count(size, stride)
    return Call(Reshape(tuple(codes)), (x,), span=x.span)


def _count(size: Dim, stride: int) -> Dim:
    return floor_divide(add(size, stride - 1), stride)


def _total(size: Dim, reach: int, stride: int) -> Dim:
    """Return the padding of an axis on both sides together."""
    last = multiply(add(_count(size, stride), -1), stride)
    return maximum(add(add(last, reach), multiply(size, -1)), 0)


def padding_at_run_time(size: Expr, reach: int, stride: int) -> tuple[Expr, Expr]:
    """Return half of the "same" padding of an axis, and the rest, as int64 scalars."""
    one, two, step, zero = (constant(each, int64) for each in (1, 2, stride, 0))
    count = Call(FloorDivide(), (subtract(plus(size, step), one), step))
    end = plus(times(subtract(count, one), step), constant(reach, int64))
    total = Call(Maximum(), (subtract(end, size), zero))
    half = Call(FloorDivide(), (total, two))
    return half, subtract(total, half)


def _padded_at_run_time(
    x: Expr, pairs: Mapping[int, tuple[Expr, Expr]], fill: Expr, *, odd_before: bool
) -> Expr:
    none = (constant(0, int64),) * 2
    order = -1 if odd_before else 1
    widths = [pairs.get(axis, none)[::order] for axis in range(x.tensor_type.rank)]
    rows = tuple(Call(Stack(0), (Tuple(each),)) for each in widths)
    return Call(DynamicPad(), (x, fill, Call(Stack(0), (Tuple(rows),))), span=x.span)
