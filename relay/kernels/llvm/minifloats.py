"""LLVM text of conversions between float32 and floats of 8 or 4 bits, by integer arithmetic.

In registers, such a float is represented by its bits. Rounding is to nearest, ties to even, as in
`ml_dtypes`.
"""

from dataclasses import dataclass

from relay.kernels.llvm.emitter_context import Context, constant
from relay.kernels.llvm.llvm_types import register_type, with_lanes
from relay.kernels.llvm.llvm_writer import Operand
from relay.support.dtype import DType, Kind, float32, uint32

_SINGLE_FRACTION, _SINGLE_BIAS = 23, 127
_SINGLE_INFINITY, _SINGLE_NAN = 0x7F800000, 0x7FC00000
_MAGNITUDE = 0x7FFFFFFF


@dataclass(frozen=True)
class _Format:
    """The bit format of a small float; numbers above `largest` and infinity become `overflow`."""

    exponent: int
    fraction: int
    bias: int
    largest: int
    overflow: int
    nan: int
    infinity: int | None = None
    has_negative_zero: bool = True

    @property
    def sign(self) -> int:
        return self.exponent + self.fraction


_FORMATS = {
    Kind.FLOAT8_E4M3FN: _Format(4, 3, 7, 0x7E, 0x7F, 0x7F),
    Kind.FLOAT8_E4M3FNUZ: _Format(4, 3, 8, 0x7F, 0x80, 0x80, has_negative_zero=False),
    Kind.FLOAT8_E5M2: _Format(5, 2, 15, 0x7B, 0x7C, 0x7E, infinity=0x7C),
    Kind.FLOAT8_E5M2FNUZ: _Format(5, 2, 16, 0x7F, 0x80, 0x80, has_negative_zero=False),
    Kind.FLOAT4_E2M1FN: _Format(2, 1, 1, 0x7, 0x7, 0x8),
}


def widened(ctx: Context, raw: Operand, dtype: DType) -> Operand:
    """Emit the conversion of a small float's bits to float32, which is exact."""
    w, wide, single = ctx.w, with_lanes(uint32, dtype.lanes), with_lanes(float32, dtype.lanes)
    bits = w.op(register_type(wide), f"zext {raw} to {register_type(wide)}")
    if dtype.kind is Kind.FLOAT8_E8M0FNU:
        return _bits(ctx, _power_to_single(ctx, bits, wide), register_type(single))
    form = _FORMATS[dtype.kind]
    magnitude = _and(ctx, bits, (1 << form.sign) - 1, wide)
    moved = _shift(ctx, "shl", magnitude, _SINGLE_FRACTION - form.fraction, wide)
    scale = constant(single, 2.0 ** (_SINGLE_BIAS - form.bias))
    scaled = _bits(ctx, moved, register_type(single))
    number = _bits(ctx, w.op(scaled.ty, f"fmul {scaled}, {scale.text}"), bits.ty)
    if form.infinity is not None:
        is_infinite = w.icmp("eq", magnitude, constant(wide, form.infinity))
        number = w.select(is_infinite, constant(wide, _SINGLE_INFINITY), number)
    sign = _shift(ctx, "lshr", bits, form.sign, wide)
    sign = _shift(ctx, "shl", sign, 31, wide)
    number = w.op(bits.ty, f"or {number}, {sign.text}")
    is_nan = _is_nan(ctx, bits, magnitude, form, wide)
    if is_nan is not None:
        number = w.select(is_nan, constant(wide, _SINGLE_NAN), number)
    return _bits(ctx, number, register_type(single))


def narrowed(ctx: Context, operand: Operand, dtype: DType) -> Operand:
    """Emit the conversion of a float32 to the bits of the nearest small float."""
    w, wide = ctx.w, with_lanes(uint32, dtype.lanes)
    number = _bits(ctx, operand, register_type(wide))
    magnitude = _and(ctx, number, _MAGNITUDE, wide)
    if dtype.kind is Kind.FLOAT8_E8M0FNU:
        bits = _single_to_power(ctx, number, magnitude, wide)
    else:
        bits = _rounded(ctx, number, magnitude, _FORMATS[dtype.kind], wide)
    return w.op(register_type(dtype), f"trunc {bits} to {register_type(dtype)}")


def _is_nan(
    ctx: Context, bits: Operand, magnitude: Operand, form: _Format, wide: DType
) -> Operand | None:
    """Emit the test whether bits are those of a NaN; None for formats without NaN."""
    if not form.has_negative_zero:
        return ctx.w.icmp("eq", bits, constant(wide, form.nan))
    last = form.largest if form.infinity is None else form.infinity
    if last == (1 << form.sign) - 1:
        return None
    return ctx.w.icmp("ugt", magnitude, constant(wide, last))


