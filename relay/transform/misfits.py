"""Operators whose arguments may turn out to have sizes that do not fit, when the program runs."""

from functools import lru_cache

from relay.ir.dims import ANY, Dim, lower_bound
from relay.ir.expr import Call
from relay.ir.types import Type, dimensions, is_dynamic
from relay.opdef.assumptions import assuming
from relay.opdef.definition import OperatorDef
from relay.transform.size_names import fresh_names, with_names


def may_misfit(call: Call, op: OperatorDef) -> bool:
    """Whether a call may stop the program because of sizes that types do not tell."""
    return may_be_negative(call) or assumes_sizes(call, op)


def may_be_negative(call: Call) -> bool:
    """Whether the result has a size that may come out negative."""
    return is_dynamic(call.type) and any(map(_may_be_negative, dimensions(call.type)))


def assumes_sizes(call: Call, op: OperatorDef) -> bool:
    """Whether the type rule takes two sizes to be equal that have different names, or none."""
    types = tuple(arg.type for arg in call.args)
    return any(map(is_dynamic, (*types, call.type))) and _assumes(op, types)


def _may_be_negative(dim: Dim) -> bool:
    if isinstance(dim, int) or dim is ANY:
        return False
    least = lower_bound(dim)
    return least is None or least < 0


@lru_cache(maxsize=1 << 12)
def _assumes(op: OperatorDef, types: tuple[Type, ...]) -> bool:
    """Where no size is known to equal another; one without a name is one of its own."""
    names = fresh_names()
    with assuming() as found:
        op.result_type([with_names(ty, names) for ty in types])
    return bool(found)
