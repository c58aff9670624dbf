"""Builds batch normalisations whose statistics are wider than the data."""

from collections.abc import Sequence

from relay.frontend.builders.tensor_helpers import converted
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.ops.nn.batch_norm_dropout import BatchNorm
from relay.support.span import Span


def batch_norm(op: BatchNorm, x: Expr, vectors: Sequence[Expr], span: Span | None) -> Expr:
    """Return `x` normalised by the operator `op`, in the element type of `x`.

    `vectors` are scale, shift, mean and variance. Networks in float16 often keep them in float32:
    the operator then computes in the widest of these element types.
    """
    of = x.tensor_type.dtype
    wide = max((each.tensor_type.dtype for each in (x, *vectors)), key=lambda dtype: dtype.bits)
    args = tuple(converted(each, wide) for each in (x, *vectors))
    return converted(TupleGetItem(Call(op, args, span=span), 0), of)
