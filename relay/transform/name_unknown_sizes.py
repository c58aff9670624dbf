"""Fresh dimensions for sizes that a type leaves unknown."""

from collections.abc import Iterator
from itertools import count

from relay.ir.dims import ANY, DimVar
from relay.ir.types import TensorType, TupleType, Type


def fresh_names(prefix: str = "?") -> Iterator[DimVar]:
    """Yield fresh symbolic dimensions `?0`, `?1` …, whose names users cannot write.

    `prefix` replaces the `?`; it is one of `MADE`, the prefixes for names that passes make.
    """
    return (DimVar(f"{prefix}{number}") for number in count())


def with_names(ty: Type, names: Iterator[DimVar]) -> Type:
    """Return a type in which each `Any` of a tensor is replaced by a fresh dimension.

    The depth of tuples bounds the recursion; sizes inside data types stay `Any`.

    >>> with_names(TensorType((ANY, 3, ANY)), fresh_names())
    Tensor[(?0, 3, ?1), float32]
    """
    match ty:
        case TensorType(shape, dtype) if ANY in shape:
            return TensorType(tuple(next(names) if d is ANY else d for d in shape), dtype)
        case TupleType(fields):
            return TupleType(tuple(with_names(field, names) for field in fields))
        case _:
            return ty
