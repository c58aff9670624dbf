"""Derive argument types with symbolic sizes from the static types of operator examples."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import cast

from relay.ir.dims import ANY, Dim, DimVar
from relay.ir.types import TensorType, TupleType, Type


def with_symbolic_sizes(types: Sequence[Type]) -> Iterator[tuple[list[Type], dict[DimVar, Dim]]]:
    """Yield the types with one size replaced by the symbol `n` or by `Any`, and the size of `n`.

    The size is replaced on one axis, or wherever it occurs.
    """
    n = DimVar("n")
    for new in (n, ANY):
        yield from with_each_size_replaced(types, n, new)
    places = [
        (argument, axis)
        for argument, ty in enumerate(types)
        if isinstance(ty, TensorType)
        for axis in range(ty.rank)
    ]
    for (argument, axis), new in product(places, (n, ANY)):
        changed = list(types)
        ty = cast("TensorType", types[argument])
        changed[argument] = _replaced(ty, ty.shape[axis], new, axis)
        yield changed, {n: ty.shape[axis]}


def with_each_size_replaced(
    types: Sequence[Type], n: DimVar, new: Dim
) -> Iterator[tuple[list[Type], dict[DimVar, Dim]]]:
    """Yield copies of the types in which one size is replaced by `new`, a symbol or `Any`.

    Each size above 1 is replaced in turn. The second item of a pair maps the symbol `n` to that
    size.
    """
    sizes = {dim for ty in types for field in fields_of(ty) for dim in field.shape}
    for size in sorted(size for size in sizes if isinstance(size, int) and size > 1):
        yield [_replaced(ty, size, new, None) for ty in types], {n: size}


def _replaced(ty: Type, size: Dim, new: Dim, only: int | None) -> Type:
    if isinstance(ty, TupleType):
        return TupleType(tuple(_replaced(field, size, new, only) for field in ty.fields))
    assert isinstance(ty, TensorType)
    shape = enumerate(ty.shape)
    return TensorType(
        tuple(new if dim == size and only in (None, axis) else dim for axis, dim in shape),
        ty.dtype,
    )


def fields_of(ty: Type) -> tuple[TensorType, ...]:
    """Return the fields of a tuple type, or the given tensor type as the only item."""
    return cast("tuple[TensorType, ...]", ty.fields if isinstance(ty, TupleType) else (ty,))
