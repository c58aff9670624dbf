"""Long sums are added up in blocks, so that rounding errors stay small.

One accumulator that takes n numbers of a size has lost most of their digits once it is n times as
large: in float32 nothing changes any more after 2**24 ones. A loop that adds more than `LONGEST`
terms to one number is cut into blocks of so many; the sum of each is computed by itself and then
added to the total. The error of a sum of n terms is at most (LONGEST + n / LONGEST) · u · Σ|x|,
where u is the unit roundoff of its type, instead of n · u · Σ|x|.
"""

from collections.abc import Mapping, Sequence

from relay.kernels.loops import Mode
from relay.kernels.schedule.iteration import Family
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Combiner, Reduce

LONGEST = 8192
"""Terms that one accumulator takes: more than those of a convolution, few enough for float32."""


def blocks_of(stage: Stage, family: Family) -> Mapping[Axis, int]:
    """Return the loops of a stage that are cut into blocks, and the iterations of one block.

    A loop that runs as often as a call says may be long, so it is cut, too.
    """
    body = stage.body
    if not isinstance(body, Reduce) or body.combiner is not Combiner.SUM or not body.dtype.is_float:
        return {}
    reducing = {loop for axis in body.axes for loop in family.loops(axis)}
    serial = [loop for loop in stage.loops if loop in reducing]
    return dict(_cut(stage, serial))


def _cut(stage: Stage, loops: Sequence[Axis]) -> list[tuple[Axis, int]]:
    """Return the loops to cut, from the innermost one outwards: `terms` go to one accumulator."""
    terms = 1
    found: list[tuple[Axis, int]] = []
    for loop in reversed(loops):
        extent, size = loop.extent, max(1, LONGEST // terms)
        is_serial = stage.modes.get(loop, Mode.SERIAL) is Mode.SERIAL
        if isinstance(extent, int) and (extent <= size or not is_serial):
            terms *= extent
        elif is_serial:
            found.append((loop, size))
            terms = -(-extent // size) if isinstance(extent, int) else 1
    return found


def kept_inside(stage: Stage, family: Family, loop: Axis) -> list[Axis]:
    """Return the loops inside of another one that run over elements of the result."""
    reducing = {each for axis in stage.reduce_axes for each in family.loops(axis)}
    inside = stage.loops[stage.loops.index(loop) + 1 :]
    return [each for each in inside if each not in reducing]
