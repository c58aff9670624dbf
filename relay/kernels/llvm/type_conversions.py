"""LLVM text of conversions between element types, and between registers and memory.

Half-precision numbers are float32 in registers. If the machine has no correctly rounding conversion
instruction, their bits are computed with integers. Minifloats are their bits in registers.
"""

from relay.kernels.llvm.emitter_context import Context, constant
from relay.kernels.llvm.llvm_types import (
    computed,
    element,
    is_half,
    memory_type,
    register_type,
    vector,
    with_lanes,
)
from relay.kernels.llvm.llvm_writer import Operand
from relay.kernels.llvm.minifloats import narrowed, round_shift, widened
from relay.support.dtype import DType, Kind, float32, float64, int32, uint32


def from_memory(ctx: Context, raw: Operand, dtype: DType) -> Operand:
    """Emit the conversion of a loaded value to its representation in registers."""
    ty = register_type(dtype)
    if dtype.kind is Kind.BOOL:
        return ctx.w.icmp("ne", raw, Operand(raw.ty, "zeroinitializer"))
    if is_half(dtype):
        return _widen(ctx, raw, dtype)
    return raw if raw.ty == ty else ctx.w.op(ty, f"trunc {raw} to {ty}")


def to_memory(ctx: Context, operand: Operand, dtype: DType) -> Operand:
    """Emit the conversion of a register value of `dtype` to its representation in memory."""
    ty = memory_type(dtype)
    if is_half(dtype):
        return _narrow(ctx, operand, dtype)
    if operand.ty == ty:
        return operand
    extend = "sext" if dtype.kind is Kind.INT else "zext"
    return ctx.w.op(ty, f"{extend} {operand} to {ty}")


def cast(ctx: Context, operand: Operand, source: DType, target: DType) -> Operand:
    """Emit a conversion; floats are truncated to integers and saturate, and NaN becomes 0."""
    if element(source) is element(target):
        return operand
    if source.is_minifloat:
        single = with_lanes(float32, source.lanes)
        return cast(ctx, widened(ctx, operand, source), single, target)
    if is_half(source):
        operand = _rounded(ctx, operand, source)
    if target.is_minifloat:
        return narrowed(ctx, _to_single(ctx, operand, source), target)
    if is_half(target):
        return _rounded(ctx, _to_single(ctx, operand, source), target)
    return _convert(ctx, operand, computed(source), computed(target))


def _convert(ctx: Context, operand: Operand, source: DType, target: DType) -> Operand:
    """Emit a conversion between dtypes that have the same form in registers and memory."""
    ty = register_type(target)
    if operand.ty == ty and source.is_float == target.is_float:
        return operand
    if target.kind is Kind.BOOL:
        zero = Operand(operand.ty, "zeroinitializer")
        return (
            ctx.w.fcmp("une", operand, zero) if source.is_float else ctx.w.icmp("ne", operand, zero)
        )
    if source.is_float and target.is_float:
        verb = "fpext" if target.bits > source.bits else "fptrunc"
    elif target.is_float:
        verb = "sitofp" if source.kind is Kind.INT else "uitofp"
    elif source.is_float:
        return _saturate(ctx, operand, source, target)
    else:
        longer = "sext" if source.kind is Kind.INT else "zext"
        verb = longer if target.bits > source.bits else "trunc"
    return ctx.w.op(ty, f"{verb} {operand} to {ty}")


def _saturate(ctx: Context, operand: Operand, source: DType, target: DType) -> Operand:
    ty = register_type(target)
    verb = "fptosi" if target.kind is Kind.INT else "fptoui"
    if ctx.machine.is_x86 and target.lanes > 1:
        return _saturated_lanes(ctx, operand, source, target, verb)
    return ctx.w.convert_call(ty, f"llvm.{verb}.sat", operand)


