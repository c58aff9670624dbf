"""Read and write the `.relay` file format: a JSON header, and 64-byte aligned binary sections.

`docs/artefact.md` documents the layout. A file contains data and native code. Its checksums detect
damage, but not manipulation: run only models from a trusted source.
"""

import hashlib
import json
import os
import secrets
import struct
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from relay.runtime.aligned_memory import ALIGNMENT, align_up, aligned_empty
from relay.runtime.json_fields import Record, malformed
from relay.support.error_codes import ErrorCode
from relay.support.errors import ArtefactError
from relay.support.mapped_file import map_file
from relay.support.node import node

VERSION = 1
"""The version of the layout; a reader rejects newer versions."""

_MAGIC = b"\x89RELAY\r\n"
_NATIVE_MAGICS = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"MZ")  # of Linux, macOS and Windows
_PREFIX = struct.Struct("<8sII Q32s8x")  # magic, version, zero, header size, header's SHA-256
assert _PREFIX.size == ALIGNMENT

_PART = 1 << 22
"""Hashed or written at once: Python handles signals in between, so that Ctrl-C is heard."""

Section = npt.NDArray[np.uint8]
"""The bytes of a section, mapped from the file if it was read from one."""


@node
class Container:
    """The contents of a file: the kind of executable, a header for that kind, and sections."""

    kind: str
    body: dict[str, Any]
    sections: tuple[Section, ...]

    @property
    def record(self) -> Record:
        """Return the header as a `Record`, which validates each field when a caller reads it."""
        return Record(self.body, "body")

    def section(self, index: int) -> Section:
        """Return section `index`; raises `A006` if it does not exist."""
        if index >= len(self.sections):
            raise malformed(f"there is no section {index}")
        return self.sections[index]


class Packer:
    """A builder of a file's list of sections; sections with equal contents are stored once."""

    def __init__(self) -> None:
        self._sections: list[Section] = []
        self._known: dict[bytes, int] = {}

    def add(self, content: bytes | Section) -> int:
        """Add a section and return its index."""
        section = np.frombuffer(content, np.uint8) if isinstance(content, bytes) else content
        digest = _digest(section)
        if digest not in self._known:
            self._known[digest] = len(self._sections)
            self._sections.append(section)
        return self._known[digest]

    def container(self, kind: str, body: dict[str, Any]) -> Container:
        """Return the complete contents of a file; `body` must be JSON."""
        return Container(kind, body, tuple(self._sections))


def write_container(path: str | PathLike[str], container: Container) -> None:
    """Write a file atomically; on failure (`A009`) an existing file is unchanged."""
    with atomically_replaced(path) as file:
        write_to(file, container)


@contextmanager
def atomically_replaced(path: str | PathLike[str]) -> Generator[BinaryIO]:
    """Open a temporary file that atomically replaces `path` once all data is on disk.

    Raises `A009` if it cannot be written; an existing file is then unchanged.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def unwritable(path: str | PathLike[str], error: OSError) -> ArtefactError:
    """Return the error for a file that cannot be written."""
    return ArtefactError(
        ErrorCode.A009,
        f"the file '{path}' cannot be written: {error.strerror}",
        help="check the folder, its permissions and the free space",
    )


def write_to(file: BinaryIO, container: Container) -> None:
    """Write the contents of a `.relay` file to an open file."""
    entries: list[dict[str, Any]] = []
    end = 0
    for section in container.sections:
        digest = _digest(section).hex()
        entries.append({"offset": end, "size": section.nbytes, "sha256": digest})
        end = align_up(end + section.nbytes)
    header = {"kind": container.kind, "sections": entries, "body": container.body}
    text = json.dumps(header, separators=(",", ":")).encode()
    digest = hashlib.sha256(text).digest()
    file.write(_PREFIX.pack(_MAGIC, VERSION, 0, len(text), digest))
    file.write(_padded(text))
    for section in container.sections:
        file.writelines(_parts(section))
        file.write(bytes(-section.nbytes % ALIGNMENT))


def _digest(section: Section) -> bytes:
    """Return the SHA-256 of a section."""
    found = hashlib.sha256()
    for part in _parts(section):
        found.update(part)
    return found.digest()


def _parts(section: Section) -> Iterator[memoryview]:
    return (section[begin : begin + _PART].data for begin in range(0, section.nbytes, _PART))


def _padded(text: bytes) -> bytes:
    return text + bytes(-len(text) % ALIGNMENT)


def read_container(path: str | PathLike[str], *, verify: bool = True) -> Container:
    """Map a `.relay` file into memory and check it.

    `verify=False` skips the sections' checksums. Raises `A001` (cannot be read), `A002` (not a
    `.relay` file), `A003` (too new), `A004` (truncated), `A005` (damaged), `A006` (header).
    """
    return parse_container(mapped(path), verify=verify)


def parse_container(content: Section, *, verify: bool = True) -> Container:
    """Check the bytes of a file and return its contents; raises the errors of `read_container`.

    The bytes must be aligned in memory.
    """
    size = _check_prefix(content)
    header_bytes = content[ALIGNMENT : ALIGNMENT + size]
    header = _parse(header_bytes.tobytes())
    start = align_up(ALIGNMENT + size)
    sections = _sections(content, start, header.records("sections"), verify)
    body = header.record("body")
    return Container(header.text("kind"), body.fields, tuple(sections))


def container_bytes(container: Container) -> bytes:
    """Return the contents of a `.relay` file, which `container_from_bytes` reads."""
    file = BytesIO()
    write_to(file, container)
    return file.getvalue()


def container_from_bytes(content: bytes) -> Container:
    """Check the contents of a file and return them; raises the errors of `read_container`."""
    held = aligned_empty((len(content),), np.dtype(np.uint8)).view(np.uint8)
    held[:] = np.frombuffer(content, np.uint8)
    return parse_container(held)


def is_container(path: str | PathLike[str]) -> bool:
    """Whether a file begins like a `.relay` file; false if it cannot be read."""
    return begins_with(path, _MAGIC)


def begins_with(path: str | PathLike[str], magic: bytes) -> bool:
    """Whether a file begins with some bytes; false if it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            return file.read(len(magic)) == magic
    except OSError:
        return False


