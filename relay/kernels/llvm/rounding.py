"""LLVM text of rounding to the nearest integer, with halves to even."""

from relay.kernels.llvm.emitter_context import Context, constant
from relay.kernels.llvm.llvm_writer import Operand
from relay.support.dtype import DType


def round_even(ctx: Context, x: Operand, dtype: DType) -> Operand:
    """Emit the nearest integer as a float; NaN and infinities stay unchanged.

    An x86 without SSE4.1 has no instruction for it, and the C library's function, of C23, is not
    available everywhere. Adding a number so large that floats have no fraction rounds there.
    """
    if not ctx.machine.is_x86 or ctx.machine.has("sse4.1"):
        return ctx.w.intrinsic("roundeven", x)
    large = constant(dtype, 2.0 ** (52 if dtype.bits == 64 else 23))
    size = ctx.w.intrinsic("fabs", x)
    moved = ctx.w.op(x.ty, f"fadd {size}, {large.text}")
    rounded = ctx.w.op(x.ty, f"fsub {moved}, {large.text}")
    chosen = ctx.w.select(ctx.w.fcmp("olt", size, large), rounded, size)
    return ctx.w.intrinsic("copysign", chosen, x)
