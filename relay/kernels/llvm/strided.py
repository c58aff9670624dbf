"""Loads of every second, third or fourth element: whole vectors, and shuffles that pick.

A gather takes about as long as loading each lane by itself. The vectors overlap so that nothing
before the first or behind the last element is read.
"""

from relay.kernels.llvm.context import Context
from relay.kernels.llvm.types import element, memory_type
from relay.kernels.llvm.writer import Operand
from relay.support.dtype import DType


def load_strided(ctx: Context, pointer: Operand, step: int, dtype: DType) -> Operand:
    """Return the elements `pointer[0], pointer[step], …` as they lie in memory; `step` is not 0."""
    lanes, span = dtype.lanes, abs(step) * (dtype.lanes - 1) + 1
    low = min(0, step * (lanes - 1))
    wanted = [step * lane - low for lane in range(lanes)]
    starts = [min(start, span - lanes) for start in range(0, span, lanes)]
    picked: Operand | None = None
    for number, start in enumerate(starts):
        loaded = _load_at(ctx, pointer, low + start, dtype)
        end = starts[number + 1] if number + 1 < len(starts) else span
        sources = [
            lanes + at - start if start <= at < end else lane for lane, at in enumerate(wanted)
        ]
        picked = _shuffle(ctx, picked, loaded, sources)
    assert picked is not None, "a vector has lanes"
    return picked


def _load_at(ctx: Context, pointer: Operand, offset: int, dtype: DType) -> Operand:
    ty, each = memory_type(dtype), memory_type(element(dtype))
    first = ctx.w.op("ptr", f"getelementptr inbounds {each}, {pointer}, i64 {offset}")
    return ctx.w.op(ty, f"load {ty}, {first}, align {element(dtype).itemsize}")


def _shuffle(ctx: Context, old: Operand | None, new: Operand, sources: list[int]) -> Operand:
    """Return lanes of `old` (numbered from 0) and of `new` (numbered behind them)."""
    before = old.text if old is not None else "poison"
    listed = ", ".join(f"i32 {source}" for source in sources)
    operands = f"{new.ty} {before}, {new}, <{len(sources)} x i32> <{listed}>"
    return ctx.w.op(new.ty, f"shufflevector {operands}")
