"""Rewrite rules for operators like `zeros_like` whose result has a static shape."""

from relay.ir.dataflow import operators
from relay.ir.dims import is_static
from relay.ir.expr import Call, Expr
from relay.ir.types import TensorType
from relay.ops.broadcasting import BroadcastTo, BroadcastToLike, CollapseSumLike, CollapseSumTo
from relay.ops.cast import Cast, CastLike
from relay.ops.creation import Full, FullLike, Ones, OnesLike, Zeros, ZerosLike
from relay.ops.tensor.reshape import Reshape, ReshapeLike
from relay.transform.rewriting import Rule

like = operators(
    ZerosLike, OnesLike, FullLike, ReshapeLike, CollapseSumLike, BroadcastToLike, CastLike
)
call = like(None).where(lambda call: is_static(call.tensor_type.shape))


def with_static_shape(expr: Expr) -> Expr:
    """Return a `…_like` call as an operator with the static shape of its result as attribute.

    Other expressions are returned unchanged.
    """
    match expr.ty:
        case TensorType(shape, dtype) if is_static(shape):
            pass
        case _:
            return expr
    match expr:
        case Call(ZerosLike()):
            return Call(Zeros(shape, dtype), (), span=expr.span)
        case Call(OnesLike()):
            return Call(Ones(shape, dtype), (), span=expr.span)
        case Call(FullLike(), (_, fill)):
            return Call(Full(shape, dtype), (fill,), span=expr.span)
        case Call(ReshapeLike(), (data, _)):
            return Call(Reshape(shape, allowzero=True), (data,), span=expr.span)
        case Call(CollapseSumLike(), (data, _)):
            return Call(CollapseSumTo(shape), (data,), span=expr.span)
        case Call(BroadcastToLike(), (data, _)):
            return Call(BroadcastTo(shape), (data,), span=expr.span)
        case Call(CastLike(), (data, _)):
            return Call(Cast(dtype), (data,), span=expr.span)
        case _:
            return expr


RULES = (Rule(call, lambda found: with_static_shape(found[call])),)
