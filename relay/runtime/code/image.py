"""Values of data types in the memory of a native program: written as it wants them, and read back.

What goes in is an *image*: one array with a block for each value, laid out as the program lays out
its own and counted so high that nobody frees it. What comes out is read from the program's heap
before that is given back. Neither recurses: lists may be as long as memory allows.
"""

import ctypes
import math
import struct
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from relay.runtime.code.border import (
    Data,
    DataField,
    DataType,
    Field,
    OpaqueField,
    TensorField,
    TupleField,
    Variant,
)
from relay.runtime.code.fitting import Fitting
from relay.runtime.code.kinds import HEADER_BYTES, Kind, Scalar, Tensor
from relay.runtime.code.reading import read_value
from relay.runtime.memory import address

_FOREVER = 1 << 30  # references: more than a program can give up
_TAGS = 4096  # what is below is no address, but the tag of a constructor without fields
_WORD = struct.Struct("<q")


class Image:
    """The memory of one value that is passed in; `words[0]` is the value itself."""

    def __init__(self, types: Sequence[DataType], ty: int, given: Any, name: str) -> None:
        self._fitting = Fitting(types, name)
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
        tag, variant, fields = self._fitting.variant(ty, given)
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
                for inner, part in zip(fields, self._fitting.parts(field, given), strict=True):
                    yield from self._field(inner, part, start, offsets)
            case TensorField():
                self._tensor(field, given, start + next(offsets))
            case DataField(ty):
                yield start + next(offsets), ty, given
            case OpaqueField(ty):
                raise self._fitting.misfit(f"{ty}, which cannot be passed in", given)

    def _tensor(self, field: TensorField, given: Any, place: int) -> None:
        array = self._fitting.array(field, given)
        if not field.shape:
            self._buffer[place : place + array.nbytes] = array.tobytes()
            return
        self._alive.append(array)
        (kind,) = field.kinds
        carried = kind.carried if isinstance(kind, Tensor) else ()
        words = (address(array), 0, *(array.shape[axis] for axis in carried))
        struct.pack_into(f"<{len(words)}q", self._buffer, place, *words)


def read_data(types: Sequence[DataType], ty: int, root: int) -> Data:
    """Return the value that a word of a running program stands for."""
    return read_value(types, ty, root, _block)


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
        case Tensor(sizes, dtype):
            start, _, *carried = struct.unpack_from(f"<{2 + len(kind.carried)}q", memory, offset)
            given = iter(carried)
            shape = tuple(next(given) if size is None else size for size in sizes)
            raw = ctypes.string_at(start, math.prod(shape) * dtype.itemsize)
            return np.frombuffer(raw, dtype.numpy).reshape(shape).copy()
        case _:
            return _WORD.unpack_from(memory, offset)[0]
