"""Values of data types at the border of a native program: into memory as it wants them, and back.

What goes in is an *image*: one array with a block for each value, laid out as the program lays out
its own and counted so high that nobody frees it. What comes out is read from the program's heap
before that is given back. Neither recurses: lists may be as long as memory allows.
"""

import ctypes
import dataclasses
import struct
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from relay.runtime.arguments import as_array
from relay.runtime.code.kinds import HEADER_BYTES, OBJECT, Kind, Layout, Scalar, Tensor
from relay.runtime.memory import address
from relay.runtime.program import TensorSpec
from relay.support.dtype import DType
from relay.support.errors import RunError
from relay.support.node import Value, set_field, value

Array: TypeAlias = npt.NDArray[Any]

_FOREVER = 1 << 30  # references: more than a program can give up
_TAGS = 4096  # what is below is no address, but the tag of a constructor without fields
_WORD = struct.Struct("<q")


@value
class TensorField(Value):
    """A field that is a tensor."""

    shape: tuple[int, ...]
    dtype: DType

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Return how the field lies in its block."""
        return (Tensor(self.shape, self.dtype) if self.shape else Scalar(self.dtype),)


@value
class DataField(Value):
    """A field that is a value of a data type: the one with that index in the signature."""

    type: int

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Return how the field lies in its block."""
        return (OBJECT,)


@value
class TupleField(Value):
    """A field that is a tuple: its parts lie side by side."""

    fields: "tuple[Field, ...]"

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Return how the parts lie in their block."""
        return tuple(kind for field in self.fields for kind in field.kinds)


@value
class OpaqueField(Value):
    """A field that has no form outside of the program: a function or a mutable cell."""

    type: str

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Return how the field lies in its block."""
        return (OBJECT,)


Field: TypeAlias = TensorField | DataField | TupleField | OpaqueField


@value
class Variant(Value):
    """One constructor of a data type: its name and its fields."""

    name: str
    fields: tuple[Field, ...]

    def __post_init__(self) -> None:
        set_field(self, "fields", tuple(self.fields))

    @property
    def layout(self) -> Layout:
        """Return how the fields lie in a block."""
        return Layout(tuple(kind for field in self.fields for kind in field.kinds))


@value
class DataType(Value):
    """A data type as the border sees it: its constructors, in the order of their tags."""

    name: str
    variants: tuple[Variant, ...]

    def __post_init__(self) -> None:
        set_field(self, "variants", tuple(self.variants))


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Data:
    """A value of a data type, as a program returns it: the constructor's name, and the fields.

    >>> Data("Cons", (1, Data("Nil"))).fields[1]
    Data(constructor='Nil', fields=())
    """

    constructor: str
    fields: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        inner = ", ".join("…" if _has_fields(f) else repr(f) for f in self.fields)
        return f"Data(constructor={self.constructor!r}, fields=({inner}))"


def _has_fields(given: object) -> bool:
    return isinstance(given, Data) and bool(given.fields)


def parts_of(given: Any) -> tuple[str, tuple[Any, ...]] | None:
    """Return the constructor and the fields of a value; None if it has none.

    It may be `Data`, a value of the evaluator, or an object of a dataclass.
    """
    constructor = getattr(given, "constructor", None)
    if constructor is not None and hasattr(given, "fields"):
        return getattr(constructor, "name", constructor), tuple(given.fields)
    if dataclasses.is_dataclass(given) and not isinstance(given, type):
        names = (field.name for field in dataclasses.fields(given))
        return type(given).__name__, tuple(getattr(given, name) for name in names)
    return None


