"""Convert values of data types from a program's memory to `Data`, without recursion."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, TypeVar

from relay.runtime.code.interface_types import (
    Data,
    DataField,
    DataType,
    Field,
    Opaque,
    OpaqueField,
    TensorField,
    TupleField,
    Variant,
    leaves_of,
)
from relay.runtime.json_fields import malformed

_Held = TypeVar("_Held", bound=Hashable)
_Done = dict[tuple[int, Any], Data]


def read_value(
    types: Sequence[DataType],
    ty: int,
    root: _Held,
    look: Callable[[DataType, _Held], tuple[Variant, Sequence[Any]]],
) -> Data:
    """Return the value `root` of type number `ty` as `Data`; sharing is preserved.

    `look` returns the constructor of an internal value and the contents of its fields: arrays, or
    other internal values.
    """
    done: _Done = {}
    looked: dict[tuple[int, Any], tuple[Variant, Sequence[Any]]] = {}
    pending = [(ty, root)]
    while pending:
        of, held = pending[-1]
        if (of, held) in done:
            pending.pop()
            continue
        is_new = (of, held) not in looked
        if is_new:
            looked[of, held] = look(types[of], held)
        variant, raw = looked[of, held]
        missing = [key for key in _inner(variant.fields, raw) if key not in done]
        if missing and not is_new:
            raise malformed("the code creates a value that contains itself")
        if missing:
            pending.extend(missing)
            continue
        parts = iter(raw)
        fields = tuple(_outside(field, parts, done) for field in variant.fields)
        done[of, held] = Data(variant.name, fields)
        pending.pop()
    return done[ty, root]


def _inner(fields: Sequence[Field], raw: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    flat = (leaf for field in fields for leaf in leaves_of(field))
    for leaf, held in zip(flat, raw, strict=True):
        if isinstance(leaf, DataField):
            yield leaf.type, held


def _outside(field: Field, parts: Iterator[Any], done: _Done) -> Any:
    """Return one field as a caller sees it; nested tuples bound the recursion."""
    match field:
        case TupleField(fields):
            return tuple(_outside(inner, parts, done) for inner in fields)
        case DataField(ty):
            return done[ty, next(parts)]
        case OpaqueField(ty):
            next(parts)
            return Opaque(ty)
        case TensorField():
            return next(parts)
