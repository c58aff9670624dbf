"""Operands of a matrix product that lie the wrong way are copied into panels as wide as vectors."""

from relay.kernels import te
from relay.kernels.scalar import Scalar, rewrite, select
from relay.kernels.te.tensor import Computed, Read
from relay.support.node import replace
from relay.targets.cpu.schedules.access import Walk, reads, walks
from relay.targets.cpu.schedules.formulas import product

_ROWS = 8  # with fewer, each of which reads the whole operand, a copy costs more than it saves


def packed(sums: Computed, lanes: int) -> tuple[Computed, Computed | None]:
    """Return a sum of products that reads a packed copy of one operand, and that copy.

    It is copied if along the last axis of the result neither operand is contiguous, and one of them
    does not move.
    """
    lane = sums.axes[-1]
    operands = reads(sums.body)
    found = walks(sums.body, sums.axes)
    strides = [one.stride(lane) for one in found]
    if len(operands) != 2 or strides.count(0) != 1 or 1 in strides:
        return sums, None
    wanted = strides.index(0) ^ 1
    read = operands[wanted]
    if _rows(sums, found[wanted], found[wanted ^ 1]) < _ROWS:
        return sums, None
    places = [k for k, index in enumerate(read.indices) if index is lane]
    if len(places) != 1:
        return sums, None
    return _packed(sums, read, places[0], lanes)


def _rows(sums: Computed, panels: Walk, other: Walk) -> int:
    """Return how often each element of an operand is used."""
    used = [axis for axis in sums.axes if other.moves(axis) and not panels.moves(axis)]
    return product(axis.extent for axis in used)


def _packed(sums: Computed, read: Read, place: int, lanes: int) -> tuple[Computed, Computed]:
    tensor, size = read.tensor, product([read.tensor.shape[place]])
    shape = (*tensor.shape[:place], -(-size // lanes), *tensor.shape[place + 1 :], lanes)

    def element(*i: Scalar) -> Scalar:
        number = i[place] * lanes + i[-1]
        value = tensor[(*i[:place], number, *i[place + 1 : -1])]
        return value if size % lanes == 0 else select(number < size, value, 0)

    copy = te.compute(shape, element, name=f"{tensor.name}_packed")

    def change(part: Scalar) -> Scalar:
        if part is read:
            number = read.indices[place]
            before, after = read.indices[:place], read.indices[place + 1 :]
            return copy[(*before, number // lanes, *after, number % lanes)]
        return part

    return replace(sums, body=rewrite(sums.body, change, {})), copy
