"""Operators whose arguments may turn out to have sizes that do not fit, when the program runs."""

from functools import lru_cache

from relay.ir.dims import ANY, Dim, lower_bound
from relay.ir.expr import Call
from relay.ir.types import Type, dimensions, is_dynamic
from relay.opdef.assumptions import assuming
from relay.opdef.definition import OperatorDef
from relay.transform.size_names import fresh_names, with_names


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
    names = fresh_names()
    with assuming() as found:
        op.result_type([with_names(ty, names) for ty in types])
    return bool(found)
