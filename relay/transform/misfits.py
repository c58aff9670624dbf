"""Operators whose arguments may turn out to have sizes that do not fit, when the program runs."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import count

from relay.ir.dims import ANY, Dim, DimVar, lower_bound
from relay.ir.expr import Call
from relay.ir.types import TensorType, TupleType, Type, dimensions, is_dynamic
from relay.opdef.assumptions import assuming
from relay.opdef.definition import OperatorDef


def may_misfit(call: Call, op: OperatorDef) -> bool:
    """Whether a call of an operator may stop the program because of sizes that types do not tell.

    1. Its type rule takes two sizes to be equal that have different names, or none.
    2. Its result has a size that may come out negative.
    """
    types = tuple(arg.type for arg in call.args)
    if not any(map(is_dynamic, (*types, call.type))):
        return False
    return any(map(_may_be_negative, dimensions(call.type))) or _assumes(op, types)


def _may_be_negative(dim: Dim) -> bool:
    if isinstance(dim, int) or dim is ANY:
        return False
    least = lower_bound(dim)
    return least is None or least < 0


@lru_cache(maxsize=1 << 12)
def _assumes(op: OperatorDef, types: tuple[Type, ...]) -> bool:
    """Case 1; a size without a name is one of its own."""
    names = (DimVar(f"?{number}") for number in count())
    with assuming() as found:
        op.result_type([_named(ty, names) for ty in types])
    return bool(found)


def _named(ty: Type, names: Iterator[DimVar]) -> Type:
    """Name the sizes of tensors; recursion is bounded by the depth of tuples."""
    match ty:
        case TensorType(shape, dtype) if ANY in shape:
            return TensorType(tuple(next(names) if d is ANY else d for d in shape), dtype)
        case TupleType(fields):
            return TupleType(tuple(_named(field, names) for field in fields))
        case _:
            return ty
