"""Apply masks to scores before a softmax, as Keras does."""

from relay.frontend.builders.tensor_helpers import constant
from relay.ir.expr import Call, Expr
from relay.ops.binary import subtract
from relay.ops.cast import Cast
from relay.ops.comparison import Greater
from relay.ops.selection import where
from relay.support.dtype import bool_, float16


def as_booleans(mask: Expr) -> Expr:
    """Return a mask as booleans; numbers above 0.5 are true."""
    of = mask.tensor_type.dtype
    if of is bool_:
        return mask
    if of.is_float:
        return Call(Greater(), (mask, constant(0.5, of)))
    return Call(Cast(bool_), (mask,))


def masked(scores: Expr, mask: Expr, *, adds: bool = False) -> Expr:
    """Return scores that are very small where the mask is false, so that a softmax gives 0.

    With `adds`, the scores keep their differences there: a row without a true element has the
    softmax of the scores.
    """
    of = scores.tensor_type.dtype
    if adds:
        most = constant(65504.0 if of is float16 else 1e9, of)
        return where(mask, scores, subtract(scores, most))
    return where(mask, scores, constant(-3e4 if of is float16 else -1e9, of))
