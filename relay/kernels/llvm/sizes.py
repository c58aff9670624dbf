"""Evaluation of a symbolic size, given a kernel's scalar arguments."""

from collections.abc import Mapping

from relay.kernels.llvm.arithmetic import FOLD
from relay.kernels.llvm.plan import Size
from relay.kernels.scalar import Binary, Const, Scalar, Var
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError


def evaluate_size(size: Size, values: Mapping[Var, int]) -> int:
    """Return a size in bytes for given values of the kernel's scalars."""
    if isinstance(size, int):
        return size
    memo: dict[Scalar, int] = {**values}
    stack = [size]
    while stack:
        top = stack[-1]
        waiting = [part for part in top.parts if part not in memo]
        if waiting:
            stack += waiting
        else:
            memo[stack.pop()] = _value(top, memo)
    return memo[size]


def _value(one: Scalar, memo: Mapping[Scalar, int]) -> int:
    match one:
        case Const(value=value):
            return int(value)
        case Binary(op=op, a=a, b=b) if op in FOLD:
            return FOLD[op](memo[a], memo[b])
        case _:
            pass
    raise CompileError(
        ErrorCode.C003,
        f"the size of a scratch buffer is computed by '{type(one).__name__}'",
        help="use sums, products, quotients, minima and maxima of the kernel's scalars",
    )
