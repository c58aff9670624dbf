"""LLVM text of loads of elements at constant distances, as contiguous vector loads and shuffles.

A gather is slower than loading each lane on its own. The vectors overlap so that no element before
the first or after the last one is read.
"""

from collections.abc import Sequence

from relay.kernels.llvm.emitter_context import Context
from relay.kernels.llvm.llvm_types import element, memory_type, with_lanes
from relay.kernels.llvm.llvm_writer import Operand, lanes_of
from relay.kernels.llvm.vector_loads_and_stores import load_vector
from relay.support.dtype import DType


def load_permuted(
    ctx: Context, pointer: Operand, offsets: Sequence[int], mask: Operand | None, dtype: DType,
    alignment: int,
) -> Operand:  # fmt: skip
    """Emit a load of `pointer[offset]` for each lane's offset, in memory representation.

    Masked-off lanes are not read, and are 0.
    """
    lanes, low = dtype.lanes, min(offsets)
    wanted = [offset - low for offset in offsets]
    span = max(wanted) + 1
    width = lanes if span >= lanes else 1 << (span.bit_length() - 1)
    starts = [min(start, span - width) for start in range(0, span, width)]
    picked: Operand | None = None
    for number, start in enumerate(starts):
        live = None if mask is None else _spread(ctx, mask, wanted, range(start, start + width))
        loaded = _load_at(ctx, pointer, low + start, live, with_lanes(dtype, width), alignment)
        end = starts[number + 1] if number + 1 < len(starts) else span
        sources = [
            lanes + at - start if start <= at < end else lane for lane, at in enumerate(wanted)
        ]
        picked = _shuffle(ctx, picked, _widened(ctx, loaded, lanes), sources)
    assert picked is not None, "a vector has lanes"
    if mask is None or most_readers(offsets) == 1:
        return picked
    return ctx.w.select(mask, picked, Operand(picked.ty, "zeroinitializer"))


def most_readers(offsets: Sequence[int]) -> int:
    """Return the largest number of lanes that read the same element."""
    return max(map(offsets.count, set(offsets)))


def _spread(ctx: Context, mask: Operand, wanted: Sequence[int], places: range) -> Operand:
    """Emit the mask of a contiguous load of `places`: those that any live lane reads."""
    lanes = len(wanted)
    readers = [[lane for lane, at in enumerate(wanted) if at == place] for place in places]
    total: Operand | None = None
    for turn in range(max(1, *map(len, readers))):
        sources = [each[turn] if turn < len(each) else lanes for each in readers]
        listed = ", ".join(f"i32 {source}" for source in sources)
        operands = f"{mask}, {mask.ty} zeroinitializer, <{len(sources)} x i32> <{listed}>"
        one = ctx.w.op(f"<{len(sources)} x i1>", f"shufflevector {operands}")
        total = one if total is None else ctx.w.op(one.ty, f"or {total}, {one.text}")
    assert total is not None, "a mask has at least one part"
    return total


def _load_at(
    ctx: Context, pointer: Operand, offset: int, mask: Operand | None, dtype: DType, alignment: int
) -> Operand:
    each = memory_type(element(dtype))
    inside = "inbounds " if mask is None else ""
    first = ctx.w.op("ptr", f"getelementptr {inside}{each}, {pointer}, i64 {offset}")
    return load_vector(ctx, first, mask, dtype, alignment)


def _widened(ctx: Context, loaded: Operand, lanes: int) -> Operand:
    """Emit a vector with more lanes, of which the new ones are undefined."""
    if not loaded.ty.startswith("<"):
        ty = f"<{lanes} x {loaded.ty}>"
        return ctx.w.op(ty, f"insertelement {ty} poison, {loaded}, i64 0")
    count = lanes_of(loaded.ty)
    if count == lanes:
        return loaded
    listed = ", ".join(f"i32 {k if k < count else 'poison'}" for k in range(lanes))
    ty = f"<{lanes} x {loaded.ty.split(' x ', 1)[1]}"
    operands = f"{loaded}, {loaded.ty} poison, <{lanes} x i32> <{listed}>"
    return ctx.w.op(ty, f"shufflevector {operands}")


def _shuffle(ctx: Context, old: Operand | None, new: Operand, sources: list[int]) -> Operand:
    """Emit a selection of lanes of `old` (numbered from 0) and of `new` (numbered after them)."""
    before = old.text if old is not None else "poison"
    listed = ", ".join(f"i32 {source}" for source in sources)
    operands = f"{new.ty} {before}, {new}, <{len(sources)} x i32> <{listed}>"
    return ctx.w.op(new.ty, f"shufflevector {operands}")
