"""Tightens loop bounds by the conditions in loop bodies, to skip iterations that do nothing.

>>> from relay.kernels.loops import Block, Mode
>>> from relay.kernels.scalar import Var
>>> i, s = Var("i"), Simplifier()
>>> loop = For(i, Const(0), Const(9), Mode.SERIAL, If(i - 2 >= 0, Block(()), Block(())))
>>> tight = tighten(loop, s)
>>> tight.start, tight.extent
(Const(value=2, dtype=int64), Const(value=7, dtype=int64))
"""

from collections.abc import Iterable

from relay.kernels.loops import Block, For, If, Stmt
from relay.kernels.passes.affine_arithmetic import Affine
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.scalar import (
    Binary,
    Compare,
    Const,
    Op,
    Order,
    Scalar,
    Var,
    binary,
    maximum,
    minimum,
)
from relay.kernels.traverse_scalars import walk
from relay.support.dtype import bool_, int64
from relay.support.node import replace


def conjuncts(test: Scalar) -> list[Scalar]:
    """Return the conditions that `test` joins by `and`, in order."""
    found: list[Scalar] = []
    stack = [test]
    while stack:
        one = stack.pop()
        match one:
            case Binary(op=Op.AND, a=a, b=b) if one.dtype is bool_:
                stack += [b, a]
            case Const(value=True):
                pass
            case _:
                found.append(one)
    return found


def conjunction(tests: Iterable[Scalar]) -> Scalar:
    """Return the conditions joined by `and`; true if there are none."""
    together: Scalar = Const(True, bool_)
    for test in tests:
        together = binary(Op.AND, together, test)
    return together


def tighten(loop: For, simplify: Simplifier) -> Stmt:
    """Return a loop over only those iterations for which the test around its body holds."""
    body = loop.body
    if not isinstance(body, If) or not (isinstance(body.other, Block) and not body.other.stmts):
        return loop
    low, high = loop.start, loop.start + loop.extent
    kept: list[Scalar] = []
    for test in conjuncts(body.condition):
        limit = limit_of(test, loop.var, simplify)
        if limit is None:
            kept.append(test)
        elif limit[0] is Order.GE:
            low = maximum(low, limit[1])
        else:
            high = minimum(high, limit[1])
    if len(kept) == len(conjuncts(body.condition)):
        return loop
    low, extent = simplify(low), simplify(high - low)
    inside = If(conjunction(kept), body.then, body.other) if kept else body.then
    return replace(loop, start=low, extent=extent, body=inside)


def limit_of(test: Scalar, var: Var, simplify: Simplifier) -> tuple[Order, Scalar] | None:
    """Return a comparison as `var >= limit` or `var < limit`, or None if that is impossible."""
    margin = margin_of(test, simplify)
    if margin is None or var not in margin.terms:
        return None
    factor = margin.terms[var]
    rest = margin.plus(Affine({var: 1}, 0), -factor)
    if any(var in walk(atom) for atom in rest.terms):
        return None
    arithmetic = simplify.arithmetic
    if factor > 0:
        return Order.GE, 0 - arithmetic.scalar(rest) // factor
    return Order.LT, arithmetic.scalar(rest) // -factor + 1


def margin_of(test: Scalar, simplify: Simplifier) -> Affine | None:
    """Return a sum that is nonnegative if and only if an integer comparison holds, or None."""
    if not isinstance(test, Compare) or test.a.dtype is not int64:
        return None
    a, b = simplify.arithmetic.affine(test.a), simplify.arithmetic.affine(test.b)
    if not (simplify.arithmetic.is_exact(a) and simplify.arithmetic.is_exact(b)):
        return None
    match test.order:
        case Order.GE:
            return a.plus(b, -1)
        case Order.GT:
            return a.plus(b, -1).plus(Affine({}, -1))
        case Order.LE:
            return b.plus(a, -1)
        case Order.LT:
            return b.plus(a, -1).plus(Affine({}, -1))
        case Order.EQ | Order.NE:
            return None