def _saturated_lanes(
    ctx: Context, operand: Operand, source: DType, target: DType, verb: str
) -> Operand:
    """Emit a saturating conversion of floats to integers on x86, lane-parallel.

    LLVM's own saturating conversion works lane by lane there. Numbers for narrow types are limited
    before they are converted, to int32. Those for wide types, whose largest one is not a float, are
    replaced afterwards.
    """
    w, ty, (low, high) = ctx.w, register_type(target), element(target).limits
    zero = Operand(operand.ty, "zeroinitializer")
    is_nan = w.fcmp("uno", operand, operand)
    if target.bits < int32.bits:
        number = w.select(is_nan, zero, operand)
        for order, limit in (("ogt", low), ("olt", high)):
            end = constant(source, limit)
            number = w.select(w.fcmp(order, number, end), number, end)
        wide = register_type(with_lanes(int32, target.lanes))
        return w.op(ty, f"trunc {w.op(wide, f'fptosi {number} to {wide}')} to {ty}")
    found = w.op(ty, f"{verb} {operand} to {ty}")
    above = w.fcmp("oge", operand, constant(source, high + 1))
    found = w.select(above, constant(target, high), found)
    found = w.select(w.fcmp("olt", operand, constant(source, low)), constant(target, low), found)
    return w.select(is_nan, Operand(ty, "zeroinitializer"), found)


def bitcast(ctx: Context, operand: Operand, source: DType, target: DType) -> Operand:
    """Emit the reinterpretation of a value's bits as a dtype of the same width."""
    raw = to_memory(ctx, operand, source)
    ty = memory_type(target)
    return from_memory(ctx, raw if raw.ty == ty else _bits(ctx, raw, ty), target)


def _bits(ctx: Context, operand: Operand, ty: str) -> Operand:
    return ctx.w.op(ty, f"bitcast {operand} to {ty}")


def _rounded(ctx: Context, operand: Operand, dtype: DType) -> Operand:
    """Emit the rounding of a float32 to the half-precision dtype that it represents."""
    return _widen(ctx, _narrow(ctx, operand, dtype), dtype)


def _to_single(ctx: Context, operand: Operand, source: DType) -> Operand:
    """Emit a float32 that rounds to the same narrower float as the operand."""
    if source.is_float and source.bits == 64:
        return _round_to_odd(ctx, operand, source.lanes)
    return _convert(ctx, operand, computed(source), with_lanes(float32, source.lanes))


def _round_to_odd(ctx: Context, operand: Operand, lanes: int) -> Operand:
    """Emit a float64 rounded to float32, so that rounding it again equals one rounding.

    An inexact result gets an odd last bit, so that it is never a tie.
    """
    w, wide, bits = ctx.w, with_lanes(float64, lanes), with_lanes(int32, lanes)
    single = _convert(ctx, operand, wide, with_lanes(float32, lanes))
    back = w.op(operand.ty, f"fpext {single} to {operand.ty}")
    number = _bits(ctx, single, register_type(bits))
    below = w.fcmp("olt", w.intrinsic("fabs", back), w.intrinsic("fabs", operand))
    even = w.op(number.ty, f"and {number}, {constant(bits, 1).text}")
    is_even = w.icmp("eq", even, constant(bits, 0))
    inexact = w.fcmp("one", back, operand)
    fix = w.op(inexact.ty, f"and {inexact}, {is_even.text}")
    step = w.select(below, constant(bits, 1), constant(bits, -1))
    moved = w.op(number.ty, f"add {number}, {step.text}")
    return _bits(ctx, w.select(fix, moved, number), single.ty)


def _widen(ctx: Context, raw: Operand, dtype: DType) -> Operand:
    ty = register_type(dtype)
    if dtype.kind is Kind.FLOAT and _has_half(ctx):
        return ctx.w.op(ty, f"fpext {raw} to {ty}")
    wide = with_lanes(uint32, dtype.lanes)
    bits = _bits(ctx, raw, vector("i16", dtype.lanes))
    number = ctx.w.op(register_type(wide), f"zext {bits} to {register_type(wide)}")
    if dtype.kind is Kind.FLOAT:
        return _half_bits_to_float(ctx, number, wide)
    return _bits(ctx, ctx.w.op(number.ty, f"shl {number}, {constant(wide, 16).text}"), ty)


