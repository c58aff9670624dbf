"""Arrays in a file that is mapped into memory, by name; packed ones are unpacked when asked for."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from relay.ir.expr import Array
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span


@dataclass(frozen=True)
class StoredArray:
    """Where an array lies in a file: its first byte, how many there are, and what they mean.

    `decode` makes the array of the bytes; `kind` is the name of the element type in the file.
    """

    begin: int
    size: int
    shape: tuple[int, ...]
    kind: str
    decode: Callable[[Array], Array]


class StoredParameters(Mapping[str, Array]):
    """Arrays by name, in the memory of their file where it has them as NumPy does.

    Floats and integers are views of the mapped file, which cannot be written to. Quantised arrays
    are made, as float32, each time that they are asked for: keep what is needed often. `metadata`
    is what else the file says, and `kinds` the element types in the file, by name.
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
        """Return the element types in the file, by the names of the arrays."""
        return {name: each.kind for name, each in self._arrays.items()}

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an array without unpacking it."""
        return self._arrays[name].shape

    def __getitem__(self, name: str) -> Array:
        """Return an array (`KeyError`: there is none)."""
        found = self._arrays[name]
        data = self._memory[found.begin : found.begin + found.size]
        return found.decode(data).reshape(found.shape)

    def __iter__(self) -> Iterator[str]:
        """List the names in the order of the file."""
        return iter(self._arrays)

    def __len__(self) -> int:
        """Return how many arrays there are."""
        return len(self._arrays)

    def __repr__(self) -> str:
        """Say how much there is."""
        return f"<{len(self)} arrays of {self._path}>"


def mapped(path: Path) -> Array:
    """Return the bytes of a file, mapped into memory; raises `F001` where it cannot be read."""
    try:
        if path.stat().st_size == 0:
            return np.zeros(0, np.uint8)
        return np.memmap(path, np.uint8, "r").view(np.ndarray)
    except OSError as error:
        reason = error.strerror or str(error)
        raise RelayImportError(
            ErrorCode.F001, f"cannot read {path}: {reason}", help="check the path"
        ) from None


def damaged(path: Path, problem: str) -> RelayImportError:
    """Return the error for a file that is not what its name says."""
    return RelayImportError(
        ErrorCode.F080,
        f"this is no file of weights, or it is damaged: {problem}",
        span=Span(Source(str(path))),
        help="check that the download is complete",
    )


def unknown_type(path: Path, name: str, kind: str, known: Iterable[str]) -> RelayImportError:
    """Return the error for an element type that is not unpacked."""
    return RelayImportError(
        ErrorCode.F081,
        f"'{name}' has elements of type {kind}",
        span=Span(Source(str(path))),
        help=f"convert the file to one of {', '.join(known)}",
    )


def as_dtype(dtype: np.dtype[Any], data: Array) -> Array:
    """Return bytes as elements; where they do not lie on a multiple of their size, a copy."""
    if data.ctypes.data % dtype.alignment:
        data = data.copy()
    return data.view(dtype)
