"""Read `.gguf` files, which contain metadata by key, a list of arrays, and their elements.

All numbers are little-endian; a string is its length followed by its bytes. The shape of an array
is listed with the innermost size first. Versions 2 and 3 of the format are supported.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

from relay.frontend.parameters.gguf_types import BY_NUMBER, NAMES, ElementType
from relay.frontend.parameters.stored_arrays import (
    StoredArray,
    StoredParameters,
    damaged,
    unknown_type,
)
from relay.frontend.read_files import mapped
from relay.ir.expr import Array

_MAGIC = b"GGUF"
_SMALLEST_ENTRY = 12
"""The least size of an entry in bytes, to reject counts too large for the file before reading."""

_SCALARS: Mapping[int, str] = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q",
    12: "<d",
}  # fmt: skip
_TEXT, _LIST = 8, 9

_MOST_AXES = 8
DEEPEST_LIST = 8


def read_gguf(path: Path) -> StoredParameters:
    """Return the arrays of a file, with the model's metadata as `metadata`.

    Raises `F080` for a damaged file, `F081` for unsupported element types.
    """
    return _Reader(path, mapped(path)).parameters()


@dataclass
class _Reader:
    """A reader of one file: its memory-mapped bytes, and the current position."""

    path: Path
    memory: Array
    at: int = 0

    def __post_init__(self) -> None:
        self._view = self.memory.data  # slices of it take less time than those of arrays

    def parameters(self) -> StoredParameters:
        if self._bytes(4) != _MAGIC:
            raise damaged(self.path, "the file does not begin with GGUF")
        version = self._number("<I")
        if version not in (2, 3):
            raise damaged(
                self.path,
                f"the file has version {version}, but only versions 2 and 3 are supported",
            )
        count, facts = self._count(), self._count()
        metadata = {self._text(): self._value(self._number("<I"), 0) for _ in range(facts)}
        alignment = metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1):
            raise damaged(self.path, f"the alignment must be a power of 2, but is {alignment}")
        entries = [self._entry() for _ in range(count)]
        begin = -(-self.at // alignment) * alignment
        arrays: dict[str, StoredArray] = {}
        for name, shape, kind, offset in entries:
            if name in arrays:
                raise damaged(self.path, f"two arrays have the name '{name}'")
            arrays[name] = self._array(name, shape, kind, begin + offset)
        return StoredParameters(self.path, arrays, metadata)

    def _entry(self) -> tuple[str, tuple[int, ...], int, int]:
        """Read the entry of an array: its name, shape, element type number and offset."""
        name, rank = self._text(), self._number("<I")
        if rank > _MOST_AXES:
            what = f"the array '{name}' has {rank} axes, but at most {_MOST_AXES} are allowed"
            raise damaged(self.path, what)
        sizes = [self._number("<Q") for _ in range(rank)]
        return name, tuple(reversed(sizes)), self._number("<I"), self._number("<Q")

    def _array(self, name: str, shape: tuple[int, ...], number: int, begin: int) -> StoredArray:
        kind = BY_NUMBER.get(number)
        if kind is None:
            raise unknown_type(self.path, name, str(NAMES.get(number, number)), self._known())
        size = self._size(name, shape, kind)
        if begin + size > self.memory.size:
            raise damaged(self.path, f"the array '{name}' extends beyond the end of the file")
        return StoredArray(begin, size, shape, kind.name, kind.decode)

    def _size(self, name: str, shape: tuple[int, ...], kind: ElementType) -> int:
        """Return the size of an array in bytes; blocks extend along the innermost axis."""
        elements = prod(shape)
        if kind.block > 1 and (not shape or shape[-1] % kind.block):
            raise damaged(
                self.path,
                f"the last size of the array '{name}', of type {kind.name}, must be a multiple of "
                f"{kind.block}, but the shape is {shape}",
            )
        return elements // kind.block * kind.bytes

    def _known(self) -> list[str]:
        return [each.name for each in BY_NUMBER.values()]

    def _value(self, kind: int, depth: int) -> object:
        if kind in _SCALARS:
            return self._number(_SCALARS[kind])
        if kind == _TEXT:
            return self._text()
        if kind != _LIST or depth >= DEEPEST_LIST:
            raise damaged(self.path, f"a value in the file has the unknown type {kind}")
        inner, count = self._number("<I"), self._count(least=1)
        if inner in _SCALARS:  # a vocabulary has hundreds of thousands of numbers
            form = f"<{count}{_SCALARS[inner][1]}"
            return list(struct.unpack(form, self._bytes(struct.calcsize(form))))
        if inner == _TEXT:
            return self._texts(count)
        return [self._value(inner, depth + 1) for _ in range(count)]

    def _texts(self, count: int) -> list[str]:
        """Read strings; a vocabulary has so many of them that calls for each take long."""
        found: list[str] = []
        at, view, length = self.at, self._view, struct.Struct("<Q").unpack_from
        for _ in range(count):
            begin = at + 8
            at = begin + length(view, at)[0] if begin <= view.nbytes else begin
            if at > view.nbytes:
                raise damaged(self.path, f"the file ends after {view.nbytes} bytes")
            found.append(str(view[begin:at], "utf-8", "replace"))
        self.at = at
        return found

    def _count(self, least: int = _SMALLEST_ENTRY) -> int:
        """Read the number of entries that follow; raises `F080` if the file is too short for it.

        `least` is the least size of an entry in bytes.
        """
        found = self._number("<Q")
        if found * least > self.memory.size - self.at:
            raise damaged(
                self.path,
                f"the file announces {found} entries, but has only {self.memory.size} bytes",
            )
        return found

    def _text(self) -> str:
        return self._bytes(self._number("<Q")).decode(errors="replace")

    def _number(self, form: str) -> int:
        return struct.unpack(form, self._bytes(struct.calcsize(form)))[0]

    def _bytes(self, count: int) -> bytes:
        if count > self.memory.size - self.at:
            raise damaged(self.path, f"the file ends after {self.memory.size} bytes")
        found = bytes(self._view[self.at : self.at + count])
        self.at += count
        return found