def mapped(path: str | PathLike[str]) -> Section:
    """Return the memory-mapped bytes of a file; raises `A001` if it cannot be read."""
    try:
        return map_file(Path(path))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ArtefactError(
            ErrorCode.A001,
            f"the file '{path}' cannot be read: {reason}",
            help="check the path and its permissions",
        ) from error


def _check_prefix(content: Section) -> int:
    """Check the file's magic number and the header's checksum; return the header's size."""
    start = content[: len(_MAGIC)].tobytes()
    if start.startswith(_NATIVE_MAGICS):
        raise ArtefactError(
            ErrorCode.A002,
            "the file contains native code, such as a library for C, and is not a .relay file",
            help='write the file that Python loads with export_library("model.relay") or save()',
        )
    if not start or not _MAGIC.startswith(start):
        raise ArtefactError(
            ErrorCode.A002,
            "the file is not a .relay file, or it is damaged"
            if start
            else "the file is empty, so it is not a .relay file",
            help="save the model again as .relay; open models in other formats with relay.load",
        )
    if content.nbytes < _PREFIX.size:
        raise _cut_off(content.nbytes, _PREFIX.size)
    _, version, _, size, digest = _PREFIX.unpack(content[: _PREFIX.size].tobytes())
    if version > VERSION:
        raise ArtefactError(
            ErrorCode.A003,
            f"the file has version {version}, but this Relay reads versions up to {VERSION}",
            help="install a newer Relay, or save the model with this version",
        )
    if size > content.nbytes - _PREFIX.size:
        raise _cut_off(content.nbytes, _PREFIX.size + size)
    if hashlib.sha256(content[_PREFIX.size : _PREFIX.size + size].data).digest() != digest:
        raise _damaged("the header")
    return size


def _parse(text: bytes) -> Record:
    try:
        return Record(json.loads(text), "header")
    except (ValueError, RecursionError) as error:
        raise malformed("it is not JSON") from error


def _sections(
    content: Section, start: int, entries: Sequence[Record], verify: bool
) -> list[Section]:
    """Return the sections of a file, whose offsets are relative to `start`."""
    sections: list[Section] = []
    data = content[start:]
    end = max((each.number("offset") + each.number("size") for each in entries), default=0)
    for index, entry in enumerate(entries):
        offset, size = entry.number("offset"), entry.number("size")
        if offset % ALIGNMENT:
            raise malformed(f"section {index} has an invalid offset")
        if offset + size > data.nbytes:
            raise _cut_off(content.nbytes, start + end)
        section = data[offset : offset + size]
        if verify and _digest(section).hex() != entry.text("sha256"):
            raise _damaged(f"section {index}")
        sections.append(section)
    return sections


def _cut_off(found: int, expected: int) -> ArtefactError:
    return ArtefactError(
        ErrorCode.A004,
        f"the file is incomplete: it has {found} bytes, but at least {expected} are needed",
        help="copy or save the file again",
    )


def _damaged(part: str) -> ArtefactError:
    return ArtefactError(
        ErrorCode.A005,
        f"the file is damaged: the checksum of {part} is wrong",
        help="copy or save the file again",
    )
