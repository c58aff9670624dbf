"""Printing of types, dimensions and attributes."""

import json
import re
from collections.abc import Sequence
from typing import Any, cast

from relay.ir.dims import ANY, Broadcast, Dim, DimVar, FloorDiv, Maximum, Polynomial, Symbolic
from relay.ir.expr import Operator
from relay.ir.types import (
    MOST_PARTS,
    FuncType,
    GlobalTypeVar,
    Kind,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeRelation,
    TypeVar,
)
from relay.support.dtype import DType, float64
from relay.support.errors import RelayError
from relay.text.number_literals import float_text
from relay.text.unique_names import Names, name_text

_IDENTIFIER = re.compile(r"[A-Za-z_][\w/]*", re.ASCII)
_GLOBAL = re.compile(r"[A-Za-z_/][\w/.]*", re.ASCII)
_KEY = re.compile(r"[A-Za-z_][\w/]*(?:\.[A-Za-z_][\w/]*)*", re.ASCII)
_RESERVED = {"max", "floordiv", "broadcast", "dim", "None", "True", "False", "nullptr", "meta"}


def global_text(name: str) -> str:
    """Return the text of a global function's name: `@f`, quoted if it is not an identifier."""
    return "@" + (name if _GLOBAL.fullmatch(name) else json.dumps(name, ensure_ascii=False))


def key_text(key: str) -> str:
    """Return the text of an attribute name of a function, quoted if necessary."""
    return key if _KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def dimension_text(dim: Dim, names: Names) -> str:
    """Return the text of a dimension: a number, a name, a sum of products, or `?`.

    >>> n = DimVar("n")
    >>> dimension_text((2 * n + 3) // 4, Names())
    'floordiv(2 * n + 3, 4)'
    """
    match dim:
        case int():
            return str(dim)
        case DimVar():
            name = names.of_dim(dim)
            is_plain = _IDENTIFIER.fullmatch(name) and name not in _RESERVED
            return name if is_plain else f"dim({json.dumps(name)})"
        case FloorDiv(a, b):
            return f"floordiv({_dimensions((a, b), names)})"
        case Maximum(a, b):
            return f"max({_dimensions((a, b), names)})"
        case Broadcast(sizes):
            return f"broadcast({_dimensions(sizes, names)})"
        case Polynomial(terms):
            return " + ".join(_term(*term, names) for term in terms)
        case _:
            assert dim is ANY, f"not a dimension: {dim!r}"
            return "?"


def _dimensions(dims: Sequence[Dim], names: Names) -> str:
    return ", ".join(dimension_text(dim, names) for dim in dims)


def _term(coefficient: int, atoms: tuple[Symbolic, ...], names: Names) -> str:
    factors = [] if coefficient == 1 and atoms else [str(coefficient)]
    return " * ".join(factors + [dimension_text(atom, names) for atom in atoms])


def type_text(ty: Type, names: Names) -> str:
    """Return the text of a type, which the parser can read.

    A type that is too large is written as `_`, so it is inferred again after parsing.
    """
    if ty.parts > MOST_PARTS:
        return "_"
    match ty:
        case TensorType((), dtype) if not names.hide(str(dtype)):
            return str(dtype)
        case TensorType(shape, dtype):
            return f"Tensor[({_dimensions(shape, names)}), {dtype}]"
        case TupleType(fields):
            return f"({_list(fields, names)}{',' if len(fields) == 1 else ''})"
        case FuncType(params, result, type_params, constraints):
            seen = names.inside(ty) if type_params else names
            generic = type_params_text(type_params, seen)
            signature = f"fn {generic}({_list(params, seen)}) -> {type_text(result, seen)}"
            return signature + _where(constraints, seen)
        case RefType(content):
            return f"ref({type_text(content, names)})"
        case TypeCall(head, args):
            return f"{name_text(head.name)}[{_list(args, names)}]"
        case GlobalTypeVar(name):
            return name_text(name)
        case TypeVar():
            return names.of_type(ty)
        case _:
            return "_"


def _list(types: tuple[Type, ...], names: Names) -> str:
    return ", ".join(type_text(ty, names) for ty in types)


def _where(constraints: tuple[TypeRelation, ...], names: Names) -> str:
    """Return the constraints of a function type, ` where (add[A, B -> C])`, or an empty string.

    The text of user-defined relations cannot be parsed.
    """
    if not constraints:
        return ""
    return f" where ({', '.join(_relation_text(each, names) for each in constraints)})"


def _relation_text(constraint: TypeRelation, names: Names) -> str:
    op, count = constraint.relation, constraint.num_inputs
    inputs, outputs = constraint.types[:count], constraint.types[count:]
    head = str(op)
    if isinstance(op, Operator):
        attributes = operator_attributes(op, names)
        head = f"{op.name}({', '.join(attributes)})" if attributes else op.name
    return f"{head}[{_list(inputs, names)} -> {_list(outputs, names)}]"


def type_params_text(type_params: tuple[TypeVar, ...], names: Names) -> str:
    """Return the text of type parameters, `[A, B: Shape]`, or an empty string for none."""
    if not type_params:
        return ""
    return f"[{', '.join(names.of_type(var) + _kind(var.kind) for var in type_params)}]"


def _kind(kind: Kind) -> str:
    return "" if kind is Kind.TYPE else f": {kind.name.title()}"


def attribute_text(attribute: object, names: Names) -> str:
    """Return the text of the value of an operator's or a function's attribute."""
    match attribute:
        case bool() | None:
            return str(attribute)
        case float():
            return float_text(attribute, float64) + "f"
        case int() | Symbolic():
            return dimension_text(attribute, names)
        case tuple():
            items = cast("tuple[object, ...]", attribute)
            return f"[{', '.join(attribute_text(each, names) for each in items)}]"
        case DType():
            return json.dumps(str(attribute))
        case _:
            return json.dumps(str(attribute), ensure_ascii=False)


def operator_attributes(op: Operator, names: Names) -> tuple[str, ...]:
    """Return `name=value` for each attribute that is needed to reconstruct an operator.

    Comparison with the defaults is not sufficient, because operators normalise their attributes
    (`strides` 1 becomes (1, 1)). An attribute is needed if the operator built without it is another
    object, since operators are interned.
    """
    kept = {name: getattr(op, name) for name in op.__match_args__}
    for name in op.__match_args__:
        rest = {other: value for other, value in kept.items() if other != name}
        if _build(op, rest) is op:
            kept = rest
    return tuple(f"{name}={attribute_text(value, names)}" for name, value in kept.items())


def _build(op: Operator, attributes: dict[str, Any]) -> Operator | None:
    declared: Any = type(op)
    try:
        return declared(**attributes)
    except (RelayError, TypeError):  # an attribute without a default, or one that others need
        return None
