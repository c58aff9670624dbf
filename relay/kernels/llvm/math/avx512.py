"""Instructions of AVX-512 that take numbers apart and put them together.

LLVM finds none of them by itself. They work on numbers that just fill a register.
"""

from relay.kernels.llvm.context import constant
from relay.kernels.llvm.math.number import Number
from relay.kernels.llvm.writer import Operand, lanes_of
from relay.support.dtype import DType, Kind

_AROUND_ONE = 0b1011  # a significand of at least 3/4 and below 3/2; of negative numbers, NaN
_LOGARITHM = 0x00500400  # what replaces a result, by kinds of arguments: +inf at +inf, -inf at 0


def fits(x: Number) -> bool:
    """Say whether the machine has the instructions, for numbers of this type."""
    bits = x.dtype.bits * lanes_of(x.operand.ty)
    return x.ctx.machine.has("avx512vl") and bits in (128, 256, 512)


def scaled(x: Number, n: Number) -> Number:
    """Return x 2^n for whole n, rounded once when the result is subnormal."""
    return _masked(x, "scalef", x.operand, n.operand, x.operand)


def exponent(x: Number) -> Number:
    """Return the greatest whole e with 2^e <= |x|; -infinity of 0, infinity of infinities."""
    return _masked(x, "getexp", x.operand, x.operand)


def around_one(x: Number) -> Number:
    """Return x divided by a power of 2, at least 3/4 and below 3/2; NaN where x is negative."""
    return _masked(x, "getmant", x.operand, Operand("i32", str(_AROUND_ONE)), x.operand)


def logarithm_at_ends(x: Number, finite: Number) -> Number:
    """Return `finite`, but infinity where x is infinity, and -infinity where it is 0."""
    kinds = DType(Kind.INT, x.dtype.bits, x.dtype.lanes)
    table = constant(kinds, _LOGARITHM)
    return _masked(x, "fixupimm", finite.operand, x.operand, table, Operand("i32", "0"))


def _masked(x: Number, name: str, *operands: Operand) -> Number:
    """Write an instruction on all lanes, which only vectors of full length tell how to round."""
    assert fits(x), "another machine, or another number of lanes"
    ty, bits = x.operand.ty, x.dtype.bits * lanes_of(x.operand.ty)
    mask = Operand(f"i{max(8, x.dtype.lanes)}", "-1")
    nearest = [Operand("i32", "4")] if bits == 512 else []
    full = f"llvm.x86.avx512.mask.{name}.p{'s' if x.dtype.bits == 32 else 'd'}.{bits}"
    return Number(x.ctx, x.ctx.w.call(ty, full, [*operands, mask, *nearest]), x.dtype)
