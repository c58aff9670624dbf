"""Recognises indices whose lanes are at constant distances from a common base.

Such are the source positions `i // 2` of an image that is enlarged to twice its size: 0, 0, 1, 1, …
from the first one. The elements are loaded as contiguous vectors whose lanes are permuted.
"""

from collections.abc import Callable

from relay.kernels.llvm.llvm_types import element
from relay.kernels.scalar import Binary, Broadcast, Const, Op, Ramp, Scalar, binary
from relay.support.dtype import int64
from relay.support.node import node

_EVALUATED: dict[Op, Callable[[int, int], int]] = {
    Op.MUL: lambda a, b: a * b,
    Op.FLOORDIV: lambda a, b: a // b,
    Op.FLOORMOD: lambda a, b: a % b,
    Op.MIN: min,
    Op.MAX: max,
}


@node
class LaneOffsets:
    """An index whose lanes are the sums of a scalar `base` and constants."""

    base: Scalar
    offsets: tuple[int, ...]

    def constants(self) -> tuple[int, ...] | None:
        """Return the lanes if all of them are constants, else None."""
        if not isinstance(self.base, Const):
            return None
        start = int(self.base.value)
        return tuple(start + each for each in self.offsets)


def lane_offsets(index: Scalar) -> LaneOffsets | None:
    """Return an index as a base and constants; None if it has no such form.

    It recurses on operands; indices are shallow.
    """
    if element(index.dtype) is not int64 or index.dtype.lanes == 1:
        return None
    match index:
        case Broadcast(operand=operand):
            return LaneOffsets(operand, (0,) * index.lanes)
        case Ramp(base=base, stride=Const(value=int() as stride)):
            return LaneOffsets(base, tuple(stride * lane for lane in range(index.lanes)))
        case Binary(op=op, a=a, b=b):
            one, other = lane_offsets(a), lane_offsets(b)
            return None if one is None or other is None else _combined(op, one, other)
        case _:
            return None


def _combined(op: Op, a: LaneOffsets, b: LaneOffsets) -> LaneOffsets | None:
    if op in (Op.ADD, Op.SUB):
        sign = 1 if op is Op.ADD else -1
        pairs = zip(a.offsets, b.offsets, strict=True)
        return LaneOffsets(binary(op, a.base, b.base), tuple(x + sign * y for x, y in pairs))
    evaluate, lanes, others = _EVALUATED.get(op), a.constants(), b.constants()
    if evaluate is None or lanes is None or others is None:
        return None
    if op in (Op.FLOORDIV, Op.FLOORMOD) and 0 in others:
        return None
    found = (evaluate(x, y) for x, y in zip(lanes, others, strict=True))
    return LaneOffsets(Const(0), tuple(found))
