"""The pass that reassociates additions and multiplications to combine their constants."""

from typing import cast

from relay.ir.dataflow import Found, is_constant, operators, wildcard
from relay.ir.expr import Array, Call, Constant, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Add, Divide, Multiply, Subtract
from relay.ops.elementwise import Negative
from relay.ops.nn.conv import Convolution
from relay.ops.nn.matmul import Dense
from relay.ops.transcendental import Erf, Sigmoid, Tanh
from relay.semantics.apply_operator import apply
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule
from relay.transform.simplify.rounding_conditions import (
    has_exact_inverse,
    has_integer_quotient,
    is_moderate,
    keeps_digits,
)


def _is_float(c: Constant) -> bool:
    return c.tensor_type.dtype.is_float


def _is_integer(c: Constant) -> bool:
    return c.tensor_type.dtype.is_integer


def _starts_with_constant(call: Call) -> bool:
    return isinstance(call.args[0], Constant) and not isinstance(call.args[1], Constant)


x = wildcard()
a, b = is_constant().where(_is_float), is_constant().where(_is_float)
m, n = is_constant().where(_is_integer), is_constant().where(_is_integer)
reversible = operators(Add, Multiply)(None).where(_starts_with_constant)
difference, quotient = operators(Subtract)(x, a), operators(Divide)(x, a)
smooth_of_quotient = operators(Erf, Sigmoid, Tanh)(quotient.used_once())
sum_of_sum = operators(Add)(operators(Add)(x, a).used_once(), b)
product_of_product = operators(Multiply)(operators(Multiply)(x, a).used_once(), b)
product_of_quotient = operators(Multiply)(operators(Divide)(x, a).used_once(), b)
quotient_of_product = operators(Divide)(operators(Multiply)(x, a).used_once(), b)
quotient_of_quotient = operators(Divide)(operators(Divide)(x, a).used_once(), b)
product_of_sum = operators(Multiply)(operators(Add)(x, a).used_once(), b)
integer_sum = operators(Add)(operators(Add)(x, m).used_once(), n)
integer_product = operators(Multiply)(operators(Multiply)(x, m).used_once(), n)


@value
class ReassociateConstants(RewritePass):
    """Move constants outwards, so that two of them become operands of one operator and fold.

    The intermediate value must have no other user, and the combined constant must not be larger
    than both original constants. Cases 2 to 5 apply to floating-point tensors only; results differ
    by rounding only.

    1. `c + x` becomes `x + c`, and `c * x` becomes `x * c`.
    2. `x - c` is `x + (-c)`; `x / c` is `x * (1 / c)` where `c` is a moderate power of two, whose
       inverse is exact. `erf(x / c)` is `erf(x * (1 / c))`, and so are other smooth functions that
       are not rounded correctly themselves, where `c` is moderate. Other quotients stay: a rounded
       inverse makes `floor(41 / 41)` 0.
    3. `(x + a) + b` is `x + (a + b)` unless `a` and `b` cancel one another.
    4. `(x * a) * b` is `x * (a * b)` where all three constants are moderate, and `(x / a) / b` is
       `x / (a * b)`. If the quotient of the constants is an integer, `(x / a) * b` is `x * (b / a)`
       and `(x * a) / b` is `x * (a / b)`; a rounded one makes `floor(41 * 2 / 41)` 1.
    5. `(x + a) * b` is `x * b + a * b` where `b` is moderate, and `x` comes from weights: the scale
       after a bias can then be folded into the weights. Elsewhere `x + a` may be exact, and small.
    6. Sums and products of integers are combined as in cases 3 and 4, always: integers wrap around,
       so that the result is the same.
    """

    def rules(self) -> tuple[Rule, ...]:
        return (
            Rule(reversible, _swapped),
            Rule(difference, _sum),
            Rule(quotient, _product),
            Rule(smooth_of_quotient, _smooth_of_product),
            Rule(sum_of_sum, _one_sum),
            Rule(product_of_product, _one_product),
            Rule(product_of_quotient, _inverse_product),
            Rule(quotient_of_product, _product_with_quotient),
            Rule(quotient_of_quotient, _one_quotient),
            Rule(product_of_sum, _distributed),
            Rule(integer_sum, _one_integer_sum),
            Rule(integer_product, _one_integer_product),
        )


