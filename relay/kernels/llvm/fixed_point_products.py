"""LLVM text of products of int32 numbers that are divided by a power of two and rounded.

They are the fixed-point arithmetic of quantised networks. The products have 64 bits, but their
vectors need not be twice as long: x86 multiplies every second number of a vector, and ARM has an
instruction for products that are divided by 2³¹.
"""

from collections.abc import Sequence

from relay.kernels.llvm.emitter_context import Context, constant
from relay.kernels.llvm.llvm_types import register_type, with_lanes
from relay.kernels.llvm.llvm_writer import Operand
from relay.support.dtype import DType, int64

_WORD = 32  # bits


def rounded_product(ctx: Context, args: Sequence[Operand], dtype: DType) -> Operand:
    """Emit `(a * b + 2**(places - 1)) >> places` for int32 numbers."""
    a, b, places = args
    if ctx.machine.is_x86 and dtype.lanes % 2 == 0:
        return _by_pairs(ctx, args, dtype.lanes)
    wide = with_lanes(int64, dtype.lanes)
    ty = register_type(wide)
    x, y = (ctx.w.op(ty, f"sext {each} to {ty}") for each in (a, b))
    moved = _divided(ctx, x, y, ctx.w.op(ty, f"zext {places} to {ty}"), wide)
    return ctx.w.op(a.ty, f"trunc {moved} to {a.ty}")


def high_product(ctx: Context, a: Operand, b: Operand, dtype: DType) -> Operand:
    """Emit a rounded product with 31 places: the upper half of the doubled product."""
    if ctx.machine.is_aarch64 and dtype.lanes in (2, 4):
        return ctx.w.call(a.ty, f"llvm.aarch64.neon.sqrdmulh.v{dtype.lanes}i32", (a, b))
    return rounded_product(ctx, (a, b, constant(dtype, 31)), dtype)


def _by_pairs(ctx: Context, args: Sequence[Operand], lanes: int) -> Operand:
    """Emit products of the even lanes and of the odd lanes, merged into one vector."""
    w, pairs, narrow = ctx.w, with_lanes(int64, lanes // 2), args[0].ty
    ty, shift = register_type(pairs), constant(pairs, _WORD).text
    odd = [w.op(ty, f"bitcast {each} to {ty}") for each in args]
    found: list[Operand] = []
    for words in ([w.op(ty, f"shl {each}, {shift}") for each in odd], odd):
        x, y = (w.op(ty, f"ashr {each}, {shift}") for each in words[:2])
        moved = _divided(ctx, x, y, w.op(ty, f"lshr {words[2]}, {shift}"), pairs)
        placed = w.op(ty, f"shl {moved}, {shift}") if words is odd else moved
        found.append(w.op(narrow, f"bitcast {placed} to {narrow}"))
    chosen = ", ".join(f"i32 {lane + lanes * (lane % 2)}" for lane in range(lanes))
    return w.op(narrow, f"shufflevector {found[0]}, {found[1]}, <{lanes} x i32> <{chosen}>")


def _divided(ctx: Context, x: Operand, y: Operand, places: Operand, dtype: DType) -> Operand:
    """Emit the 64-bit product of sign-extended numbers, divided and rounded."""
    w, ty = ctx.w, x.ty
    half = w.op(ty, f"lshr {w.op(ty, f'shl {constant(dtype, 1)}, {places.text}')}, {_one(dtype)}")
    up = w.op(ty, f"add {w.op(ty, f'mul nsw {x}, {y.text}')}, {half.text}")
    return w.op(ty, f"ashr {up}, {places.text}")


def _one(dtype: DType) -> str:
    return constant(dtype, 1).text
