"""Table of TVM's node kinds: which attributes refer to nodes, and how to build each kind."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from relay.frontend.classic_json.attribute_records import checked
from relay.ir.expr import (
    NO_ATTRIBUTES,
    Call,
    Function,
    GlobalVar,
    If,
    Let,
    Tuple,
    TupleGetItem,
)
from relay.ir.match_patterns import (
    Clause,
    Match,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relay.ir.module import Module, TypeData
from relay.ir.operator_without_attributes import OperatorKind
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.types import (
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    Kind,
    RefType,
    TensorType,
    TupleType,
    TypeCall,
    TypeVar,
)
from relay.text.tvm_metadata import CallAttributes


@dataclass(frozen=True)
class NodeKind:
    """A kind of node in TVM's JSON, and the function `build` that makes a node from attributes.

    `parts` are the names of attributes that refer to other nodes, `written` of those that are
    strings.
    """

    parts: tuple[str, ...]
    build: Callable[..., object]
    written: tuple[str, ...] = ()


def _call(op: Any, args: Any, attributes: Any, type_args: Any) -> Call:
    if not isinstance(op, OperatorKind):
        return Call(op, args, type_arguments=type_args or ())
    if isinstance(attributes, CallAttributes):
        return Call(op, args, checked(attributes, op.operator).of(op.operator))
    return Call(op, args, attributes)


def _function(params: Any, body: Any, result: Any, type_params: Any, attributes: Any) -> Function:
    return Function(params, body, result, type_params, attributes or NO_ATTRIBUTES)


def _module(functions: Any, types: Any, attributes: Any) -> Module:
    named = {var.name: function for var, function in functions.items()}
    data = {head.name: definition for head, definition in types.items()}
    return Module(named, data, attributes or NO_ATTRIBUTES)


def _itself(entries: Any) -> Any:
    return entries


def _field(whole: Any, index: str) -> TupleGetItem:
    return TupleGetItem(whole, int(index))


def _match(data: Any, clauses: Any, complete: str) -> Match:
    return Match(data, clauses, complete != "0")


def _hole(kind: str) -> IncompleteType:
    return IncompleteType(Kind(int(kind)))


def _type_variable(name: str, kind: str) -> TypeVar:
    return TypeVar(name, Kind(int(kind)))


KINDS: Mapping[str, NodeKind] = {
    "IRModule": NodeKind(("functions", "type_definitions", "attrs"), _module),
    "DictAttrs": NodeKind(("__dict__",), _itself),
    "relay.TypeData": NodeKind(("header", "type_vars", "constructors"), TypeData),
    # Expressions
    "GlobalVar": NodeKind(("name_hint",), GlobalVar),
    "relay.Tuple": NodeKind(("fields",), Tuple),
    "relay.TupleGetItem": NodeKind(("tuple_value",), _field, ("index",)),
    "relay.Let": NodeKind(("var", "value", "body"), Let),
    "relay.If": NodeKind(("cond", "true_branch", "false_branch"), If),
    "relay.Function": NodeKind(("params", "body", "ret_type", "type_params", "attrs"), _function),
    "relay.Call": NodeKind(("op", "args", "attrs", "type_args"), _call),
    "relay.RefCreate": NodeKind(("value",), RefCreate),
    "relay.RefRead": NodeKind(("ref",), RefRead),
    "relay.RefWrite": NodeKind(("ref", "value"), RefWrite),
    "relay.Match": NodeKind(("data", "clauses"), _match, ("complete",)),
    "relay.Clause": NodeKind(("lhs", "rhs"), Clause),
    # Patterns
    "relay.PatternWildcard": NodeKind((), PatternWildcard),
    "relay.PatternVar": NodeKind(("var",), PatternVar),
    "relay.PatternConstructor": NodeKind(("constructor", "patterns"), PatternConstructor),
    "relay.PatternTuple": NodeKind(("patterns",), PatternTuple),
    # Types
    "relay.TensorType": NodeKind(("shape",), TensorType, ("dtype",)),
    "TupleType": NodeKind(("fields",), TupleType),
    "FuncType": NodeKind(("arg_types", "ret_type", "type_params", "type_constraints"), FuncType),
    "relay.RefType": NodeKind(("value",), RefType),
    "TypeVar": NodeKind(("name_hint",), _type_variable, ("kind",)),
    "IncompleteType": NodeKind((), _hole, ("kind",)),
    "GlobalTypeVar": NodeKind(("name_hint",), GlobalTypeVar),
    "TypeCall": NodeKind(("func", "args"), TypeCall),
}
"""The kinds by their `type_key`; `reader` has those that depend on other nodes."""
