"""Register buffers: buffers in stack slots that LLVM turns into machine registers.

Every access has constant indices after unrolling, so each element has a slot of its own. Elements
that are always accessed together, as one vector along the last dimension, share a slot of vector
type; `relay.kernels.llvm.buffer_placement` chooses the number of elements in a slot.
"""

import math
from collections.abc import Sequence

from relay.kernels.llvm.emitter_context import Context, Lanes, Registers, known_size, zero
from relay.kernels.llvm.llvm_types import register_type
from relay.kernels.llvm.llvm_writer import Operand, lane_type
from relay.kernels.loops import Buffer
from relay.support.dtype import DType
from relay.support.node import replace


def allocate(ctx: Context, buffer: Buffer, tile: int) -> Registers:
    """Emit stack slots for a buffer of constant shape, each for `tile` elements."""
    shape = tuple(known_size(size) for size in buffer.shape)
    place = Registers((), shape, tile, buffer.dtype)
    count = math.prod(shape) // tile
    return replace(place, slots=tuple(ctx.w.slot(place.ty) for _ in range(count)))


def load(
    ctx: Context, place: Registers, where: Sequence[Lanes], mask: Operand | None, dtype: DType
) -> Operand:
    """Emit a load of the elements of `dtype` at a constant index; masked-off lanes are 0."""
    loaded = _read(ctx, place, _positions(place, where, dtype), dtype)
    return loaded if mask is None else ctx.w.select(mask, loaded, zero(dtype))


def store(
    ctx: Context, place: Registers, where: Sequence[Lanes], mask: Operand | None,
    operand: Operand, dtype: DType,
) -> None:  # fmt: skip
    """Emit a store of the live lanes of elements of `dtype` at a constant index."""
    positions = _positions(place, where, dtype)
    if mask is not None:
        operand = ctx.w.select(mask, operand, _read(ctx, place, positions, dtype))
    slot = _whole_slot(place, positions)
    if slot is not None:
        ctx.w.do(f"store {operand}, {slot}")
        return
    for lane, position in enumerate(positions):
        one = operand
        if len(positions) > 1:
            one = ctx.w.op(lane_type(operand.ty), f"extractelement {operand}, i64 {lane}")
        _write_one(ctx, place, position, one)


def _positions(place: Registers, where: Sequence[Lanes], dtype: DType) -> list[int]:
    """Return the element numbers, in row-major order, of the lanes of an access."""
    base, step = 0, 0
    for one, size in zip(where, place.shape, strict=True):
        assert one.first.known is not None, "the index of a register is not a constant"
        assert one.step is not None, "the index of a register is irregular"
        base, step = base * size + one.first.known, step * size + one.step
    return [base + step * lane for lane in range(dtype.lanes // place.dtype.lanes)]


def _whole_slot(place: Registers, positions: Sequence[int]) -> Operand | None:
    """Return the stack slot that holds exactly the elements at row-major `positions`, or None."""
    first = positions[0]
    consecutive = all(p == first + i for i, p in enumerate(positions))
    inside = positions[-1] < place.tile * len(place.slots)
    if inside and consecutive and len(positions) == place.tile and first % place.tile == 0:
        return place.slots[first // place.tile]
    return None


def _read(ctx: Context, place: Registers, positions: Sequence[int], dtype: DType) -> Operand:
    slot = _whole_slot(place, positions)
    if slot is not None:
        return ctx.w.op(place.ty, f"load {place.ty}, {slot}")
    if _is_column(place, positions):
        return _column(ctx, place, positions[0], place.tile)
    elements = [_read_one(ctx, place, position) for position in positions]
    if len(elements) == 1:
        return elements[0]
    ty = register_type(dtype)
    built = Operand(ty, "poison")
    for lane, one in enumerate(elements):
        built = ctx.w.op(ty, f"insertelement {built}, {one}, i64 {lane}")
    return built


def _is_column(place: Registers, positions: Sequence[int]) -> bool:
    """Whether the positions are one column of a square block of registers."""
    first, size = positions[0], place.tile
    square = len(positions) == size == len(place.slots) > 1 and size & (size - 1) == 0
    return square and first < size and list(positions) == list(range(first, size * size, size))


def _column(ctx: Context, place: Registers, number: int, halvings: int) -> Operand:
    """Emit a column of a square block, as the last step of the block's transposition.

    A step interleaves the lanes of two rows that are half the block apart: the lower lanes in one
    row, the upper ones in the next. After log2(size) steps the block is transposed. Columns share
    most of these steps, and LLVM eliminates the duplicates.
    """
    if halvings == 1:
        return ctx.w.op(place.ty, f"load {place.ty}, {place.slots[number]}")
    size = place.tile
    near = _column(ctx, place, number // 2, halvings // 2)
    far = _column(ctx, place, number // 2 + size // 2, halvings // 2)
    start = number % 2 * (size // 2)
    lanes = [lane for k in range(start, start + size // 2) for lane in (k, k + size)]
    listed = ", ".join(f"i32 {lane}" for lane in lanes)
    return ctx.w.op(place.ty, f"shufflevector {near}, {far}, <{size} x i32> <{listed}>")


def _read_one(ctx: Context, place: Registers, position: int) -> Operand:
    slot, lane = divmod(position, place.tile)
    if slot >= len(place.slots):  # the vector is wider than the row: this lane is masked off
        return Operand(lane_type(place.ty), "poison")
    whole = ctx.w.op(place.ty, f"load {place.ty}, {place.slots[slot]}")
    if place.tile == 1:
        return whole
    return ctx.w.op(lane_type(place.ty), f"extractelement {whole}, i64 {lane}")


def _write_one(ctx: Context, place: Registers, position: int, operand: Operand) -> None:
    slot, lane = divmod(position, place.tile)
    if place.tile > 1:
        whole = ctx.w.op(place.ty, f"load {place.ty}, {place.slots[slot]}")
        operand = ctx.w.op(place.ty, f"insertelement {whole}, {operand}, i64 {lane}")
    ctx.w.do(f"store {operand}, {place.slots[slot]}")
