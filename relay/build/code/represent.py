"""Which registers hold a value of a type: tuples are taken apart, all else is one register."""

from collections.abc import Sequence

from relay.ir.dims import is_static
from relay.ir.expr import Constructor
from relay.ir.types import TensorType, TupleType, Type, TypeCall, substitute_types
from relay.runtime.code.kinds import OBJECT, Kind, Layout, Scalar, Tensor
from relay.support.errors import CompileError

CELL_TAG = 0
"""The tag of the block of a mutable cell."""


def kinds_of(ty: Type) -> tuple[Kind, ...]:
    """Return the kinds of the registers of a value; recursion is bounded by the type's depth.

    Raises `C103` for a tensor whose size is known only at run time.

    >>> from relay.ir.types import BOOL
    >>> [str(kind) for kind in kinds_of(TupleType((BOOL, TensorType((2, 3)))))]
    ['bool', 'float32[2, 3]']
    """
    match ty:
        case TupleType(fields):
            return tuple(kind for field in fields for kind in kinds_of(field))
        case TensorType(()):
            return (Scalar(ty.dtype),)
        case TensorType(shape) if is_static(shape):
            return (Tensor(ty.static_shape, ty.dtype),)
        case TensorType():
            raise CompileError(
                "C103",
                f"the size of a value of type {ty!r} depends on data",
                help="give concrete input shapes: what depends on shapes alone is then computed",
            )
        case _:
            return (OBJECT,)


def field_range(ty: TupleType, index: int) -> range:
    """Return which of a tuple's registers hold one of its fields."""
    start = sum(len(kinds_of(field)) for field in ty.fields[:index])
    return range(start, start + len(kinds_of(ty.fields[index])))


def field_types(constructor: Constructor, ty: Type) -> tuple[Type, ...]:
    """Return the types of a constructor's fields in a value of type `ty`."""
    given = ty.args if isinstance(ty, TypeCall) else ()
    bindings: dict[Type, Type] = dict(zip(constructor.type_params, given, strict=True))
    return tuple(substitute_types(field, bindings) for field in constructor.inputs)


def layout_of(types: Sequence[Type]) -> Layout:
    """Return how the fields of a block lie that holds values of these types."""
    return Layout(tuple(kind for ty in types for kind in kinds_of(ty)))
