"""Which code computes an elementary function for which dtype."""

from collections.abc import Sequence

from relay.kernels.llvm.context import Context
from relay.kernels.llvm.writer import Operand
from relay.kernels.scalar import Fn
from relay.support.dtype import DType


def elementary(ctx: Context, fn: Fn, args: Sequence[Operand], dtype: DType) -> Operand:
    """Return `fn(args…)` for float32 or float64 operands."""
    name = f"{fn.value}{'f' if dtype.bits == 32 else ''}"
    return ctx.w.call(args[0].ty, name, args)
