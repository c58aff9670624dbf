"""Files that are mapped into memory: read-only arrays of bytes, read from the file when used."""

import mmap
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self
from weakref import finalize

import numpy as np
import numpy.typing as npt

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError

Array = npt.NDArray[Any]

_STEP = 2**24
"""The most bytes of a mapped file that are in memory beside their copies."""


class FileMapping(mmap.mmap):
    """A read-only mapping of a file, which knows the file's state when it was mapped."""

    _path: Path
    _file: int
    _state: tuple[int, int]

    @classmethod
    def of(cls, path: Path) -> Self:
        """Map a file, which must not be empty; raises `OSError`."""
        with path.open("rb") as file:
            made = cls(file.fileno(), 0, access=mmap.ACCESS_READ)
            made._path, made._file = path, os.dup(file.fileno())
        finalize(made, os.close, made._file)
        made._state = made._current()  # of the size and the time of the last write
        return made

    def check_unchanged(self) -> None:
        """Raise `F082` if the file has been written to: reading a missing page ends the process."""
        if self._current() != self._state:
            raise RelayImportError(
                ErrorCode.F082,
                f"the file {self._path} has changed since it was loaded",
                help="load the model again, and write changed models to new files",
            )

    def release(self) -> None:
        """Release the memory of the pages that have been read; they are read again if needed."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self.madvise(mmap.MADV_DONTNEED)

    def _current(self) -> tuple[int, int]:
        status = os.fstat(self._file)
        return status.st_size, status.st_mtime_ns


def map_file(path: Path) -> Array:
    """Return the bytes of a file, mapped into memory; raises `OSError`."""
    if path.stat().st_size == 0:
        return np.zeros(0, np.uint8)
    mapping = FileMapping.of(path)
    return np.ndarray(len(mapping), np.uint8, mapping)


def mapping_of(array: Array) -> FileMapping | None:
    """Return the mapping of which an array is a view, or None."""
    holder: Any = array
    while isinstance(holder, np.ndarray):
        holder = holder.base
    return holder if isinstance(holder, FileMapping) else None


def mappings_of(arrays: Iterable[Array]) -> set[FileMapping]:
    """Return the mappings of which some of the arrays are views."""
    return {found for each in arrays if (found := mapping_of(each)) is not None}


def copy_array(target: Array, source: Array) -> None:
    """Copy an array; if it is a view of a mapped file, the file does not stay in memory."""
    mapping = mapping_of(source)
    if mapping is None:
        target[...] = source
    else:
        _copy_in_steps(target, source, mapping)


def _copy_in_steps(target: Array, source: Array, mapping: FileMapping) -> None:
    """Copy parts that are adjacent in the file, and release each."""
    if source.nbytes <= _STEP:
        target[...] = source
        mapping.release()
        return
    strides = [
        abs(step) if size > 1 else -1
        for size, step in zip(source.shape, source.strides, strict=True)
    ]
    outer = strides.index(max(strides))
    target, source = np.moveaxis(target, outer, 0), np.moveaxis(source, outer, 0)
    rows = max(1, _STEP * len(source) // source.nbytes)
    for start in range(0, len(source), rows):
        part = slice(start, start + rows)
        _copy_in_steps(target[part], source[part], mapping)
