"""Which run-time sizes a primitive function depends on."""

from collections.abc import Iterable
from typing import Any, cast

from relay.ir.dims import DimVar, Symbolic, variables
from relay.ir.expr import Call, Function, Operator
from relay.ir.types import TensorType, TupleType, Type
from relay.ir.walk import post_order


def dimensions(function: Function) -> tuple[DimVar, ...]:
    """Return the names of sizes in a function, those of its parameters first."""
    found: dict[DimVar, None] = {}
    for param in function.params:
        _note_type(param.type, found)
    for expr in post_order(function.body):
        if expr.ty is not None:
            _note_type(expr.ty, found)
        if isinstance(expr, Call) and isinstance(expr.op, Operator):
            for name in expr.op.__match_args__:
                _note(getattr(expr.op, name), found)
    return tuple(found)


def _note_type(ty: Type, found: dict[DimVar, None]) -> None:
    if isinstance(ty, TensorType):
        _note(ty.shape, found)
    elif isinstance(ty, TupleType):
        for field in ty.fields:
            _note_type(field, found)


def _note(attribute: Any, found: dict[DimVar, None]) -> None:
    if isinstance(attribute, Symbolic):
        found.update(dict.fromkeys(sorted(variables(attribute), key=str)))
    elif isinstance(attribute, tuple):
        for each in cast("Iterable[Any]", attribute):
            _note(each, found)
