"""Why a node may stop the program when it is evaluated: elements, or sizes, that do not fit."""

from enum import Flag, auto
from functools import lru_cache

from relay.ir.dims import ANY, Dim, lower_bound
from relay.ir.expr import Call, Expr, Function, Let
from relay.ir.types import Type, dimensions, is_dynamic
from relay.ir.walk import post_order
from relay.opdef.assumptions import assuming
from relay.opdef.definition import OperatorDef
from relay.transform.promises import tells_sizes
from relay.transform.size_names import fresh_names, with_names


class Reason(Flag):
    """Why operators stop a program."""

    NONE = 0
    ELEMENT = auto()  # `R056`
    SIZE = auto()  # `R054`, or `R053` where one comes out negative


def reason(expr: Expr) -> Reason:
    """Return why a node may stop the program, whatever its operands do.

    An operator, or a kernel, may have no value for some elements, or for some sizes. A let may say
    what the name of a size stands for, and nothing may.
    """
    match expr:
        case Let():
            return Reason.SIZE if tells_sizes(expr) else Reason.NONE
        case Call(OperatorDef() as op):
            return _reason_of(op, expr)
        case Call(Function() as kernel) if kernel.is_primitive:
            found = Reason.NONE
            for each in post_order(kernel.body):
                found |= reason(each)
            return found
        case _:
            return Reason.NONE


def _reason_of(op: OperatorDef, call: Call) -> Reason:
    found = Reason.NONE
    if op.may_stop:
        found |= Reason.SIZE if op.tests_sizes else Reason.ELEMENT
    if may_misfit(call, op):
        found |= Reason.SIZE
    return found


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
