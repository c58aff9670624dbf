"""Finds the type that a node expects of a generic child expression."""

from relay.ir.expr import (
    Call,
    Expr,
    Function,
    If,
    Let,
    Tuple,
)
from relay.ir.match_dims import instantiate_dims
from relay.ir.match_patterns import Match
from relay.ir.reference_cells import RefCreate, RefWrite
from relay.ir.types import FuncType, RefType, TupleType, Type
from relay.ir.walk import bound_by
from relay.transform.monomorphization.type_map import instance_type


def wanted_type(parent: Expr, index: int) -> Type | None:
    """Return the type that a node expects of its child at `index`; None if it expects none.

    For the value of a let, and for matched data, it is the type of the variable or of the data.

    >>> from relay.ir.expr import Var
    >>> from relay.ir.reference_cells import RefCreate
    >>> from relay.ir.types import UNIT
    >>> wanted_type(RefCreate(Var("x"), ty=RefType(UNIT)), 0)
    ()
    """
    match parent:
        case Call():
            return _wanted_by_call(parent, index)
        case Let(var) if index < 2:
            return var.ty
        case Let() | If():
            return parent.ty
        case Match():
            return _wanted_by_match(parent, index)
        case Function(params) if index < len(params):
            return params[index].ty
        case Function():
            return parent.ty.result if isinstance(parent.ty, FuncType) else None
        case Tuple():
            return parent.ty.fields[index] if isinstance(parent.ty, TupleType) else None
        case RefCreate():
            return parent.ty.content if isinstance(parent.ty, RefType) else None
        case RefWrite(ref):
            return ref.ty.content if isinstance(ref.ty, RefType) else None
        case _:
            return None


def _wanted_by_match(match: Match, index: int) -> Type | None:
    wanted = [match.data.ty]
    for clause in match.clauses:
        wanted += (*(var.ty for var in bound_by(clause.pattern)), match.ty)
    return wanted[index]


def _wanted_by_call(call: Call, index: int) -> Type | None:
    callee = call.op.ty
    if not isinstance(callee, FuncType):
        return None
    if index == len(call.args):
        return FuncType(tuple(arg.type for arg in call.args), call.type)
    sized = instantiate_dims(callee, [arg.type for arg in call.args])
    chosen = instance_type(sized, call.type_arguments) if sized.type_params else sized
    return chosen.params[index]
