"""Evaluates sizes in bytes that depend on a kernel's scalars, or emits code that computes them."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from relay.kernels.llvm.arithmetic import FOLD, binary
from relay.kernels.llvm.buffer_placement import Size
from relay.kernels.llvm.emit_expressions import Evaluator
from relay.kernels.llvm.emitter_context import Context, index
from relay.kernels.llvm.llvm_writer import Operand
from relay.kernels.scalar import Binary, Const, Op, Scalar, Var
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError

_T = TypeVar("_T")
_LARGEST = 2**63 - 1


def evaluate_size(size: Size, values: Mapping[Var, int]) -> int:
    """Return a size in bytes for given values of the kernel's scalars."""
    if isinstance(size, int):
        return size
    return _evaluated(size, lambda op, a, b: FOLD[op](a, b), lambda leaf: _known(leaf, values))


def _known(leaf: Scalar, values: Mapping[Var, int]) -> int:
    match leaf:
        case Const(value=value):
            return int(value)
        case Var() if leaf in values:
            return values[leaf]
        case _:
            pass
    raise CompileError(
        ErrorCode.C003,
        f"the formula for the size of a temporary buffer contains a {type(leaf).__name__}",
        help="compute the size from input sizes with +, *, //, min and max only",
    )


def emit_size(ctx: Context, size: Scalar) -> Operand:
    """Emit the computation of a size in bytes.

    A sum or product that exceeds 64 bits becomes the largest number: more than any memory has.
    """

    def operation(op: Op, a: Operand, b: Operand) -> Operand:
        if a.known is not None and b.known is not None:
            return index(min(FOLD[op](a.known, b.known), _LARGEST))
        if op is Op.ADD:
            return ctx.w.intrinsic("sadd.sat", a, b)
        if op is Op.MUL:
            return _product(ctx, a, b)
        return binary(ctx, op, a, b, int64)

    return _evaluated(size, operation, Evaluator(ctx))


def _product(ctx: Context, a: Operand, b: Operand) -> Operand:
    """Emit a product of sizes that saturates, without calls of the C library.

    The result is the largest number, with the sign of the product, instead of an overflow. Sizes
    are at least 0, but terms of the sums in them may be negative.
    """
    never_poison = Operand("i1", "false")
    parts = [ctx.w.call("i64", "llvm.abs.i64", (each, never_poison)) for each in (a, b)]
    pair = ctx.w.call("{ i64, i1 }", "llvm.umul.with.overflow.i64", parts)
    product = ctx.w.op("i64", f"extractvalue {pair}, 0")
    exceeds = ctx.w.op("i1", f"extractvalue {pair}, 1")
    largest = Operand("i64", str(_LARGEST))
    size = ctx.w.select(exceeds, largest, ctx.w.intrinsic("umin", product, largest))
    is_negative = ctx.w.icmp("slt", binary(ctx, Op.XOR, a, b, int64), index(0))
    return ctx.w.select(is_negative, binary(ctx, Op.SUB, index(0), size, int64), size)


def _evaluated(
    size: Scalar, operation: Callable[[Op, _T, _T], _T], leaf: Callable[[Scalar], _T]
) -> _T:
    """Return the value of a tree of integer operations; `leaf` gives the value of other nodes."""
    memo: dict[Scalar, _T] = {}
    stack = [size]
    while stack:
        top = stack[-1]
        if not (isinstance(top, Binary) and top.op in FOLD):
            memo[stack.pop()] = leaf(top)
        elif waiting := [part for part in top.parts if part not in memo]:
            stack += waiting
        else:
            memo[stack.pop()] = operation(top.op, memo[top.a], memo[top.b])
    return memo[size]
