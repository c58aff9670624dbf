"""LLVM text of binary operators and comparisons, with all edge cases of `relay.kernels.scalar`.

Integer arithmetic wraps. Dividing an integer by zero gives 0 and never traps; the smallest integer
divided by -1 is itself. A shift by the width or more gives 0, or -1 for a negative signed number
shifted right. Floor division and modulo of floats agree with NumPy.
"""

import math
import operator
from collections.abc import Callable

from relay.kernels.llvm.emitter_context import Context, constant, index
from relay.kernels.llvm.llvm_types import computed, wrap
from relay.kernels.llvm.llvm_writer import Operand
from relay.kernels.scalar import Op, Order
from relay.support.dtype import DType, Kind, bool_, int64

_INT = {
    Op.ADD: "add",
    Op.SUB: "sub",
    Op.MUL: "mul",
    Op.AND: "and",
    Op.OR: "or",
    Op.XOR: "xor",
}
_FLOAT = {Op.ADD: "fadd", Op.SUB: "fsub", Op.MUL: "fmul", Op.DIV: "fdiv", Op.REM: "frem"}
FOLD: dict[Op, Callable[[int, int], int]] = {
    Op.ADD: operator.add,
    Op.SUB: operator.sub,
    Op.MUL: operator.mul,
    Op.AND: operator.and_,
    Op.MIN: min,
    Op.MAX: max,
    Op.FLOORDIV: lambda a, b: a // b if b else 0,
    Op.FLOORMOD: lambda a, b: a % b if b else 0,
}
_SIGNED = {Order.LT: "slt", Order.LE: "sle", Order.GT: "sgt", Order.GE: "sge"}
_UNSIGNED = {Order.LT: "ult", Order.LE: "ule", Order.GT: "ugt", Order.GE: "uge"}
_EQUAL = {Order.EQ: "eq", Order.NE: "ne"}
_ORDERED = {
    Order.EQ: "oeq",
    Order.NE: "une",
    Order.LT: "olt",
    Order.LE: "ole",
    Order.GT: "ogt",
    Order.GE: "oge",
}
_DECIDE: dict[Order, Callable[[int, int], bool]] = {
    Order.EQ: operator.eq,
    Order.NE: operator.ne,
    Order.LT: operator.lt,
    Order.LE: operator.le,
    Order.GT: operator.gt,
    Order.GE: operator.ge,
}


def binary(ctx: Context, op: Op, a: Operand, b: Operand, dtype: DType) -> Operand:
    """Emit `a op b` for operands of `dtype`, and return the result."""
    if a.known is not None and b.known is not None and dtype is int64 and op in FOLD:
        return index(wrap(int64, FOLD[op](a.known, b.known)))
    if dtype is bool_ and op in (Op.AND, Op.OR) and (a.known, b.known) != (None, None):
        return _decided(op, a, b)
    if dtype.is_float:
        return _float_binary(ctx, op, a, b, dtype)
    if op in _INT:
        return ctx.w.op(a.ty, f"{_INT[op]} {a}, {b.text}")
    if op in (Op.SHL, Op.SHR):
        return _shift(ctx, op, a, b, dtype)
    if op in (Op.MIN, Op.MAX):
        sign = "s" if dtype.kind is Kind.INT else "u"
        return ctx.w.intrinsic(f"{sign}{op.value}", a, b)
    return _divide(ctx, op, a, b, dtype)


def _decided(op: Op, a: Operand, b: Operand) -> Operand:
    """Return the value of `a and b` or `a or b`, of which one operand is a known constant.

    The result is one of the operands. A branch that unrolling makes dead is then known to be dead,
    and no code is generated for it.
    """
    known, other = (a, b) if a.known is not None else (b, a)
    decides = bool(known.known) is (op is Op.OR)
    return known if decides else other


def compare(ctx: Context, order: Order, a: Operand, b: Operand, dtype: DType) -> Operand:
    """Emit the comparison `a order b`; the result has one bit per lane."""
    if a.known is not None and b.known is not None:
        holds = int(_DECIDE[order](a.known, b.known))
        return Operand("i1", str(holds), holds)
    if dtype.is_float:
        return ctx.w.fcmp(_ORDERED[order], a, b)
    table = _EQUAL if order in _EQUAL else _SIGNED if dtype.kind is Kind.INT else _UNSIGNED
    return ctx.w.icmp(table[order], a, b)


def _float_binary(ctx: Context, op: Op, a: Operand, b: Operand, dtype: DType) -> Operand:
    if op in _FLOAT:
        return ctx.w.op(a.ty, f"{_FLOAT[op]} {ctx.flags}{a}, {b.text}")
    if op is Op.FLOORMOD:
        return _float_modulo(ctx, a, b)
    if op is Op.FLOORDIV:
        return _float_floor_divide(ctx, a, b, dtype)
    return _extreme(ctx, op, a, b)


def _extreme(ctx: Context, op: Op, a: Operand, b: Operand) -> Operand:
    """Emit the minimum or maximum of two floats, which is NaN if either is NaN.

    On x86, `a < b ? a : b` is one instruction and gives `b` if either is NaN; therefore a literal
    is used as the left operand, and only an `a` that may be NaN needs the second select.
    """
    if not ctx.machine.is_x86:
        return ctx.w.intrinsic("minimum" if op is Op.MIN else "maximum", a, b)
    if _is_number(b):
        a, b = b, a
    chosen = ctx.w.select(ctx.w.fcmp("olt" if op is Op.MIN else "ogt", a, b), a, b)
    if _is_number(a):
        return chosen
    return ctx.w.select(ctx.w.fcmp("uno", a, a), a, chosen)


