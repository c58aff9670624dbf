"""AVX-512 instructions that decompose floats, look up tables, and scale.

LLVM does not generate them by itself. They work on numbers that exactly fill a register.
"""

from collections.abc import Callable, Sequence

from relay.kernels.llvm.emitter_context import constant
from relay.kernels.llvm.llvm_types import register_type, with_lanes
from relay.kernels.llvm.llvm_writer import Operand, lanes_of
from relay.kernels.llvm.math.number_emitter import Number
from relay.support.dtype import DType, Kind

TABLE = 16
"""The number of float32 in a register, used as a table indexed by the low bits of integers."""

_LEAST, _MOST = 128, 512  # bits of a register
_AROUND_ONE = 0b1011  # a significand in [3/4, 3/2); NaN for negative numbers
_LEAST_SIZE = 0b0010  # the smaller of two magnitudes, with the sign of the first number
_LOGARITHM = 0x00500400  # replacements of a result by kind of argument: +inf at +inf, -inf at 0


def fits(x: Number) -> bool:
    """Whether the machine has AVX-512 instructions for vectors of this type and length."""
    bits = x.dtype.bits * lanes_of(x.operand.ty)
    return x.ctx.machine.has("avx512vl") and bits in (128, 256, 512)


def has_tables(x: Number) -> bool:
    """Whether the machine can look up numbers of this type in a table in a register."""
    machine = x.ctx.machine
    return x.dtype.bits == 32 and machine.has("avx512vl") and machine.has("avx512dq")


def in_registers(x: Number, formula: Callable[[Number], Number]) -> Number:
    """Apply a formula for numbers that exactly fill a register to a vector of any length."""
    assert x.dtype.lanes > 1, "a number alone needs no register for many"
    lanes = x.dtype.lanes
    if fits(x):
        return formula(x)
    if x.dtype.bits * lanes > _MOST:
        half = -(-lanes // 2)
        low, high = (in_registers(_part(x, first, half), formula) for first in (0, half))
        return _shuffled(low, high, range(lanes))
    full = _LEAST // x.dtype.bits
    while full < lanes:
        full *= 2
    return _part(formula(_part(x, 0, full)), 0, lanes)


def scaled(x: Number, n: Number) -> Number:
    """Return x 2^floor(n), rounded once if the result is subnormal."""
    return _masked(x, "scalef", x.operand, n.operand, x.operand)


def within(x: Number, limit: float) -> Number:
    """Return x if its magnitude is at most `limit`, else `limit` with a sign; never NaN."""
    how = Operand("i32", str(_LEAST_SIZE))
    return _masked(x, "range", x.operand, x.of(limit).operand, how, x.operand)


def looked_up(table: str, index: Number) -> Number:
    """Emit a lookup in a table, given as LLVM text, by the low bits of integers."""
    found = with_lanes(DType(Kind.FLOAT, 32), TABLE)
    ty = register_type(found)
    operands = [Operand(ty, f"<{table}>"), _part(index, 0, TABLE).operand]
    wide = index.ctx.w.call(ty, "llvm.x86.avx512.permvar.sf.512", operands)
    return _part(Number(index.ctx, wide, found), 0, index.dtype.lanes)


def exponent(x: Number) -> Number:
    """Emit the greatest integer e with 2^e <= |x|; -infinity for 0, infinity for infinities."""
    return _masked(x, "getexp", x.operand, x.operand)


def around_one(x: Number) -> Number:
    """Return x divided by a power of 2, in [3/4, 3/2); NaN if x is negative."""
    return _masked(x, "getmant", x.operand, Operand("i32", str(_AROUND_ONE)), x.operand)


def logarithm_at_ends(x: Number, finite: Number) -> Number:
    """Return `finite`, but infinity if x is infinity, and -infinity if x is 0."""
    kinds = DType(Kind.INT, x.dtype.bits, x.dtype.lanes)
    table = constant(kinds, _LOGARITHM)
    return _masked(x, "fixupimm", finite.operand, x.operand, table, Operand("i32", "0"))


def _masked(x: Number, name: str, *operands: Operand) -> Number:
    """Emit an AVX-512 intrinsic on all lanes; only 512-bit vectors take a rounding mode."""
    assert fits(x), "another machine, or another number of lanes"
    ty, bits = x.operand.ty, x.dtype.bits * lanes_of(x.operand.ty)
    mask = Operand(f"i{max(8, x.dtype.lanes)}", "-1")
    nearest = [Operand("i32", "4")] if bits == _MOST else []
    full = f"llvm.x86.avx512.mask.{name}.p{'s' if x.dtype.bits == 32 else 'd'}.{bits}"
    return Number(x.ctx, x.ctx.w.call(ty, full, [*operands, mask, *nearest]), x.dtype)


def _part(x: Number, first: int, count: int) -> Number:
    """Emit `count` lanes of x from `first` on; lanes beyond those of x are undefined."""
    if (first, count) == (0, x.dtype.lanes):
        return x
    return _shuffled(x, x, range(first, first + count))


def _shuffled(low: Number, high: Number, lanes: Sequence[int]) -> Number:
    """Emit a vector with some lanes of two vectors; lane numbers continue from `low` to `high`."""
    known = low.dtype.lanes + high.dtype.lanes
    mask = ", ".join(f"i32 {lane}" if lane < known else "i32 poison" for lane in lanes)
    ty = with_lanes(low.dtype, len(lanes))
    text = f"shufflevector {low.operand}, {high.operand}, <{len(lanes)} x i32> <{mask}>"
    return Number(low.ctx, low.ctx.w.op(register_type(ty), text), ty)
