"""The pass that applies all algebraic rewrite rules."""

from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule
from relay.transform.simplify.expressions import (
    arithmetic,
    casts_and_clips,
    order_of_quantised,
    static_shapes,
    transpositions,
)

TABLES = (
    static_shapes.RULES,
    arithmetic.RULES,
    transpositions.RULES,
    casts_and_clips.RULES,
    order_of_quantised.RULES,
)


@value
class SimplifyExpressions(RewritePass):
    """Apply the algebraic rules of `relay.transform.simplify.expressions` until none matches.

    1. `zeros_like`, `ones_like`, `full_like`, `reshape_like`, `collapse_sum_like`,
       `broadcast_to_like` and `cast_like` become operators that need no second tensor, where the
       type of the result is known.
    2. `x + x` is `x * 2`, and `a / sqrt(b)` is `a * rsqrt(b)`, which differs by rounding.
    3. `abs(abs(x))` is `abs(x)` and `maximum(x, x)` is `x`, and so are all idempotent operators.
    4. `x + 0`, `x - 0`, `x * 1` and `x / 1` are `x`, whatever writes the zeros or ones, if `x` has
       the type of the result; zeros may lose their sign.
    5. An operand that repeats a number becomes a scalar, if the other operand has the result's
       shape.
    6. Consecutive transpositions and changes of layout become one, or none.
    7. A cast to the same type is dropped; of two consecutive casts, the first one is dropped if it
       is lossless.
    8. A clip of integers to the full range of their type is dropped; so is an intermediate cast
       between a clip and another cast, if its type holds the clipped range.
    9. `argmax`, `argmin` and `argsort` of a dequantised tensor of 8-bit integers compare the
       integers, if there is one positive scale.
    """

    def rules(self) -> tuple[Rule, ...]:
        return tuple(rule for table in TABLES for rule in table)
