"""Build shapes, bounds and axes that are computed at run time, as integer tensors."""

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import combinations

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.onnx.node import OnnxNode
from relay.ir.dims import is_static
from relay.ir.expr import Call, Constant, Expr, If, Tuple
from relay.ops.binary import FloorDivide, FloorMod, add, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import equal
from relay.ops.creation import OnesLike
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.gather import Take
from relay.ops.tensor.one_hot_and_shape_of import ShapeOf
from relay.ops.tensor.scan import Cumsum
from relay.ops.tensor.scatter import ScatterElements
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode


def numbers(node: OnnxNode, index: int, count: int | None = None) -> Expr:
    """Return an input as a vector of int64; `count` is its length if that is known.

    Raises `F044` if the length determines the rank of the result but is unknown.
    """
    found = as_int64(node.expr(index))
    if found.tensor_type.rank > 1:
        return found  # its consumer reports the error
    if count is None and not found.tensor_type.rank:
        count = 1
    if count is None:
        (size,) = found.tensor_type.shape
        if isinstance(size, int):
            return found
        raise node.error(
            ErrorCode.F044,
            f"the rank of the result depends on the length of input number {index}, which is "
            "unknown",
            help=(
                "specify the shape of that input, shapes={…}, or declare the shape of the "
                "output in the model"
            ),
        )
    return found if found.tensor_type.shape == (count,) else reshape(found, (count,))


def length(vector: Expr) -> int:
    """Return the static length of a vector that `numbers` returned."""
    return vector.tensor_type.static_shape[0]


def as_int64(x: Expr) -> Expr:
    """Return integers converted to int64."""
    if isinstance(x, Constant):
        return Constant(x.array.astype(np.int64), span=x.span)
    return x if x.tensor_type.dtype is int64 else Call(Cast(int64), (x,))


def scalar(x: Expr) -> Expr:
    """Return a one-element tensor as a scalar."""
    return x if not x.tensor_type.rank else reshape(x, ())


def sizes_of(x: Expr) -> Expr:
    """Return the shape of a tensor as a vector of int64."""
    shape = x.tensor_type.shape
    if is_static(shape):
        return Constant(np.array(shape, np.int64))
    return Call(ShapeOf(int64), (x,))


def part(vector: Expr, first: int, last: int) -> Expr:
    """Return the elements of a vector from index `first` to `last`, exclusive."""
    if isinstance(vector, Constant):
        return Constant(vector.array[first:last])
    return Call(StridedSlice((first,), (last,)), (vector,))


def joined(*vectors: Expr) -> Expr:
    """Return the concatenation of vectors, omitting empty ones."""
    some = [each for each in vectors if each.tensor_type.shape != (0,)]
    return some[0] if len(some) == 1 else Call(Concatenate(0), (Tuple(tuple(some)),))


def counting(vector: Expr) -> Expr:
    """Return the indices `0, 1, …` of a vector of any length."""
    ones = Call(OnesLike(), (vector,))
    return subtract(Call(Cumsum(axis=0), (ones,)), constant(1, int64))


def ceiling_divided(a: Expr, b: Expr) -> Expr:
    """Return `a / b` rounded up; both are int64 and nonnegative."""
    return Call(FloorDivide(), (subtract(add(a, b), constant(1, int64)), b))


def placed(values: Expr, axes: Expr, around: Expr) -> Expr:
    """Return the vector `around` with `values` written at the indices `axes` (maybe negative)."""
    rank = constant(length(around), int64)
    places = Call(FloorMod(), (as_int64(axes), rank))
    return Call(ScatterElements(0), (around, places, values))


def over_axes(
    node: OnnxNode,
    index: int,
    rank: int,
    make: Callable[[tuple[int, ...]], Expr],
    *,
    keeps_rank: bool = False,
) -> Expr:
    """Return `make(axes)` for axes known at run time, selected among all subsets of axes.

    Axes may be negative and unordered; raises `F044` if their number is unknown, unless results
    have the same rank for any number of axes (`keeps_rank`).
    """
    (count,) = node.type(index).shape or (1,)
    is_open = keeps_rank and not isinstance(count, int)
    axes = as_int64(node.expr(index)) if is_open else numbers(node, index)
    powers = Constant(2 ** np.arange(rank))
    places = Call(FloorMod(), (axes, constant(max(rank, 1), int64)))
    chosen = Call(Sum(), (Call(Take(axis=0), (powers, places)),))
    counts = range(rank + 1) if is_open else (length(axes),)
    *choices, last = (each for count in counts for each in combinations(range(rank), count))
    return reduce(
        lambda rest, each: If(equal(chosen, _mask(each)), make(each), rest, span=node.span),
        choices,
        make(last),
    )


def _mask(axes: Sequence[int]) -> Constant:
    return constant(sum(1 << axis for axis in axes), int64)
