"""The pass that multiplies sums by constants out, and factors sums of three products."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from relay.ir.dataflow import Found, is_constant, operators, wildcard
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import Add, Multiply
from relay.ops.creation import number
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule
from relay.transform.simplify.expressions.arithmetic import repeated
from relay.transform.simplify.reassociate_constants import computed

x, a, b = wildcard(), is_constant(), is_constant()
product_of_sum = operators(Multiply)(operators(Add)(x, a), b)
total = operators(Add)(operators(Add, Multiply)(None), operators(Add, Multiply)(None))


@value
class DistributeAndFactor(RewritePass):
    """Apply the rules of TVM's `SimplifyExpr` that a compilation leaves out: they round otherwise.

    1. `(x + a) * b` becomes `x * b + a * b` for constants `a` and `b`, if `x` is not a constant.
       Where `x + a` is small, the result has a larger relative error.
    2. `a * x * x + b * x * y + c * y * y` becomes a product of two sums, if `b * b >= 4 * a * c`;
       `a`, `b` and `c` are numbers, which may be missing. Its operands may be in any order.
    """

    def rules(self) -> tuple[Rule, ...]:
        return (Rule(product_of_sum, _distributed), Rule(total, _factored))


def _distributed(found: Found) -> Expr | None:
    if isinstance(found[x], Constant):
        return None
    span = found[product_of_sum].span
    product = Call(Multiply(), (found[x], found[b]), span=span)
    return Call(Add(), (product, computed(Multiply(), found[a], found[b])), span=span)


class _Term(NamedTuple):
    """A product of a number and two expressions."""

    factor: float
    operands: tuple[Expr, Expr]


def _factored(found: Found) -> Expr | None:
    root = found[total]
    terms = [_term(each) for each in _operands(root, Add)]
    if not root.tensor_type.dtype.is_float or len(terms) != 3:
        return None
    known = [each for each in terms if each is not None]
    by_kind = Counter(frozenset(each.operands) for each in known)
    squares = [each for each in known if each.operands[0] is each.operands[1]]
    mixed = [each for each in known if each not in squares]
    if len(by_kind) != 3 or len(squares) != 2 or len(mixed) != 1:
        return None
    first, second = (each.operands[0] for each in squares)
    if {*mixed[0].operands} != {first, second} or first.type is not second.type:
        return None
    return _product(root, (first, second), (squares[0].factor, mixed[0].factor, squares[1].factor))


def _operands(expr: Expr, kind: type[Add | Multiply]) -> list[Expr]:
    """Return the operands of nested sums or products; at most four, in order."""
    found, pending = list[Expr](), [expr]
    while pending and len(found) < 4:
        each = pending.pop()
        if isinstance(each, Call) and isinstance(each.op, kind):
            pending += reversed(each.args)
        else:
            found.append(each)
    return found + pending


def _term(expr: Expr) -> _Term | None:
    """Return an expression as the product of a number and two expressions, if it is one."""
    parts = _operands(expr, Multiply)
    numbers = [n for n in map(repeated, parts) if n is not None]
    others = [part for part in parts if repeated(part) is None]
    if len(others) != 2 or len(numbers) > 1:
        return None
    return _Term(numbers[0] if numbers else 1.0, (others[0], others[1]))


def _product(root: Call, pair: Sequence[Expr], factors: Sequence[float]) -> Expr | None:
    """Return `a * (x + r * y) * (x + s * y)` for the factors `a`, `b`, `c` of the sum `root`."""
    first, second = pair
    a, b, c = factors
    inside = b * b - 4 * a * c
    if not (a and math.isfinite(inside) and inside >= 0) or first.type is not root.type:
        return None
    roots = [(b + side * math.sqrt(inside)) / (2 * a) for side in (1.0, -1.0)]
    left = _sum(first, second, roots[0])
    right = left if roots[0] == roots[1] else _sum(first, second, roots[1])
    product = Call(Multiply(), (left, right), span=root.span)
    if a == 1:
        return product
    return Call(Multiply(), (product, number(a, first)), span=root.span)


def _sum(first: Expr, second: Expr, factor: float) -> Expr:
    scaled = second if factor == 1 else Call(Multiply(), (second, number(factor, second)))
    return Call(Add(), (first, scaled), span=first.span)
