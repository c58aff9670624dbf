"""LLVM text of loads with a stride of 2 to 4, as contiguous vector loads and shuffles.

A gather is slower than loading each lane on its own. The vectors overlap so that no element before
the first or after the last one is read.
"""

from relay.kernels.llvm.emitter_context import Context
from relay.kernels.llvm.llvm_types import element, memory_type
from relay.kernels.llvm.llvm_writer import Operand
from relay.kernels.llvm.vector_loads_and_stores import load_vector
from relay.support.dtype import DType


def load_strided(
    ctx: Context, pointer: Operand, step: int, mask: Operand | None, dtype: DType, alignment: int
) -> Operand:
    """Emit a load of `pointer[0], pointer[step], …` in memory representation; `step` is not 0.

    Masked-off lanes are not read, and are 0.
    """
    lanes, span = dtype.lanes, abs(step) * (dtype.lanes - 1) + 1
    low = min(0, step * (lanes - 1))
    wanted = [step * lane - low for lane in range(lanes)]
    starts = [min(start, span - lanes) for start in range(0, span, lanes)]
    picked: Operand | None = None
    for number, start in enumerate(starts):
        live = None if mask is None else _spread(ctx, mask, wanted, start)
        loaded = _load_at(ctx, pointer, low + start, live, dtype, alignment)
        end = starts[number + 1] if number + 1 < len(starts) else span
        sources = [
            lanes + at - start if start <= at < end else lane for lane, at in enumerate(wanted)
        ]
        picked = _shuffle(ctx, picked, loaded, sources)
    assert picked is not None, "a vector has lanes"
    return picked


def _spread(ctx: Context, mask: Operand, wanted: list[int], start: int) -> Operand:
    """Emit the mask of a contiguous load at `start`, from the mask of the strided elements."""
    lanes = len(wanted)
    lane_of = {at: lane for lane, at in enumerate(wanted)}
    sources = [lane_of.get(start + k, lanes) for k in range(lanes)]
    listed = ", ".join(f"i32 {source}" for source in sources)
    operands = f"{mask}, {mask.ty} zeroinitializer, <{lanes} x i32> <{listed}>"
    return ctx.w.op(mask.ty, f"shufflevector {operands}")


def _load_at(
    ctx: Context, pointer: Operand, offset: int, mask: Operand | None, dtype: DType, alignment: int
) -> Operand:
    each = memory_type(element(dtype))
    inside = "inbounds " if mask is None else ""
    first = ctx.w.op("ptr", f"getelementptr {inside}{each}, {pointer}, i64 {offset}")
    return load_vector(ctx, first, mask, dtype, alignment)


def _shuffle(ctx: Context, old: Operand | None, new: Operand, sources: list[int]) -> Operand:
    """Emit a selection of lanes of `old` (numbered from 0) and of `new` (numbered after them)."""
    before = old.text if old is not None else "poison"
    listed = ", ".join(f"i32 {source}" for source in sources)
    operands = f"{new.ty} {before}, {new}, <{len(sources)} x i32> <{listed}>"
    return ctx.w.op(new.ty, f"shufflevector {operands}")
