"""Lowering of scalar functions: machine instructions, and calls of our own code for the others."""

from collections.abc import Callable, Sequence

from relay.kernels.llvm.context import Context, constant, zero
from relay.kernels.llvm.convert import bitcast
from relay.kernels.llvm.math.library import elementary
from relay.kernels.llvm.types import computed, register_type, with_lanes
from relay.kernels.llvm.writer import Operand
from relay.kernels.scalar import Fn
from relay.support.dtype import DType, Kind, int64

_ROUNDINGS = {
    Fn.FLOOR: "floor",
    Fn.CEIL: "ceil",
    Fn.TRUNC: "trunc",
    Fn.ROUND: "round",
    Fn.ROUND_EVEN: "roundeven",
}


def apply(ctx: Context, fn: Fn, args: Sequence[Operand], source: DType, target: DType) -> Operand:
    """Return `fn(args…)`; the arguments are of the dtype `source`, the result of `target`."""
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


def _high_product(ctx: Context, args: Sequence[Operand], dtype: DType) -> Operand:
    """Return the upper halves of doubled products: an instruction on ARM, two vectors on x86."""
    a, b = args
    if ctx.machine.is_aarch64 and dtype.lanes in (2, 4):
        return ctx.w.call(a.ty, f"llvm.aarch64.neon.sqrdmulh.v{dtype.lanes}i32", args)
    if ctx.machine.is_x86 and dtype.lanes % 2 == 0:
        return _by_pairs(ctx, a, b, dtype.lanes)
    wide = register_type(with_lanes(int64, dtype.lanes))
    long = [ctx.w.op(wide, f"sext {each} to {wide}") for each in args]
    exact = ctx.w.op(wide, f"mul nsw {long[0]}, {long[1].text}")
    half, places = (constant(with_lanes(int64, dtype.lanes), n) for n in (1 << 30, 31))
    up = ctx.w.op(wide, f"add nsw {exact}, {half.text}")
    return ctx.w.op(a.ty, f"trunc {ctx.w.op(wide, f'ashr {up}, {places.text}')} to {a.ty}")


def _by_pairs(ctx: Context, a: Operand, b: Operand, lanes: int) -> Operand:
    """Return the high products of the even lanes and of the odd ones, which are 64-bit products."""
    w, pairs = ctx.w, with_lanes(int64, lanes // 2)
    ty = register_type(pairs)

    def number(of: int) -> str:
        return constant(pairs, of).text

    words = [w.op(ty, f"bitcast {each} to {ty}") for each in (a, b)]
    found: list[Operand] = []
    for is_odd in (False, True):
        low = words if is_odd else [w.op(ty, f"shl {each}, {number(32)}") for each in words]
        x, y = (w.op(ty, f"ashr {each}, {number(32)}") for each in low)
        exact = w.op(ty, f"mul nsw {x}, {y.text}")
        up = w.op(ty, f"add nsw {exact}, {number(1 << 30)}")
        moved = w.op(ty, f"shl {up}, {number(1)}" if is_odd else f"lshr {up}, {number(31)}")
        found.append(w.op(a.ty, f"bitcast {moved} to {a.ty}"))
    chosen = ", ".join(f"i32 {lane + lanes * (lane % 2)}" for lane in range(lanes))
    return w.op(a.ty, f"shufflevector {found[0]}, {found[1]}, <{lanes} x i32> <{chosen}>")


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
    Fn.HIGH_PRODUCT: _high_product,
    Fn.ISNAN: _isnan,
}