def _rounded(
    ctx: Context, number: Operand, magnitude: Operand, form: _Format, wide: DType
) -> Operand:
    """Emit the rounding of a float32 to a small float's bits, including special values.

    Rounding is by integer carry, or by a float addition for subnormal results.
    """
    w, single = ctx.w, with_lanes(float32, wide.lanes)
    rebase = constant(wide, (_SINGLE_BIAS - form.bias) << _SINGLE_FRACTION)
    rebased = w.op(number.ty, f"sub {magnitude}, {rebase.text}")
    normal = round_shift(ctx, rebased, _SINGLE_FRACTION - form.fraction, wide)
    # The last bit of this float has the weight of the last bit of a subnormal result.
    offset = 2.0 ** (1 - form.bias - form.fraction + _SINGLE_FRACTION)
    absolute = _bits(ctx, magnitude, register_type(single))
    moved = w.op(absolute.ty, f"fadd {absolute}, {constant(single, offset).text}")
    start = _bits(ctx, constant(single, offset), number.ty)
    tiny = w.op(number.ty, f"sub {_bits(ctx, moved, number.ty)}, {start.text}")
    least_normal = constant(wide, (_SINGLE_BIAS + 1 - form.bias) << _SINGLE_FRACTION)
    bits = w.select(w.icmp("ult", magnitude, least_normal), tiny, normal)
    is_big = w.icmp("ugt", bits, constant(wide, form.largest))
    is_big = w.op(
        is_big.ty,
        f"or {is_big}, {w.icmp('uge', magnitude, constant(wide, _SINGLE_INFINITY)).text}",
    )
    bits = w.select(is_big, constant(wide, form.overflow), bits)
    is_nan = w.icmp("ugt", magnitude, constant(wide, _SINGLE_INFINITY))
    bits = w.select(is_nan, constant(wide, form.nan), bits)
    return _signed(ctx, number, bits, form, wide)


def _signed(ctx: Context, number: Operand, bits: Operand, form: _Format, wide: DType) -> Operand:
    """Emit bits with the sign of the number; zero has no sign if there is no negative zero."""
    w = ctx.w
    sign = _shift(ctx, "lshr", number, 31, wide)
    sign = _shift(ctx, "shl", sign, form.sign, wide)
    if not form.has_negative_zero:
        sign = w.select(w.icmp("eq", bits, constant(wide, 0)), constant(wide, 0), sign)
    return w.op(bits.ty, f"or {bits}, {sign.text}")


def _power_to_single(ctx: Context, bits: Operand, wide: DType) -> Operand:
    """Emit the bits of the float32 power of two with a given exponent; 255 is NaN."""
    w = ctx.w
    moved = _shift(ctx, "shl", bits, _SINGLE_FRACTION, wide)
    least = constant(wide, 1 << (_SINGLE_FRACTION - 1))  # 2 ** -127 is a subnormal number
    number = w.select(w.icmp("eq", bits, constant(wide, 0)), least, moved)
    return w.select(w.icmp("eq", bits, constant(wide, 0xFF)), constant(wide, _SINGLE_NAN), number)


def _single_to_power(ctx: Context, number: Operand, magnitude: Operand, wide: DType) -> Operand:
    """Emit the exponent of the nearest power of two, ties upwards; NaN unless positive.

    The least power is a subnormal float32, whose midpoint to the next one is at half the usual
    distance.
    """
    w, unit = ctx.w, 1 << _SINGLE_FRACTION
    is_tiny = w.icmp("ult", magnitude, constant(wide, unit))
    half = w.select(is_tiny, constant(wide, unit // 4), constant(wide, unit // 2))
    moved = w.op(number.ty, f"add {magnitude}, {half.text}")
    rounded = _shift(ctx, "lshr", moved, _SINGLE_FRACTION, wide)
    is_none = w.icmp("uge", number, constant(wide, _SINGLE_INFINITY))
    is_zero = w.icmp("eq", number, constant(wide, 0))
    is_none = w.op(is_none.ty, f"or {is_none}, {is_zero.text}")
    return w.select(is_none, constant(wide, 0xFF), rounded)


def round_shift(ctx: Context, number: Operand, by: int, wide: DType) -> Operand:
    """Emit a right shift that rounds the lost bits to nearest even."""
    w = ctx.w
    shifted = _shift(ctx, "lshr", number, by, wide)
    odd = _and(ctx, shifted, 1, wide)
    half = w.op(number.ty, f"add {odd}, {constant(wide, (1 << (by - 1)) - 1).text}")
    return _shift(ctx, "lshr", w.op(number.ty, f"add {number}, {half.text}"), by, wide)


def _bits(ctx: Context, operand: Operand, ty: str) -> Operand:
    return ctx.w.op(ty, f"bitcast {operand} to {ty}")


def _and(ctx: Context, operand: Operand, mask: int, wide: DType) -> Operand:
    return ctx.w.op(operand.ty, f"and {operand}, {constant(wide, mask).text}")


def _shift(ctx: Context, verb: str, operand: Operand, by: int, wide: DType) -> Operand:
    return ctx.w.op(operand.ty, f"{verb} {operand}, {constant(wide, by).text}")
