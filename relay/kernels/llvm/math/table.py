"""Tables of float32, indexed by the low bits of integers.

Vectors find them in a register. One number at a time finds them in memory, by instructions of which
LLVM makes vectors where it vectorises a loop.
"""

from relay.kernels.llvm.math import avx512
from relay.kernels.llvm.math.number import Number
from relay.kernels.llvm.types import literal, register_type
from relay.support.dtype import DType, Kind
from relay.support.node import Value, value

_ENTRY = DType(Kind.FLOAT, 32)


@value
class Table(Value):
    """Numbers, as many as a register holds, and what the table is called."""

    name: str
    entries: tuple[float, ...]


def looked_up(table: Table, index: Number) -> Number:
    """Return the entries that the low bits of integers say."""
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
