"""LLVM text of scalar functions: machine instructions, or calls of our own implementations."""

from collections.abc import Callable, Sequence

from relay.kernels.llvm.emitter_context import Context, constant, zero
from relay.kernels.llvm.fixed_point_products import rounded_product
from relay.kernels.llvm.llvm_types import computed
from relay.kernels.llvm.llvm_writer import Operand
from relay.kernels.llvm.math.function_table import elementary
from relay.kernels.llvm.rounding import round_even
from relay.kernels.llvm.type_conversions import bitcast
from relay.kernels.scalar import Fn
from relay.support.dtype import DType, Kind

_ROUNDINGS = {
    Fn.FLOOR: "floor",
    Fn.CEIL: "ceil",
    Fn.TRUNC: "trunc",
    Fn.ROUND: "round",
}


def apply(ctx: Context, fn: Fn, args: Sequence[Operand], source: DType, target: DType) -> Operand:
    """Emit `fn(args…)` for arguments of type `source`, with a result of type `target`."""
    if fn is Fn.BITCAST:
        return bitcast(ctx, args[0], source, target)
    rule = _RULES.get(fn)
    if rule is not None:
        return rule(ctx, args, source)
    if fn in _ROUNDINGS:
        return ctx.w.intrinsic(_ROUNDINGS[fn], *args) if source.is_float else args[0]
    return elementary(ctx, fn, args, computed(source))


def _negate(ctx: Context, args: Sequence[Operand], dtype: DType) -> Operand:
    (x,) = args
    return ctx.w.op(x.ty, f"fneg {x}" if dtype.is_float else f"sub {zero(dtype)}, {x.text}")


def _not(ctx: Context, args: Sequence[Operand], dtype: DType) -> Operand:
    (x,) = args
    return ctx.w.op(x.ty, f"xor {x}, {constant(dtype, 1 if dtype.kind is Kind.BOOL else -1).text}")


def _abs(ctx: Context, args: Sequence[Operand], dtype: DType) -> Operand:
    (x,) = args
    if dtype.is_float:
        return ctx.w.intrinsic("fabs", x)
    if dtype.kind is not Kind.INT:
        return x
    return ctx.w.intrinsic("smax", x, _negate(ctx, args, dtype))


def _sqrt(ctx: Context, args: Sequence[Operand], _: DType) -> Operand:
    return ctx.w.intrinsic("sqrt", *args)


def _rsqrt(ctx: Context, args: Sequence[Operand], dtype: DType) -> Operand:
    root = _sqrt(ctx, args, dtype)
    return ctx.w.op(root.ty, f"fdiv {constant(computed(dtype), 1.0)}, {root.text}")


def _fma(ctx: Context, args: Sequence[Operand], dtype: DType) -> Operand:
    if dtype.is_float:
        return ctx.w.intrinsic("fma", *args)
    a, b, c = args
    product = ctx.w.op(a.ty, f"mul {a}, {b.text}")
    return ctx.w.op(a.ty, f"add {product}, {c.text}")


def _round_even(ctx: Context, args: Sequence[Operand], dtype: DType) -> Operand:
    return round_even(ctx, args[0], computed(dtype)) if dtype.is_float else args[0]


def _isnan(ctx: Context, args: Sequence[Operand], dtype: DType) -> Operand:
    (x,) = args
    if dtype.is_float:
        return ctx.w.fcmp("uno", x, x)
    return ctx.w.icmp("ne", x, x)


_Rule = Callable[[Context, Sequence[Operand], DType], Operand]
_RULES: dict[Fn, _Rule] = {
    Fn.NEG: _negate,
    Fn.NOT: _not,
    Fn.ABS: _abs,
    Fn.SQRT: _sqrt,
    Fn.RSQRT: _rsqrt,
    Fn.FMA: _fma,
    Fn.ROUNDED_PRODUCT: rounded_product,
    Fn.ROUND_EVEN: _round_even,
    Fn.ISNAN: _isnan,
}
