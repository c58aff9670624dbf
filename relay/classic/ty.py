"""`relay.ty`, a module of TVM: types and unknown sizes."""

from relay.ir.types import (
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeRelation,
    TypeVar,
    is_dynamic,
    scalar_type,
)
from relay.ir.types import TypeRelation as TypeConstraint
from relay.ops.functions import Any, ShapeVar

__all__ = [
    "Any",
    "FuncType",
    "GlobalTypeVar",
    "IncompleteType",
    "RefType",
    "ShapeVar",
    "TensorType",
    "TupleType",
    "Type",
    "TypeCall",
    "TypeConstraint",
    "TypeRelation",
    "TypeVar",
    "is_dynamic",
    "scalar_type",
]
