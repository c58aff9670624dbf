"""Lookup tables of float32, indexed by the low bits of integers.

Vectors look them up in a register. Scalars look them up in memory, by instructions that LLVM
vectorises along with the loop around them.
"""

from relay.kernels.llvm.llvm_types import literal, register_type
from relay.kernels.llvm.math import avx512
from relay.kernels.llvm.math.number_emitter import Number
from relay.support.dtype import DType, Kind
from relay.support.node import Value, value

_ENTRY = DType(Kind.FLOAT, 32)


@value
class Table(Value):
    """A named lookup table with as many numbers as a vector register holds."""

    name: str
    entries: tuple[float, ...]


def looked_up(table: Table, index: Number) -> Number:
    """Emit a lookup in a table by the low bits of integers."""
    ty = register_type(_ENTRY)
    listed = ", ".join(f"{ty} {literal(_ENTRY, entry)}" for entry in table.entries)
    if index.dtype.lanes > 1:
        return avx512.looked_up(listed, index)
    name, w = f"relay.table.{table.name}", index.ctx.w
    kind = f"[{len(table.entries)} x {ty}]"
    text = f"@{name} = private unnamed_addr constant {kind} [{listed}], align 64"
    index.ctx.module.helper(name, lambda: text)
    place = (index & (len(table.entries) - 1)).operand
    pointer = w.op("ptr", f"getelementptr inbounds {ty}, ptr @{name}, {place}")
    return Number(index.ctx, w.op(ty, f"load {ty}, {pointer}, align 4"), _ENTRY)
