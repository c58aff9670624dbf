"""Packs several values into a tuple, and leaves a single value as it is."""

from collections.abc import Sequence

from relay.autodiff.let_emitter import Emitter
from relay.ir.expr import Expr, Tuple
from relay.ir.types import TupleType, Type


def pack(values: Sequence[Expr]) -> Expr:
    """Return a tuple of several values, or a single value itself."""
    return values[0] if len(values) == 1 else Tuple(tuple(values))


def packed_type(types: Sequence[Type]) -> Type:
    """Return the type of `pack` for values of these types."""
    return types[0] if len(types) == 1 else TupleType(tuple(types))


def unpack(packed: Expr, count: int, emitter: Emitter) -> list[Expr]:
    """Return the `count` values that `pack` combined into `packed`."""
    return [packed] if count == 1 else [emitter.field(packed, index) for index in range(count)]