def _narrow(ctx: Context, operand: Operand, dtype: DType) -> Operand:
    ty = memory_type(dtype)
    if dtype.kind is Kind.FLOAT and _has_half(ctx):
        return ctx.w.op(ty, f"fptrunc {operand} to {ty}")
    wide = with_lanes(uint32, dtype.lanes)
    number = _bits(ctx, operand, register_type(wide))
    short = vector("i16", dtype.lanes)
    make = _float_to_half_bits if dtype.kind is Kind.FLOAT else _float_to_brain_bits
    bits = ctx.w.op(short, f"trunc {make(ctx, operand, number, wide)} to {short}")
    return bits if short == ty else _bits(ctx, bits, ty)


def _has_half(ctx: Context) -> bool:
    machine = ctx.machine
    return machine.is_aarch64 or any(machine.has(name) for name in ("f16c", "zfhmin", "zfh"))


def _half_bits_to_float(ctx: Context, half: Operand, wide: DType) -> Operand:
    """Emit the conversion of float16 bits to float32, which is exact for subnormals, too."""
    w, single = ctx.w, with_lanes(float32, wide.lanes)
    magnitude = w.op(half.ty, f"and {half}, {constant(wide, 0x7FFF).text}")
    moved = w.op(half.ty, f"shl {magnitude}, {constant(wide, 13).text}")
    scaled = _bits(ctx, moved, register_type(single))
    finite = w.op(scaled.ty, f"fmul {scaled}, {constant(single, 2.0**112).text}")
    special = w.op(half.ty, f"or {moved}, {constant(wide, 0x7F800000).text}")
    is_special = w.icmp("uge", magnitude, constant(wide, 0x7C00))
    bits = w.select(is_special, special, _bits(ctx, finite, half.ty))
    sign = w.op(half.ty, f"and {half}, {constant(wide, 0x8000).text}")
    sign = w.op(half.ty, f"shl {sign}, {constant(wide, 16).text}")
    return _bits(ctx, w.op(half.ty, f"or {bits}, {sign.text}"), register_type(single))


def _float_to_half_bits(ctx: Context, operand: Operand, number: Operand, wide: DType) -> Operand:
    """Emit the conversion of a float32 to float16 bits, rounded to nearest even.

    Rounding is by integer carry, or by a float addition for subnormal results.
    """
    w, single = ctx.w, with_lanes(float32, wide.lanes)
    magnitude = w.op(number.ty, f"and {number}, {constant(wide, 0x7FFFFFFF).text}")
    rebased = w.op(number.ty, f"sub {magnitude}, {constant(wide, 112 << 23).text}")
    normal = round_shift(ctx, rebased, 13, wide)
    tiny = w.op(operand.ty, f"fadd {w.intrinsic('fabs', operand)}, {constant(single, 0.5).text}")
    tiny = w.op(number.ty, f"sub {_bits(ctx, tiny, number.ty)}, {constant(wide, 126 << 23).text}")
    finite = w.select(w.icmp("ult", magnitude, constant(wide, 113 << 23)), tiny, normal)
    too_big = w.icmp("uge", magnitude, constant(wide, 0x477FF000))
    finite = w.select(too_big, constant(wide, 0x7C00), finite)
    is_nan = w.icmp("ugt", magnitude, constant(wide, 0x7F800000))
    bits = w.select(is_nan, constant(wide, 0x7E00), finite)
    sign = w.op(number.ty, f"lshr {number}, {constant(wide, 16).text}")
    sign = w.op(number.ty, f"and {sign}, {constant(wide, 0x8000).text}")
    return w.op(number.ty, f"or {bits}, {sign.text}")


def _float_to_brain_bits(ctx: Context, operand: Operand, number: Operand, wide: DType) -> Operand:
    """Emit the conversion of a float32 to bfloat16 bits, rounded to nearest even.

    Rounding is by integer carry; a NaN keeps its sign and becomes quiet.
    """
    w = ctx.w
    rounded = round_shift(ctx, number, 16, wide)
    quiet = w.op(number.ty, f"lshr {number}, {constant(wide, 16).text}")
    quiet = w.op(number.ty, f"or {quiet}, {constant(wide, 0x40).text}")
    return w.select(w.fcmp("uno", operand, operand), quiet, rounded)
