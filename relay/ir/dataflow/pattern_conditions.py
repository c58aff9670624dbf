"""Conditions on types and attributes by which patterns restrict the expressions that they match."""

from collections.abc import Mapping
from importlib import import_module

from relay.ir.expr import Call, Expr, Function, Operator
from relay.ir.type_keys import TypeKeys
from relay.ir.types import TensorType, Type
from relay.support.errors import RelayError


def type_of(expr: Expr) -> Type | None:
    """Return the type of an expression; None if it cannot be inferred from the expression alone.

    Inference belongs to a higher layer, so it is imported only when a type is missing.
    """
    if expr.ty is not None or isinstance(expr, Operator):
        return expr.ty
    try:
        typed: Expr = import_module("relay.semantics.infer").infer_expr(expr)
    except RelayError:
        return None
    return typed.ty


def tensor_type_of(expr: Expr) -> TensorType | None:
    """Return the type of an expression if it is a tensor type; else None."""
    ty = type_of(expr)
    return ty if isinstance(ty, TensorType) else None


def is_type(found: Type | None, expected: Type) -> bool:
    """Whether two types are equal up to the names of type parameters."""
    if found is None or found is expected:
        return found is expected
    return TypeKeys().of(found) == TypeKeys().of(expected)


def has_attributes(expr: Expr, attrs: Mapping[str, object]) -> bool:
    """Whether an expression has all attributes in `attrs`.

    1. For a call, the attributes are those of its operator.
    2. For a function, they are its own attributes.
    3. For an operator, they are its own, or those of its definition, such as `TOpPattern`.

    Other expressions have none.
    """
    match expr:
        case Call(Operator() as op):  # case 1
            return _has_values(op, attrs)
        case Function(attrs=own):  # case 2
            return all(name in own and own[name] == given for name, given in attrs.items())
        case Operator():  # case 3
            return _has_values(expr, {k: v for k, v in attrs.items() if expr.get_attr(k) != v})
        case _:
            return False


def _has_values(op: Operator, attrs: Mapping[str, object]) -> bool:
    """Whether setting the attributes `attrs` would not change the operator."""
    if not attrs.keys() <= {*op.keys()}:
        return False
    try:
        return op.with_attributes(attrs) is op
    except RelayError:  # they have the wrong kinds
        return False
