"""The pass that reassociates additions and multiplications to combine their constants."""

from typing import cast

from relay.ir.dataflow import Found, is_constant, operators, wildcard
from relay.ir.expr import Array, Call, Constant, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Add, Divide, Multiply, Subtract
from relay.ops.elementwise import Negative
from relay.ops.nn.conv import Convolution
from relay.ops.nn.matmul import Dense
from relay.semantics.apply_operator import apply
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule
from relay.transform.simplify.rounding_conditions import is_moderate, keeps_digits


def _is_float(c: Constant) -> bool:
    return c.tensor_type.dtype.is_float


def _starts_with_constant(call: Call) -> bool:
    return isinstance(call.args[0], Constant) and not isinstance(call.args[1], Constant)


x = wildcard()
a, b = is_constant().where(_is_float), is_constant().where(_is_float)
reversible = operators(Add, Multiply)(None).where(_starts_with_constant)
difference, quotient = operators(Subtract)(x, a), operators(Divide)(x, a)
sum_of_sum = operators(Add)(operators(Add)(x, a).used_once(), b)
product_of_product = operators(Multiply)(operators(Multiply)(x, a).used_once(), b)
product_of_sum = operators(Multiply)(operators(Add)(x, a).used_once(), b)


@value
class ReassociateConstants(RewritePass):
    """Move constants outwards, so that two of them become operands of one operator and fold.

    The intermediate value must have no other user, and the combined constant must not be larger
    than both original constants. All cases except case 1 apply to floating-point tensors only;
    results differ by rounding only.

    1. `c + x` is `x + c`, `c * x` is `x * c`.
    2. `x - c` is `x + (-c)`; `x / c` is `x * (1 / c)` where `c` is moderate.
    3. `(x + a) + b` is `x + (a + b)` unless `a` and `b` cancel one another.
    4. `(x * a) * b` is `x * (a * b)` where all three constants are moderate.
    5. `(x + a) * b` is `x * b + a * b` where `b` is moderate, and `x` comes from weights: the scale
       after a bias can then be folded into the weights. Elsewhere `x + a` may be exact, and small.
    """

    def rules(self) -> tuple[Rule, ...]:
        return (
            Rule(reversible, _swapped),
            Rule(difference, _sum),
            Rule(quotient, _product),
            Rule(sum_of_sum, _one_sum),
            Rule(product_of_product, _one_product),
            Rule(product_of_sum, _distributed),
        )


def _swapped(found: Found) -> Expr:
    call = found[reversible]
    return Call(call.op, call.args[::-1], span=call.span)


def _sum(found: Found) -> Expr:
    return Call(Add(), (found[x], _constant(Negative(), found[a])), span=found[difference].span)


def _product(found: Found) -> Expr | None:
    divisor = found[a].data
    if not divisor.all() or not is_moderate(divisor):
        return None
    one = Constant(divisor.dtype.type(1).reshape(()))
    inverse = _constant(Divide(), one, found[a])
    return Call(Multiply(), (found[x], inverse), span=found[quotient].span)


def _one_sum(found: Found) -> Expr | None:
    joint = _combined_constant(Add(), found)
    if joint is None or not keeps_digits(found[a].data, found[b].data):
        return None
    return Call(Add(), (found[x], joint), span=found[sum_of_sum].span)


def _one_product(found: Found) -> Expr | None:
    joint = _combined_constant(Multiply(), found)
    if joint is None or not all(is_moderate(each.data) for each in (found[a], found[b], joint)):
        return None
    return Call(Multiply(), (found[x], joint), span=found[product_of_product].span)


def _distributed(found: Found) -> Expr | None:
    joint = _combined_constant(Multiply(), found)
    if joint is None or not (_comes_from_weights(found[x]) and is_moderate(found[b].data)):
        return None
    span = found[product_of_sum].span
    return Call(Add(), (Call(Multiply(), (found[x], found[b]), span=span), joint), span=span)


def _comes_from_weights(x: Expr) -> bool:
    """Whether a tensor is the result of a layer whose constant weights can absorb a scale."""
    while isinstance(x, Call) and isinstance(x.op, Multiply) and isinstance(x.args[1], Constant):
        x = x.args[0]
    match x:
        case Call(Convolution() | Dense(), (_, Constant())):
            return True
        case _:
            return False


def _combined_constant(op: OperatorDef, found: Found) -> Constant | None:
    """Return `op` of two constants; None if broadcasting makes the result larger than both."""
    joint = _constant(op, found[a], found[b])
    return joint if joint.data.size <= max(found[a].data.size, found[b].data.size) else None


def _constant(op: OperatorDef, *operands: Constant) -> Constant:
    return Constant(cast("Array", apply(op, *(operand.data for operand in operands))))
