"""Sampling of images between elements: the neighbours of positions, and their weights."""

from collections.abc import Sequence
from functools import reduce

from relay.ir.expr import Call, Expr
from relay.ir.types import TensorType
from relay.ops.binary import FloorMod, Maximum, Minimum, add, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import GreaterEqual, LessEqual
from relay.ops.creation import number
from relay.ops.elementwise import Floor, Rint
from relay.ops.logical import LogicalAnd
from relay.ops.selection import where
from relay.ops.tensor.gather import Take
from relay.ops.tensor.position_tensors import length
from relay.ops.tensor.reshape import ExpandDims
from relay.support.dtype import int64
from relay.support.node import node

CUBIC = -0.75  # Keys' parameter, as in other frameworks


@node
class Neighbour:
    """A neighbour along one or several axes: its position, its weight, and whether it exists.

    Positions are clamped to the axis; a weight of None means 1.
    """

    place: Expr
    weight: Expr | None
    exists: Expr


def size_of(image: Expr, axis: int, like: Expr) -> Expr:
    """Return the size of an axis of `image`, as a number of the element type of `like`."""
    size = image.tensor_type.shape[axis]
    if isinstance(size, int):
        return number(size, like)
    return Call(Cast(like.tensor_type.dtype), (length(image, axis),))


def last_of(size: Expr) -> Expr:
    """Return the last position along an axis that has this size."""
    return subtract(size, number(1, size))


def clamped(x: Expr, size: Expr) -> Expr:
    """Return positions moved to the nearest one inside an axis of this size."""
    return Call(Minimum(), (Call(Maximum(), (x, number(0, x))), last_of(size)))


def reflected(x: Expr, size: Expr, *, at_centres: bool) -> Expr:
    """Return positions reflected into an axis, at the centres or the edges of its end elements."""
    low = number(0.0 if at_centres else -0.5, x)
    span = last_of(size) if at_centres else size
    twice = multiply(number(2, x), Call(Maximum(), (span, number(0.5, x))))  # of size 1: any
    turns = Call(FloorMod(), (subtract(x, low), twice))
    back = Call(Minimum(), (turns, subtract(twice, turns)))
    return clamped(add(back, low), size)


def neighbour_at(x: Expr, weight: Expr | None, size: Expr) -> Neighbour:
    """Return the element at the integral position `x` of an axis, as a neighbour with a weight."""
    inside = (
        Call(GreaterEqual(), (x, number(0, x))),
        Call(LessEqual(), (x, last_of(size))),
    )
    place = Call(Cast(int64), (clamped(x, size),))
    return Neighbour(place, weight, Call(LogicalAnd(), inside))


def nearest(x: Expr, size: Expr) -> list[Neighbour]:
    """Return the nearest neighbour of a position; halves round to even."""
    return [neighbour_at(Call(Rint(), (x,)), None, size)]


def linear(x: Expr, size: Expr) -> list[Neighbour]:
    """Return the two neighbours of a position, with weights for linear interpolation."""
    below = Call(Floor(), (x,))
    above = subtract(x, below)
    one = number(1, x)
    return [
        neighbour_at(below, subtract(one, above), size),
        neighbour_at(add(below, one), above, size),
    ]


def cubic_weights(t: Expr) -> list[Expr]:
    """Return the weights of four neighbours by Keys' cubic convolution.

    `t` is the distance from the second neighbour to the position between it and the third.
    """
    a, one = CUBIC, number(1, t)
    rest = subtract(one, t)
    far, near = [8 * a, -5 * a, a], [0.0, -(a + 3), a + 2]
    return [
        _polynomial(add(t, one), -4 * a, far),
        _polynomial(t, 1.0, near),
        _polynomial(rest, 1.0, near),
        _polynomial(add(rest, one), -4 * a, far),
    ]


def _polynomial(x: Expr, constant: float, more: Sequence[float]) -> Expr:
    total = number(more[-1], x)
    for coefficient in reversed([constant, *more[:-1]]):
        total = add(multiply(total, x), number(coefficient, x))
    return total


def combined(axes: Sequence[Sequence[Neighbour]], sizes: Sequence[Expr]) -> list[Neighbour]:
    """Return all combinations of neighbours along several axes; their positions are row-major."""
    found = list(axes[0])
    for along, size in zip(axes[1:], sizes[1:], strict=True):
        count = Call(Cast(int64), (size,))
        found = [
            Neighbour(
                add(multiply(one.place, count), other.place),
                _product(one.weight, other.weight),
                Call(LogicalAnd(), (one.exists, other.exists)),
            )
            for one in found
            for other in along
        ]
    return found


def _product(one: Expr | None, other: Expr | None) -> Expr | None:
    if one is None or other is None:
        return other if one is None else one
    return multiply(one, other)


def weighted_sum(
    rows: Expr, neighbours: Sequence[Neighbour], take: Take, fill: Expr | None = None
) -> Expr:
    """Return the sum of pixels at the positions `neighbours`, multiplied by their weights.

    `rows` has one row for each pixel, with all channels; the operator `take` reads a row by its
    position. `fill` replaces neighbours that do not exist. The last axis of the result has the
    channels.
    """
    terms: list[Expr] = []
    for each in neighbours:
        value: Expr = Call(take, (rows, each.place))
        if fill is not None:
            value = where(Call(ExpandDims(-1), (each.exists,)), value, fill)
        if each.weight is not None:
            value = multiply(value, Call(ExpandDims(-1), (each.weight,)))
        terms.append(value)
    return reduce(add, terms)


def channels_last(ty: TensorType) -> tuple[int, ...]:
    """Return the permutation of `(N, C, …)` that moves the channels last."""
    return (0, *range(2, ty.rank), 1)
