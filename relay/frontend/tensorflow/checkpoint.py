"""Read the variables of a SavedModel: an index by name, and memory-mapped data files."""

import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError

from relay.frontend.read_files import read_bytes
from relay.frontend.tensorflow.decode_tensors import array_of_bytes, element_dtype, shape_of
from relay.frontend.tensorflow.schema import message_class
from relay.frontend.tensorflow.sstable import Cursor, read_table
from relay.ir.expr import Array
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError
from relay.support.span import Source, Span

_BIG_ENDIAN = 1
_OBJECTS = b"_CHECKPOINTABLE_OBJECT_GRAPH"  # a string: its length, a checksum, its bytes
_CHECKSUM = 4
_HELP = "copy the whole folder of the model, with its subfolder variables/, or save the model again"


class Checkpoint:
    """The tensors of a checkpoint by name.

    `prefix` is the path of its files without suffix: `variables/variables` in a SavedModel.
    """

    def __init__(self, prefix: Path) -> None:
        self._prefix = prefix
        self._shards: dict[int, Any] = {}
        self._entries: Mapping[bytes, bytes] = {}
        index = Path(f"{prefix}.index")
        if index.exists():
            self._entries = self._read_index(index)

    def _read_index(self, index: Path) -> Mapping[bytes, bytes]:
        try:
            entries = read_table(read_bytes(index))
            header = message_class("BundleHeader").FromString(entries.get(b"", b""))
        except (ValueError, DecodeError) as error:
            raise self._error(f"the file {index.name} cannot be used: {error}") from None
        self._count = header.num_shards
        if header.endianness == _BIG_ENDIAN:
            raise self._error("the elements are stored in big-endian order")
        return entries

    def __getitem__(self, name: str) -> Array:
        """Return a memory-mapped tensor; raises `F093` if it is missing or damaged."""
        found = self._entries.get(name.encode())
        if found is None:
            raise self._error(f"there is no tensor '{name}'")
        try:
            entry = message_class("BundleEntry").FromString(found)
            if entry.slices:
                raise self._error(
                    f"the variable '{name}' is stored in parts, which is not supported"
                )
            shape = shape_of(entry.shape)
            if shape is None or min(shape, default=0) < 0:
                raise ValueError(f"the shape {shape} is invalid")
            data = self._part(entry.shard_id, entry.offset, entry.size)
            return array_of_bytes(data, element_dtype(entry.dtype), shape, name)
        except (DecodeError, ValueError) as error:
            raise self._error(f"the variable '{name}' is damaged: {error}") from None
        except RelayError as error:
            raise error.at(Span(Source(f"{self._prefix}, variable {name}"))) from None

    def objects(self) -> Any:
        """Return the message of the objects that own tensors, or None; raises `F093`."""
        found = self._entries.get(_OBJECTS)
        if found is None:
            return None
        try:
            entry = message_class("BundleEntry").FromString(found)
            text = Cursor(bytes(self._part(entry.shard_id, entry.offset, entry.size)))
            length = text.number()
            text.bytes(_CHECKSUM)
            return message_class("StoredObjects").FromString(text.bytes(length))
        except (DecodeError, ValueError) as error:
            raise self._error(f"the list of its objects is damaged: {error}") from None

    def _part(self, shard: int, begin: int, size: int) -> memoryview:
        """Return `size` bytes of a data file (shard) from offset `begin` on."""
        if shard not in self._shards:
            self._shards[shard] = self._mapped(shard)
        whole = self._shards[shard]
        if min(begin, size) < 0 or begin + size > len(whole):
            raise ValueError(
                f"it needs {size} bytes at offset {begin}, but the file has {len(whole)}"
            )
        return whole[begin : begin + size]

    def _mapped(self, shard: int) -> memoryview:
        path = Path(f"{self._prefix}.data-{shard:05d}-of-{self._count:05d}")
        try:
            with path.open("rb") as file:
                empty = file.seek(0, 2) == 0
                return memoryview(
                    b"" if empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                )
        except OSError as error:
            reason = error.strerror or str(error)
            raise self._error(f"cannot read the file {path.name}: {reason}") from None

    def _error(self, problem: str) -> RelayImportError:
        span = Span(Source(str(self._prefix)))
        return RelayImportError(
            ErrorCode.F093,
            f"the variables of the model cannot be read: {problem}",
            span=span,
            help=_HELP,
        )
