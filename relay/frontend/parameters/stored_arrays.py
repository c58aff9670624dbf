"""Named arrays in a memory-mapped file; quantised arrays are decoded on access."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from relay.frontend.read_files import mapped
from relay.ir.expr import Array
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span


@dataclass(frozen=True)
class StoredArray:
    """The location of an array in a file: its offset, size, and decoding function.

    `decode` converts the bytes to an array; `kind` is the name of the element type in the file.
    """

    begin: int
    size: int
    shape: tuple[int, ...]
    kind: str
    decode: Callable[[Array], Array]


class StoredParameters(Mapping[str, Array]):
    """Named arrays of a file, memory-mapped if NumPy supports their element type.

    Arrays are read-only. Floats and integers are views of the mapped file. Quantised arrays are
    decoded to float32 on each access, so callers should keep them. `metadata` has the other content
    of the file, and `kinds` the element types in the file, by name.
    """

    def __init__(
        self, path: Path, arrays: Mapping[str, StoredArray], metadata: Mapping[str, object]
    ) -> None:
        self.metadata = metadata
        self._arrays = arrays
        self._path = path
        self._memory = mapped(path)

    @property
    def kinds(self) -> Mapping[str, str]:
        """Return the element types in the file, by array name."""
        return {name: each.kind for name, each in self._arrays.items()}

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an array without decoding it."""
        return self._arrays[name].shape

    def __getitem__(self, name: str) -> Array:
        """Return an array by name; raises `KeyError` if there is none."""
        found = self._arrays[name]
        data = self._memory[found.begin : found.begin + found.size]
        return found.decode(data).reshape(found.shape)

    def packed(self, name: str) -> Array:
        """Return the bytes of an array as they are in the file, one row for each row of the array.

        The result is a read-only view `(*shape[:-1], bytes)`; raises `KeyError` for unknown names.
        """
        found = self._arrays[name]
        data = self._memory[found.begin : found.begin + found.size]
        rows = found.shape[:-1]
        return data.reshape(*rows, found.size // max(1, prod(rows)))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names in the order of the file."""
        return iter(self._arrays)

    def __len__(self) -> int:
        """Return the number of arrays."""
        return len(self._arrays)

    def __repr__(self) -> str:
        """Return a summary: the number of arrays and elements."""
        return f"<{len(self)} arrays of {self._path}>"


def damaged(path: Path, problem: str) -> RelayImportError:
    """Return the error for a damaged weight file."""
    return RelayImportError(
        ErrorCode.F080,
        f"the file does not contain weights, or it is damaged: {problem}",
        span=Span(Source(str(path))),
        help="check that the download is complete",
    )


def unknown_type(path: Path, name: str, kind: str, known: Iterable[str]) -> RelayImportError:
    """Return the error for an unsupported element type."""
    return RelayImportError(
        ErrorCode.F081,
        f"the array '{name}' has elements of the type {kind}, which is not supported",
        span=Span(Source(str(path))),
        help=f"convert the weights to one of the types {', '.join(known)}",
    )


def as_dtype(dtype: np.dtype[Any], data: Array) -> Array:
    """Return bytes as an array of `dtype`; unaligned bytes are copied first."""
    if data.ctypes.data % dtype.alignment:
        data = data.copy()
    return data.view(dtype)