class Image:
    """The memory of one value that is passed in; `words[0]` is the value itself."""

    def __init__(self, types: Sequence[DataType], ty: int, given: Any, name: str) -> None:
        self._types = types
        self._name = name
        self._buffer = bytearray(8)
        self._links: list[tuple[int, int]] = []  # where an address goes, and of which offset
        self._places: dict[tuple[int, int], int] = {}  # an object may be of several types
        self._alive: list[Any] = [given]
        pending = [(0, ty, given)]
        while pending:
            pending.extend(self._put(*pending.pop()))
        self.words = np.frombuffer(bytes(self._buffer), np.int64).copy()
        base = address(self.words)
        for place, offset in self._links:
            self.words[place // 8] = base + offset

    def _put(self, place: int, ty: int, given: Any) -> Iterator[tuple[int, int, Any]]:
        """Write a value of a data type at a place; yield those that are still to be written."""
        known = self._places.get((ty, id(given)))
        if known is not None:
            self._links.append((place, known))
            return
        tag, variant, fields = self._variant(ty, given)
        if not variant.fields:
            _WORD.pack_into(self._buffer, place, tag)
            return
        start = len(self._buffer)
        layout = variant.layout
        self._buffer += struct.pack("<iHHqq", _FOREVER, 0, tag, 0, 0)
        self._buffer += bytes(layout.nbytes - HEADER_BYTES)
        self._links.append((place, start))
        self._places[ty, id(given)] = start
        self._alive.append(given)
        offsets = iter(layout.offsets)
        for field, part in zip(variant.fields, fields, strict=True):
            yield from self._field(field, part, start, offsets)

    def _field(
        self, field: Field, given: Any, start: int, offsets: Iterator[int]
    ) -> Iterator[tuple[int, int, Any]]:
        """Write one field; recursion is bounded by the depth of tuples in the type."""
        match field:
            case TupleField(fields):
                if not isinstance(given, tuple) or len(cast("tuple[Any, ...]", given)) != len(
                    fields
                ):
                    raise self._misfit(f"a tuple of {len(fields)}", given)
                for inner, part in zip(fields, cast("tuple[Any, ...]", given), strict=True):
                    yield from self._field(inner, part, start, offsets)
            case TensorField():
                self._tensor(field, given, start + next(offsets))
            case DataField(ty):
                yield start + next(offsets), ty, given
            case OpaqueField(ty):
                raise self._misfit(f"{ty}, which cannot be passed in", given)

    def _tensor(self, field: TensorField, given: Any, place: int) -> None:
        spec = TensorSpec(self._name, field.shape, field.dtype)
        try:
            array = as_array(given, spec)
        except RunError as error:
            raise self._misfit(f"{field.dtype}{list(field.shape)}", given) from error
        if array.shape != field.shape or array.dtype != field.dtype.numpy:
            raise self._misfit(f"{field.dtype}{list(field.shape)}", given)
        array = np.ascontiguousarray(array).reshape(field.shape)
        if not field.shape:
            self._buffer[place : place + array.nbytes] = array.tobytes()
            return
        self._alive.append(array)
        _WORD.pack_into(self._buffer, place, address(array))

    def _variant(self, ty: int, given: Any) -> tuple[int, Variant, tuple[Any, ...]]:
        parts = parts_of(given)
        for tag, variant in enumerate(self._types[ty].variants):
            if parts is not None and variant.name == parts[0]:
                if len(parts[1]) != len(variant.fields):
                    raise self._misfit(f"{variant.name} with {len(variant.fields)} fields", given)
                return tag, variant, parts[1]
        names = ", ".join(variant.name for variant in self._types[ty].variants)
        raise self._misfit(f"a {self._types[ty].name} ({names})", given)

    def _misfit(self, expected: str, given: Any) -> RunError:
        parts = parts_of(given)
        found = type(given).__name__ if parts is None else parts[0]
        array = cast("Array", given) if isinstance(given, np.ndarray) else None
        shape = "" if array is None else f" of {array.dtype} and shape {array.shape}"
        return RunError(
            "R051",
            f"input '{self._name}': expected {expected}, given {found}{shape}",
            help="pass relay.runtime.Data(constructor, fields), or objects of a dataclass whose "
            "name is that of the constructor",
        )


def read_data(types: Sequence[DataType], ty: int, root: int) -> Data:
    """Return the value that a word of a running program stands for; shared parts stay shared."""
    done: dict[tuple[int, int], Data] = {}
    pending = [(ty, root)]
    while pending:
        of, word = pending[-1]
        if (of, word) in done:
            pending.pop()
            continue
        variant, raw = _block(types[of], word)
        missing = [key for key in _inner(variant.fields, raw) if key not in done]
        if missing:
            pending.extend(missing)
            continue
        parts = iter(raw)
        fields = tuple(_outside(field, parts, done) for field in variant.fields)
        done[of, word] = Data(variant.name, fields)
        pending.pop()
    return done[ty, root]


def _block(ty: DataType, word: int) -> tuple[Variant, list[Any]]:
    """Return the constructor of a value, and what its fields hold: elements, or words."""
    if 0 <= word < _TAGS:
        return ty.variants[word], []
    (tag,) = struct.unpack("<H", ctypes.string_at(word + 6, 2))
    variant = ty.variants[tag]
    layout = variant.layout
    memory = ctypes.string_at(word, layout.nbytes)
    pairs = zip(layout.kinds, layout.offsets, strict=True)
    return variant, [_held(kind, memory, offset) for kind, offset in pairs]


def _held(kind: Kind, memory: bytes, offset: int) -> Any:
    match kind:
        case Scalar(dtype):
            return np.frombuffer(memory, dtype.numpy, 1, offset).reshape(()).copy()
        case Tensor(shape, dtype):
            (start,) = _WORD.unpack_from(memory, offset)
            raw = ctypes.string_at(start, kind.nbytes)
            return np.frombuffer(raw, dtype.numpy).reshape(shape).copy()
        case _:
            return _WORD.unpack_from(memory, offset)[0]


def _inner(fields: Sequence[Field], raw: Sequence[Any]) -> Iterator[tuple[int, int]]:
    flat = (leaf for field in fields for leaf in _leaves(field))
    for leaf, held in zip(flat, raw, strict=True):
        if isinstance(leaf, DataField):
            yield leaf.type, held


def _leaves(field: Field) -> Iterator[Field]:
    if isinstance(field, TupleField):
        for inner in field.fields:
            yield from _leaves(inner)
    else:
        yield field


def _outside(field: Field, parts: Iterator[Any], done: dict[tuple[int, int], Data]) -> Any:
    match field:
        case TupleField(fields):
            return tuple(_outside(inner, parts, done) for inner in fields)
        case DataField(ty):
            return done[ty, next(parts)]
        case OpaqueField(ty):
            next(parts)
            return Opaque(ty)
        case _:
            return next(parts)


@dataclasses.dataclass(frozen=True, slots=True)
class Opaque:
    """A part of a result that has no form outside of the program: a function or a cell."""

    type: str