def _swapped(found: Found) -> Expr:
    call = found[reversible]
    return Call(call.op, call.args[::-1], span=call.span)


def _sum(found: Found) -> Expr:
    return Call(Add(), (found[x], computed(Negative(), found[a])), span=found[difference].span)


def _product(found: Found) -> Expr | None:
    return _with_inverse(found) if has_exact_inverse(found[a].array) else None


def _smooth_of_product(found: Found) -> Expr | None:
    root, divisor = found[smooth_of_quotient], found[a].array
    if not (divisor.all() and is_moderate(divisor)):
        return None
    return Call(root.op, (_with_inverse(found),), span=root.span)


def _with_inverse(found: Found) -> Expr:
    """Return the product of `x` with the inverse of `a`."""
    one = Constant(found[a].array.dtype.type(1).reshape(()))
    inverse = computed(Divide(), one, found[a])
    return Call(Multiply(), (found[x], inverse), span=found[quotient].span)


def _one_sum(found: Found) -> Expr | None:
    joint = _combined_constant(Add(), found[a], found[b])
    if joint is None or not keeps_digits(found[a].array, found[b].array):
        return None
    return Call(Add(), (found[x], joint), span=found[sum_of_sum].span)


def _one_product(found: Found) -> Expr | None:
    joint = _combined_factor(Multiply(), found[a], found[b])
    return _applied(Multiply(), found, joint, found[product_of_product])


def _inverse_product(found: Found) -> Expr | None:
    joint = _combined_factor(Divide(), found[b], found[a])
    return _applied(Multiply(), found, joint, found[product_of_quotient])


def _product_with_quotient(found: Found) -> Expr | None:
    joint = _combined_factor(Divide(), found[a], found[b])
    return _applied(Multiply(), found, joint, found[quotient_of_product])


def _one_quotient(found: Found) -> Expr | None:
    joint = _combined_factor(Multiply(), found[a], found[b])
    return _applied(Divide(), found, joint, found[quotient_of_quotient])


def _applied(op: OperatorDef, found: Found, joint: Constant | None, root: Expr) -> Expr | None:
    """Return `op` of `x` and the combined constant, if there is one, in the place of `root`."""
    return None if joint is None else Call(op, (found[x], joint), span=root.span)


def _distributed(found: Found) -> Expr | None:
    joint = _combined_constant(Multiply(), found[a], found[b])
    if joint is None or not (_comes_from_weights(found[x]) and is_moderate(found[b].array)):
        return None
    span = found[product_of_sum].span
    return Call(Add(), (Call(Multiply(), (found[x], found[b]), span=span), joint), span=span)


def _one_integer_sum(found: Found) -> Expr | None:
    joint = _combined_constant(Add(), found[m], found[n])
    return _applied(Add(), found, joint, found[integer_sum])


def _one_integer_product(found: Found) -> Expr | None:
    joint = _combined_constant(Multiply(), found[m], found[n])
    return _applied(Multiply(), found, joint, found[integer_product])


def _comes_from_weights(x: Expr) -> bool:
    """Whether a tensor is the result of a layer whose constant weights can absorb a scale."""
    while isinstance(x, Call) and isinstance(x.op, Multiply) and isinstance(x.args[1], Constant):
        x = x.args[0]
    match x:
        case Call(Convolution() | Dense(), (_, Constant())):
            return True
        case _:
            return False


def _combined_factor(op: OperatorDef, left: Constant, right: Constant) -> Constant | None:
    """Return a combined factor or divisor if it and both constants are moderate, else None.

    Quotients must be integers.
    """
    if isinstance(op, Divide) and not has_integer_quotient(left.array, right.array):
        return None
    joint = _combined_constant(op, left, right)
    if joint is None or not all(is_moderate(each.array) for each in (left, right, joint)):
        return None
    return joint


def _combined_constant(op: OperatorDef, left: Constant, right: Constant) -> Constant | None:
    """Return `op` of two constants; None if broadcasting makes the result larger than both."""
    joint = computed(op, left, right)
    return joint if joint.array.size <= max(left.array.size, right.array.size) else None


def computed(op: OperatorDef, *operands: Constant) -> Constant:
    """Return the result of an operator applied to constants."""
    return Constant(cast("Array", apply(op, *(operand.array for operand in operands))))
