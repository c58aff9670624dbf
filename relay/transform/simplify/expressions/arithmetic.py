"""Rewrite rules for arithmetic with equal, neutral or constant operands."""

import numpy as np

from relay.ir.dataflow import Found, operators, wildcard
from relay.ir.expr import Call, Constant, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Add, Divide, Multiply
from relay.ops.creation import Full, Ones, Zeros, number
from relay.ops.families import Broadcast, Elementwise
from relay.ops.transcendental import Rsqrt, Sqrt
from relay.transform.rewriting import Rule


def repeated(expr: Expr) -> float | None:
    """Return the number that all elements of an expression equal; None if unknown."""
    match expr:
        case Constant(data) if data.size and (data == data.flat[0]).all():
            return data.flat[0].item()
        case Call(Zeros() | Ones() as op, ()):
            return op.number
        case Call(Full(), (value,)):
            return repeated(value)
        case _:
            return None


def neutral_side(call: Call) -> int | None:
    """Return the index of a neutral operand, such as the 0 in `x + 0`; None if there is none."""
    op, args = call.op, call.args
    if not isinstance(op, OperatorDef) or op.identity is None:
        return None
    for side in (1, 0) if op.commutative else (1,):
        if args[1 - side].type is call.type and repeated(args[side]) == op.identity:
            return side
    return None


def repeated_side(call: Call) -> int | None:
    """Return the index of an operand that a scalar can replace, because its elements are equal.

    Return None if there is none, or if the result would have another shape.
    """
    for side in (1, 0):
        ty = call.args[side].tensor_type
        known = None if ty.rank == 0 else repeated(call.args[side])
        if known is not None and call.args[1 - side].tensor_type.shape == call.tensor_type.shape:
            return side
    return None


def is_done_twice(call: Call) -> bool:
    """Whether an idempotent operator is applied to its own result, or to two equal operands."""
    first, *others = call.args
    if others:
        return others == [first] and first.type is call.type
    return isinstance(first, Call) and first.op is call.op


x, y, root = wildcard(), wildcard(), operators(Sqrt)
double = operators(Add)(x, x)
by_root = operators(Divide)(x, root(y))
again = operators(Elementwise, Broadcast, idempotent=True)(None).where(is_done_twice)
neutral = operators(Broadcast)(None).where(lambda call: neutral_side(call) is not None)
filled = operators(Broadcast)(None).where(lambda call: repeated_side(call) is not None)


def _doubled(found: Found) -> Expr:
    return Call(Multiply(), (found[x], number(2, found[x])), span=found[double].span)


def _by_inverse_root(found: Found) -> Expr:
    inverse = Call(Rsqrt(), (found[y],), span=found[by_root].span)
    return Call(Multiply(), (found[x], inverse), span=found[by_root].span)


def _other_side(found: Found) -> Expr:
    call = found[neutral]
    return call.args[1 - (neutral_side(call) or 0)]


def _by_number(found: Found) -> Expr:
    call = found[filled]
    side = repeated_side(call) or 0
    value = np.asarray(repeated(call.args[side]), call.args[side].tensor_type.dtype.numpy)
    args = [*call.args]
    args[side] = Constant(value, span=call.args[side].span)
    return Call(call.op, tuple(args), span=call.span)


RULES = (
    Rule(double, _doubled),
    Rule(by_root, _by_inverse_root),
    Rule(again, lambda found: found[again].args[0]),
    Rule(neutral, _other_side),
    Rule(filled, _by_number),
)
