"""Read `.params` files of MXNet, which contain arrays by name.

A file consists of a magic number, the number of arrays, each with its shape, device, element type
and elements, and then their names: `arg:fc1_weight`, `aux:bn_moving_mean`.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from relay.frontend.parameters.stored_arrays import as_dtype
from relay.frontend.read_files import mapped
from relay.ir.expr import Array
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span

_MAGIC = 0x112
_V1, _V2, _V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
"""Versions of the format: 64-bit sizes; a storage type; NumPy shapes, where rank -1 means none."""

_ML: Any = ml_dtypes
_DTYPES: Mapping[int, np.dtype[Any]] = {
    0: np.dtype("<f4"), 1: np.dtype("<f8"), 2: np.dtype("<f2"), 3: np.dtype("u1"),
    4: np.dtype("<i4"), 5: np.dtype("i1"), 6: np.dtype("<i8"), 7: np.dtype(np.bool_),
    12: np.dtype(_ML.bfloat16),
}  # fmt: skip

MOST_AXES = 32


def read_params(path: Path) -> dict[str, Array]:
    """Return the arrays of a file by name, memory-mapped; raises `F061` for an invalid file."""
    return Reader(path, mapped(path)).arrays()


@dataclass
class Reader:
    """A reader of one file: its memory-mapped bytes, and the current position."""

    path: Path
    memory: Array
    at: int = 0

    def arrays(self) -> dict[str, Array]:
        """Read the whole file, and return its arrays by name."""
        magic, _, count = self._numbers("<QQQ")
        if magic != _MAGIC:
            raise self._damaged("the file does not begin with the signature of the format")
        found = [self._array() for _ in range(self._count(count, 8))]
        (named,) = self._numbers("<Q")
        names = [self._name() for _ in range(self._count(named, 8))]
        if len(names) != len(found):
            raise self._damaged(f"the file has {len(names)} names for {len(found)} arrays")
        return dict(zip(names, found, strict=True))

    def _array(self) -> Array:
        shape = self._shape()
        if shape is None:
            return np.zeros(0, np.float32)
        _, _, kind = self._numbers("<iii")
        if kind not in _DTYPES:
            raise self._damaged(f"an array has the unknown element type number {kind}")
        dtype = _DTYPES[kind]
        return as_dtype(dtype, self._bytes(prod(shape) * dtype.itemsize)).reshape(shape)

    def _shape(self) -> tuple[int, ...] | None:
        """Return the shape of the next array; None for an array without a value."""
        (magic,) = self._numbers("<I")
        if magic in (_V2, _V3):
            (storage,) = self._numbers("<i")
            if storage != 0:
                raise self._damaged("an array is sparse, but only dense arrays are supported")
        if magic in (_V1, _V2, _V3):
            (rank,) = self._numbers("<i")
            form = "q"
        else:  # the first version starts with the rank
            rank, form = magic, "I"
        if rank == -1 or (rank == 0 and magic != _V3):
            return None
        if not 0 <= rank <= MOST_AXES:
            raise self._damaged(f"an array has {rank} axes, but at most {MOST_AXES} are supported")
        shape = self._numbers(f"<{rank}{form}")
        if min(shape, default=0) < 0:
            raise self._damaged(f"an array has a negative size: its shape is {shape}")
        return shape

    def _name(self) -> str:
        (size,) = self._numbers("<Q")
        return self._bytes(size).tobytes().decode(errors="replace")

    def _count(self, count: int, least: int) -> int:
        if count * least > self.memory.size - self.at:
            raise self._damaged(
                f"the file announces {count} entries, but has only {self.memory.size} bytes"
            )
        return count

    def _numbers(self, form: str) -> tuple[Any, ...]:
        return struct.unpack(form, self._bytes(struct.calcsize(form)).tobytes())

    def _bytes(self, count: int) -> Array:
        if count > self.memory.size - self.at:
            raise self._damaged(f"the file ends after {self.memory.size} bytes")
        found = self.memory[self.at : self.at + count]
        self.at += count
        return found

    def _damaged(self, problem: str) -> RelayImportError:
        return RelayImportError(
            ErrorCode.F061,
            f"the file does not contain parameters of MXNet, or it is damaged: {problem}",
            span=Span(Source(str(self.path))),
            help="write the file with net.export(prefix), or with mx.nd.save(path, arrays)",
        )
