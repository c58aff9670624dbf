"""How values of each type are held in registers.

A tuple has the registers of its fields; any other value has one register.
"""

from collections.abc import Sequence

from relay.ir.nested_tuples import leaf_types
from relay.ir.types import TensorType, TupleType, Type
from relay.runtime.code.register_kinds import OBJECT, BlockLayout, Kind, Scalar, Tensor

CELL_TAG = 0
"""The tag of the heap block of a mutable reference."""


def kinds_of(ty: Type) -> tuple[Kind, ...]:
    """Return the kinds of the registers that hold a value of a type.

    >>> from relay.ir.dims import DimVar
    >>> from relay.ir.types import BOOL
    >>> [str(kind) for kind in kinds_of(TupleType((BOOL, TensorType((2, DimVar("n"))))))]
    ['bool', 'float32[2, ?]']
    """
    return tuple(map(_kind, leaf_types(ty)))


def passed_kinds(ty: Type) -> tuple[Kind, ...]:
    """Return the kinds of registers with which closures pass a value: tensors with all sizes.

    The caller of a closure knows neither which function it holds nor its static sizes.

    >>> [str(kind) for kind in passed_kinds(TensorType((2, 3)))]
    ['float32[?, ?]']
    """
    return tuple(map(_opened, kinds_of(ty)))


def _opened(kind: Kind) -> Kind:
    return Tensor((None,) * len(kind.shape), kind.dtype) if isinstance(kind, Tensor) else kind


def _kind(ty: Type) -> Kind:
    match ty:
        case TensorType(()):
            return Scalar(ty.dtype)
        case TensorType(shape):
            return Tensor(tuple(d if isinstance(d, int) else None for d in shape), ty.dtype)
        case _:
            return OBJECT


def field_range(ty: TupleType, index: int) -> range:
    """Return the indices, among the registers of a tuple, of those that hold a field."""
    start = sum(len(kinds_of(field)) for field in ty.fields[:index])
    return range(start, start + len(kinds_of(ty.fields[index])))


def layout_of(types: Sequence[Type]) -> BlockLayout:
    """Return the layout of a heap block that holds values of these types."""
    return BlockLayout(tuple(kind for ty in types for kind in kinds_of(ty)))
