"""TVM's `TypeKind`: the kinds of types."""

from relay.ir.types import Kind


class TypeKind:
    """The kinds of types as class attributes, such as `relay.TypeKind.ShapeVar`."""

    Type = Kind.TYPE
    ShapeVar = Kind.SHAPE
    BaseType = Kind.BASE
    Constraint = Kind.CONSTRAINT
    AdtHandle = Kind.ADT_HANDLE
    TypeData = Kind.TYPE_DATA
