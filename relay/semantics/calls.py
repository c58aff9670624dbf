"""Symbolic sizes of a global function, chosen anew for each call."""

from collections.abc import Sequence

from relay.ir.dims import Dim, DimVar
from relay.ir.types import (
    FuncType,
    TensorType,
    TupleType,
    Type,
    substitute_dims,
)


def instantiate_sizes(callee: FuncType, args: Sequence[Type]) -> FuncType:
    """Return the function's type with the sizes that these arguments have.

    >>> n = DimVar("n")
    >>> double = FuncType((TensorType((n,)),), TensorType((2 * n,)))
    >>> instantiate_sizes(double, [TensorType((3,))])
    fn (Tensor[(3,), float32]) -> Tensor[(6,), float32]
    """
    sizes: dict[DimVar, Dim] = {}
    for param, arg in zip(callee.params, args, strict=True):
        _match(param, arg, sizes)
    if not sizes:
        return callee
    instance = substitute_dims(callee, sizes)
    assert isinstance(instance, FuncType), "a function stays one"
    return instance


def _match(param: Type, arg: Type, sizes: dict[DimVar, Dim]) -> None:
    """Note the size of each name that stands alone as a dimension; the first one counts."""
    match param, arg:
        case TensorType(shape), TensorType(found) if len(shape) == len(found):
            for dim, size in zip(shape, found, strict=True):
                if isinstance(dim, DimVar):
                    sizes.setdefault(dim, size)
        case TupleType(fields), TupleType(found) if len(fields) == len(found):
            for field, each in zip(fields, found, strict=True):
                _match(field, each, sizes)
        case _:
            pass
