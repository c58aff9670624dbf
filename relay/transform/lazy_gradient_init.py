"""The pass that removes the zeros and ones that gradients start from: TVM's `LazyGradientInit`."""

from collections.abc import Sequence
from types import UnionType

from relay.ir.dataflow.matching import Found, Matchable
from relay.ir.dataflow.patterns import operators, wildcard
from relay.ir.dims import is_static
from relay.ir.expr import Call, Expr
from relay.ops.binary import Add, Multiply
from relay.ops.creation import Ones, OnesLike, Zeros, ZerosLike
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule

left, right = wildcard(), wildcard()
sum_of = operators(Add)(left, right)
product_of = operators(Multiply)(left, right)


@value
class LazyGradientInit(RewritePass):
    """Eliminate the zeros and ones that initialise gradients: calls of `zeros`, `ones_like` etc.

    1. A sum with zeros becomes its other operand, if both have the same type.
    2. A product with ones becomes its other operand, if both have the same type.
    3. A product with zeros becomes zeros if its size is known, even where the other factor is
       infinite.
    """

    def rules(self) -> Sequence[Rule]:
        """Return the two rules, one for sums and one for products."""
        return (Rule(sum_of, _sum), Rule(product_of, _product))


def _sum(found: Found) -> Expr | None:
    return _without(found, sum_of, Zeros | ZerosLike)


def _product(found: Found) -> Expr | None:
    ty = found[product_of].tensor_type
    if any(_makes(found[each], Zeros | ZerosLike) for each in (left, right)):  # case 3
        return Call(Zeros(ty.shape, ty.dtype), ()) if is_static(ty.shape) else None
    return _without(found, product_of, Ones | OnesLike)


def _without(found: Found, whole: Matchable[Call], neutral: UnionType) -> Expr | None:
    """Return the operand of a matched sum or product that remains if the other one is neutral.

    `neutral` are the operators that create the neutral element, and `whole` is the pattern of the
    sum or product. The result is None if neither operand is neutral, or if the types differ.
    """
    for this, other in ((left, right), (right, left)):
        if _makes(found[this], neutral) and found[other].ty is found[whole].ty:
            return found[other]
    return None


def _makes(expr: Expr, operators: UnionType) -> bool:
    return isinstance(expr, Call) and isinstance(expr.op, operators)