def _is_number(operand: Operand) -> bool:
    """Return whether a float operand is a literal other than NaN."""
    return operand.literal is not None and not math.isnan(operand.literal)


def _float_modulo(ctx: Context, a: Operand, b: Operand) -> Operand:
    """Emit the floating-point remainder with the sign of the divisor, also for zero."""
    w, nothing = ctx.w, Operand(a.ty, "zeroinitializer")
    rest = w.op(a.ty, f"frem {a}, {b.text}")
    moved = w.select(_opposite(ctx, rest, b), w.op(a.ty, f"fadd {rest}, {b.text}"), rest)
    return w.select(w.fcmp("oeq", rest, nothing), w.intrinsic("copysign", nothing, b), moved)


def _float_floor_divide(ctx: Context, a: Operand, b: Operand, dtype: DType) -> Operand:
    """Emit the floor of the exact quotient, which a rounded quotient may exceed."""
    w, nothing = ctx.w, Operand(a.ty, "zeroinitializer")
    rest = w.op(a.ty, f"frem {a}, {b.text}")
    exact = w.op(a.ty, f"fsub {a}, {rest.text}")
    whole = w.intrinsic("rint", w.op(a.ty, f"fdiv {exact}, {b.text}"))
    below = w.op(a.ty, f"fadd {whole}, {constant(computed(dtype), -1.0).text}")
    whole = w.select(_opposite(ctx, rest, b), below, whole)
    plain = w.op(a.ty, f"fdiv {a}, {b.text}")
    signed_zero = w.intrinsic("copysign", nothing, plain)
    whole = w.select(w.fcmp("oeq", whole, nothing), signed_zero, whole)
    return w.select(w.fcmp("oeq", b, nothing), plain, whole)


def _opposite(ctx: Context, rest: Operand, divisor: Operand) -> Operand:
    """Emit the test whether a nonzero remainder and the divisor have different signs."""
    w, nothing = ctx.w, Operand(rest.ty, "zeroinitializer")
    signs = w.fcmp("olt", rest, nothing), w.fcmp("olt", divisor, nothing)
    differ = w.op(signs[0].ty, f"xor {signs[0]}, {signs[1].text}")
    return w.op(differ.ty, f"and {differ}, {w.fcmp('one', rest, nothing).text}")


def _shift(ctx: Context, op: Op, a: Operand, b: Operand, dtype: DType) -> Operand:
    w, width = ctx.w, constant(dtype, dtype.bits)
    if op is Op.SHR and dtype.kind is Kind.INT:
        capped = w.intrinsic("umin", b, constant(dtype, dtype.bits - 1))
        return w.op(a.ty, f"ashr {a}, {capped.text}")
    shifted = w.op(a.ty, f"{'shl' if op is Op.SHL else 'lshr'} {a}, {b.text}")
    in_range = w.icmp("ult", b, width)
    return w.select(in_range, shifted, Operand(a.ty, "zeroinitializer"))


def _divide(ctx: Context, op: Op, a: Operand, b: Operand, dtype: DType) -> Operand:
    if b.known is not None and b.known > 0:
        return _divide_by_known(ctx, op, a, b)
    w = ctx.w
    zero, one = constant(dtype, 0), constant(dtype, 1)
    by_zero = w.icmp("eq", b, zero)
    unsafe = by_zero
    if dtype.kind is Kind.INT:
        least = w.icmp("eq", a, constant(dtype, 1 << (dtype.bits - 1)))
        by_minus_one = w.icmp("eq", b, constant(dtype, -1))
        overflows = w.op(unsafe.ty, f"and {least}, {by_minus_one.text}")
        unsafe = w.op(unsafe.ty, f"or {unsafe}, {overflows.text}")
    safe = w.select(unsafe, one, b)
    return w.select(by_zero, zero, _quotient(ctx, op, a, safe, dtype))


def _divide_by_known(ctx: Context, op: Op, a: Operand, b: Operand) -> Operand:
    """Emit the division of an int64 by a positive constant; powers of two become shifts."""
    divisor = b.known or 1
    power = divisor & (divisor - 1) == 0
    if power and op is Op.FLOORDIV:
        return ctx.w.op(a.ty, f"ashr {a}, {divisor.bit_length() - 1}")
    if power and op is Op.FLOORMOD:
        return ctx.w.op(a.ty, f"and {a}, {divisor - 1}")
    return _quotient(ctx, op, a, b, int64)


def _quotient(ctx: Context, op: Op, a: Operand, b: Operand, dtype: DType) -> Operand:
    """Emit the integer quotient or remainder, for a divisor with which division cannot trap."""
    w = ctx.w
    sign = "s" if dtype.kind is Kind.INT else "u"
    quotient = op in (Op.DIV, Op.FLOORDIV)
    result = w.op(a.ty, f"{sign}{'div' if quotient else 'rem'} {a}, {b.text}")
    if sign == "u" or op in (Op.DIV, Op.REM):
        return result
    rest = result if op is Op.FLOORMOD else w.op(a.ty, f"srem {a}, {b.text}")
    zero = constant(dtype, 0)
    opposite = w.icmp("slt", w.op(a.ty, f"xor {rest}, {b.text}"), zero)
    inexact = w.icmp("ne", rest, zero)
    adjust = w.op(opposite.ty, f"and {opposite}, {inexact.text}")
    by = constant(dtype, -1) if quotient else b
    return w.select(adjust, w.op(a.ty, f"add {result}, {by.text}"), result)
