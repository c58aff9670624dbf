"""Rules for operators that follow the shape or type of another tensor, if it is static."""

from relay.ir.dataflow import Found, operators
from relay.ir.dims import is_static
from relay.ir.expr import Call, Expr
from relay.ops.broadcasting import BroadcastTo, BroadcastToLike, CollapseSumLike, CollapseSumTo
from relay.ops.cast import Cast, CastLike
from relay.ops.creation import Full, FullLike, Ones, OnesLike, Zeros, ZerosLike
from relay.ops.tensor.reshape import Reshape, ReshapeLike
from relay.transform.rewriting import Rule

like = operators(
    ZerosLike, OnesLike, FullLike, ReshapeLike, CollapseSumLike, BroadcastToLike, CastLike
)
call = like(None).where(lambda call: is_static(call.tensor_type.shape))


def _static(found: Found) -> Expr:
    old = found[call]
    ty, first = old.tensor_type, old.args[0]
    match found[like]:
        case ZerosLike():
            return Call(Zeros(ty.shape, ty.dtype), (), span=old.span)
        case OnesLike():
            return Call(Ones(ty.shape, ty.dtype), (), span=old.span)
        case FullLike():
            return Call(Full(ty.shape, ty.dtype), (old.args[1],), span=old.span)
        case ReshapeLike():
            return Call(Reshape(ty.shape, allowzero=True), (first,), span=old.span)
        case CollapseSumLike():
            return Call(CollapseSumTo(ty.shape), (first,), span=old.span)
        case BroadcastToLike():
            return Call(BroadcastTo(ty.shape), (first,), span=old.span)
        case CastLike():
            return Call(Cast(ty.dtype), (first,), span=old.span)


RULES = (Rule(call, _static),)
