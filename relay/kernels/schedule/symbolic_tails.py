"""The cases of the last, smaller tile of a loop whose extent is symbolic.

With known sizes, a smaller tile has one size. Otherwise its iterations are counted at run time. A
loop that is unrolled, or split into unrolled vectors, gets a case for every number of copies, and
so does a loop with a separate tail (`Stage.separate_tail`). In all other loops, the count is the
number of iterations, or of live lanes.
"""

from collections.abc import Iterator

from relay.kernels.loops import Mode
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.scalar import Const, Scalar, Var, equal, lift
from relay.kernels.schedule.iteration_state import AxisRelations
from relay.kernels.schedule.stage import Split, Stage
from relay.kernels.te.tensor import Axis, Dim
from relay.support.dtype import bool_
from relay.support.node import node


@node
class Tail:
    """A tile of `extent` iterations, used if `test` holds and no earlier case applies.

    `count` is a variable in the extent, from 1 to `most`, and the value bound to it.
    """

    test: Scalar
    extent: Dim
    count: tuple[Var, Scalar] | None = None
    most: int = 0


def tails(
    stage: Stage, relations: AxisRelations, loop: Axis, left: Scalar, factor: int
) -> list[Tail]:
    """Return the cases of a loop that runs `left` times, which is from 1 to `factor - 1`."""
    if _is_copied(stage, loop):
        return [Tail(equal(left, number), number) for number in range(1, factor)]
    split = relations.became.get(loop)
    if isinstance(split, Split) and _is_copied(stage, split.outer):
        return list(_by_vectors(split.factor, left, factor))
    return [Tail(Const(True, bool_), *_counted(left), factor)]


def _is_copied(stage: Stage, loop: Axis) -> bool:
    return stage.modes.get(loop) is Mode.UNROLL or loop in stage.separate_tails


def _by_vectors(lanes: int, left: Scalar, factor: int) -> Iterator[Tail]:
    """Yield a case for each number of vectors, of which the last may be partial."""
    for full in range(-(-factor // lanes)):
        extent, count = _counted(left - full * lanes)
        yield Tail(left <= (full + 1) * lanes, full * lanes + extent, count, lanes)


def _counted(left: Scalar) -> tuple[Scalar, tuple[Var, Scalar]]:
    var = Var("left")
    return var, (var, left)


def whole_tiles(simplify: Simplifier, extent: Dim, factor: int) -> int | None:
    """Return the number of tiles before the last one, which may be partial; None if it varies."""
    if isinstance(extent, int):
        return (extent - 1) // factor
    arithmetic = simplify.arithmetic
    low, high = arithmetic.interval(arithmetic.affine(lift(extent)))
    if low < 1:
        return None
    least, most = (low - 1) // factor, (high - 1) // factor
    return least if least == most else None
