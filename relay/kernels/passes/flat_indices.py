"""Converts multi-dimensional indices to one index into a dense buffer."""

from relay.kernels.loops import Buffer
from relay.kernels.passes.affine_arithmetic import Affine, Arithmetic
from relay.kernels.scalar import Binary, Broadcast, Op, Ramp, Scalar
from relay.support.dtype import int64
from relay.support.node import node

_NOTHING = Affine({}, 0)


@node
class FlatPlace:
    """The flat indices of an access: the first lane's index, and the stride to each next lane.

    The stride is a number, or an expression of sizes.
    """

    first: Affine
    stride: Affine
    lanes: int

    @property
    def step(self) -> int | None:
        """Return the stride if it is a constant, else None."""
        return self.stride.const if self.stride.is_constant else None


def flat_place(
    buffer: Buffer, indices: tuple[Scalar, ...], arithmetic: Arithmetic
) -> FlatPlace | None:
    """Return the flat index of an access; None if its lanes have no constant stride.

    It is also None if the rows of the buffer are not contiguous.
    """
    if buffer.indirect_rows:
        return None
    total = FlatPlace(_NOTHING, _NOTHING, 1)
    for size, index in zip(buffer.shape, indices, strict=True):
        found = _lanes(index, arithmetic)
        if found is None:
            return None
        first, stride = (_times(part, size, arithmetic) for part in (total.first, total.stride))
        lanes = max(total.lanes, found.lanes)
        total = FlatPlace(first.plus(found.first), stride.plus(found.stride), lanes)
    return total


def _lanes(index: Scalar, arithmetic: Arithmetic) -> FlatPlace | None:
    """Return the lanes of one index as a first value and a stride; None if irregular.

    It recurses on the depth of a small expression.
    """
    match index:
        case Ramp(base=base, stride=stride, lanes=lanes):
            return FlatPlace(arithmetic.affine(base), arithmetic.affine(stride), lanes)
        case Broadcast(operand=operand, lanes=lanes) if operand.dtype is int64:
            return FlatPlace(arithmetic.affine(operand), _NOTHING, lanes)
        case Binary(op=Op.ADD | Op.MUL as op, a=a, b=b) if index.dtype is not int64:
            left, right = _lanes(a, arithmetic), _lanes(b, arithmetic)
            if left is None or right is None:
                return None
            return _sum(left, right) if op is Op.ADD else _product(left, right, arithmetic)
        case _ if index.dtype is int64:
            return FlatPlace(arithmetic.affine(index), _NOTHING, 1)
        case _:
            return None


def _sum(a: FlatPlace, b: FlatPlace) -> FlatPlace:
    return FlatPlace(a.first.plus(b.first), a.stride.plus(b.stride), a.lanes)


def _product(a: FlatPlace, b: FlatPlace, arithmetic: Arithmetic) -> FlatPlace | None:
    """Return the product of two indices, one of which is a size; None if neither is."""
    for size, lanes in ((a, b), (b, a)):
        if size.step == 0 and arithmetic.is_size(size.first):
            first, stride = (arithmetic.product(x, size.first) for x in (lanes.first, lanes.stride))
            return FlatPlace(first, stride, lanes.lanes)
    return None


def _times(total: Affine, size: int | Scalar, arithmetic: Arithmetic) -> Affine:
    if isinstance(size, int):
        return total.times(size)
    return arithmetic.product(total, arithmetic.affine(size))
