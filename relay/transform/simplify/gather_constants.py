"""Bring the constants of a chain of additions and multiplications together."""

from collections import Counter
from typing import cast

from relay.ir.expr import Array, Call, Constant, Expr, Function
from relay.ir.uses import use_counts
from relay.ir.walk import rewrite
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Add, Divide, Multiply, Subtract
from relay.ops.elementwise import Negative
from relay.ops.nn.conv import Convolution
from relay.ops.nn.matmul import Dense
from relay.semantics.apply import apply
from relay.support.node import value
from relay.transform.pipeline import FunctionPass
from relay.transform.simplify.rounding import is_moderate, keeps_digits


@value
class GatherConstants(FunctionPass):
    """Move constants outwards, so that two of them meet and become one.

    Only for floating-point tensors; results differ by rounding alone. The value in between must
    have no other user, and the joint constant must not be larger than both were.

    1. `c + x` is `x + c`, `c * x` is `x * c`, `x - c` is `x + (-c)`; `x / c` is `x * (1 / c)` where
       `c` is moderate.
    2. `(x + a) + b` is `x + (a + b)` unless `a` and `b` cancel one another.
    3. `(x * a) * b` is `x * (a * b)` where all three constants are moderate.
    4. `(x + a) * b` is `x * b + a * b` where `b` is, and `x` comes from weights: the scale behind a
       bias can then reach them. Elsewhere `x + a` may be exact, and small.
    """

    def run(self, function: Function) -> Function:
        """Rewrite from the leaves up; what a rule makes is looked at again, for longer chains."""
        uses = use_counts(function)
        return cast("Function", rewrite(function, lambda expr: _gather(expr, uses)))


def _gather(expr: Expr, uses: Counter[Expr]) -> Expr:
    if not (isinstance(expr, Call) and isinstance(expr.op, OperatorDef) and len(expr.args) == 2):
        return expr
    ordered = _ordered(expr)
    match ordered:
        case Call(
            Add() | Multiply() as outer,
            (Call(Add() | Multiply() as inner, (x, Constant() as a)) as middle, b),
        ):
            if uses[middle] > 1 or not isinstance(b, Constant) or not _is_float(ordered):
                return ordered
            joint = _joint(outer, a, b)
            if joint is None:
                return ordered
            if inner is outer and _differ_by_rounding(outer, a, b, joint):  # cases 2 and 3
                return _gather(Call(outer, (x, joint), span=expr.span), uses)
            if isinstance(inner, Add) and outer is not inner and _reaches_weights(x, b):  # case 4
                scaled = _gather(Call(outer, (x, b), span=middle.span), uses)
                return Call(inner, (scaled, joint), span=expr.span)
        case _:
            pass
    return ordered


def _ordered(call: Call) -> Call:
    """Case 1: put a constant operand of a sum or a product on the right."""
    match call:
        case Call(Add() | Multiply() as op, (Constant() as c, x)) if not isinstance(x, Constant):
            return Call(op, (x, c), span=call.span)
        case Call(Subtract(), (x, Constant() as c)) if _is_float(call):
            return Call(Add(), (x, _constant(Negative(), c)), span=call.span)
        case Call(Divide(), (x, Constant() as c)) if _is_divisor(c):
            one = Constant(c.data.dtype.type(1).reshape(()))
            return Call(Multiply(), (x, _constant(Divide(), one, c)), span=call.span)
        case _:
            return call


def _is_divisor(c: Constant) -> bool:
    return _is_float(c) and bool(c.data.all()) and is_moderate(c.data)


def _differ_by_rounding(op: OperatorDef, a: Constant, b: Constant, joint: Constant) -> bool:
    """Whether two constants that follow one another may be one."""
    if isinstance(op, Add):
        return keeps_digits(a.data, b.data)
    return all(is_moderate(each.data) for each in (a, b, joint))


def _reaches_weights(x: Expr, scale: Constant) -> bool:
    """Whether a scale of this tensor ends in constant weights."""
    while isinstance(x, Call) and isinstance(x.op, Multiply) and isinstance(x.args[1], Constant):
        x = x.args[0]
    match x:
        case Call(Convolution() | Dense(), (_, Constant())):
            return is_moderate(scale.data)
        case _:
            return False


def _is_float(expr: Expr) -> bool:
    return expr.tensor_type.dtype.is_float


def _joint(op: OperatorDef, a: Constant, b: Constant) -> Constant | None:
    """Compute a constant from two, unless broadcasting makes it larger than both."""
    joint = _constant(op, a, b)
    return joint if joint.data.size <= max(a.data.size, b.data.size) else None


def _constant(op: OperatorDef, *operands: Constant) -> Constant:
    return Constant(cast("Array", apply(op, *(operand.data for operand in operands))))
