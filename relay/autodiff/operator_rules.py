"""Lookup of operators' derivative rules, also for operators lifted over a batch axis."""

from collections.abc import Iterator, Sequence

from relay.ir.expr import Call, Expr, Function, Tuple, TupleGetItem, Var
from relay.ir.types import TensorType, TupleType, Type
from relay.ir.walk import rewrite, substitute
from relay.opdef.definition import OperatorDef
from relay.ops.batched_operator import Lifted
from relay.ops.creation import ZerosLike
from relay.ops.sum_and_mean_reductions import Sum
from relay.transform.vmap import vmap


def has_rule(op: OperatorDef) -> bool:
    """Whether an operator has a derivative rule."""
    return op.called.has("gradient") if isinstance(op, Lifted) else op.has("gradient")


def gradient(call: Call, op: OperatorDef, d_out: Expr) -> Sequence[Expr | None]:
    """Return the derivative by each argument of a call for the cotangent `d_out` of its result.

    An operator's own rule is applied. For an operator lifted over a batch axis, the rule of the
    base operator is mapped over that axis, and derivatives by arguments that the whole batch shares
    are added up.
    """
    return _lifted(call, op, d_out) if isinstance(op, Lifted) else op.gradient(call, d_out)


def _lifted(call: Call, op: Lifted, d_out: Expr) -> Sequence[Expr | None]:
    (args,) = call.args
    assert isinstance(args.type, TupleType), "a lifted operator takes a tuple"
    flags = op.is_mapped
    tensors = [TupleGetItem(args, index) for index in range(len(flags))]
    own = [
        Var("x", _one(x.type) if flag else x.type) for x, flag in zip(tensors, flags, strict=True)
    ]
    result, d_one = Var("result", _one(call.type)), Var("d_out", _one(d_out.type))
    one = Call(op.called, op.grouped(own), span=call.span)
    parts = [*_parts(op.called.gradient(one, d_one), one.args)]
    known = [index for index, part in enumerate(parts) if part is not None]
    found = Tuple(tuple(part for part in parts if part is not None))
    body = rewrite(found, lambda expr: result if expr is one else expr)
    shared = [index for index, flag in enumerate(flags) if not flag]
    many = vmap(Function((*own, result, d_one), body), op.size, shared)
    operands = dict(zip(many.params, (*tensors, call, d_out), strict=True))
    whole = substitute(many.body, operands)
    gradients = [_zero(x) for x in tensors]
    for position, index in enumerate(known):
        each = whole.fields[position] if isinstance(whole, Tuple) else TupleGetItem(whole, position)
        gradients[index] = each if flags[index] else Call(Sum((0,)), (each,))
    return (Tuple(tuple(gradients)),)


def _parts(found: Sequence[Expr | None], args: Sequence[Expr]) -> Iterator[Expr | None]:
    """Yield the derivative by each tensor among the arguments `args`; None where there is none.

    `found` has an entry for each argument; tuples are flattened.
    """
    for arg, part in zip(args, found, strict=True):
        if not isinstance(arg, Tuple):
            yield part
        elif part is None:
            yield from (None for _ in arg.fields)
        else:
            yield from (TupleGetItem(part, index) for index in range(len(arg.fields)))


def _one(ty: Type) -> Type:
    """Return the type of one element of a batch."""
    match ty:
        case TupleType(fields):
            return TupleType(tuple(map(_one, fields)))
        case _:
            assert isinstance(ty, TensorType), "operators take tensors, and tuples of them"
            return TensorType(ty.shape[1:], ty.dtype)


def _zero(x: Expr) -> Expr:
    varies = isinstance(x.type, TensorType) and x.type.dtype.has_derivatives
    return Call(ZerosLike(), (x,)) if varies else Tuple(())
