"""Libraries and archives that contain the `.relay` file of their program.

TVM's `export_library` writes such files, and `load_module` opens them. In a library, the `.relay`
file follows the native code, where linkers and loaders ignore it, and a footer has its offset.
"""

import io
import struct
import tarfile
import tempfile
from os import PathLike
from pathlib import Path

import llvmlite.binding as llvm

from relay.runtime.aligned_memory import ALIGNMENT
from relay.runtime.artefact import (
    Container,
    Section,
    atomically_replaced,
    mapped,
    unwritable,
    write_to,
)
from relay.runtime.host_requirements import HostRequirements
from relay.runtime.library.linker import link
from relay.support.llvm_targets import target_machine
from relay.support.worker_thread import in_worker_thread

ARCHIVE = ".tar"
"""The suffix of archives."""

_FOOTER = struct.Struct("<8sQ")  # magic, offset of the .relay file
_MAGIC = b"RELAYEND"
_LEVEL = 2


def append_artefact(library: Path, artefact: Container) -> None:
    """Add a `.relay` file to the end of a linked library."""
    with library.open("ab") as file:
        begin = file.tell() + -file.tell() % ALIGNMENT
        file.write(bytes(begin - file.tell()))
        write_to(file, artefact)
        file.write(_FOOTER.pack(_MAGIC, begin))


def write_without_functions(path: str | PathLike[str], artefact: Container) -> None:
    """Write a shared library that has no functions for C, and contains a `.relay` file.

    Raises `A009` if the file cannot be written, `A013` or `A014` if it cannot be linked.
    """
    target = Path(path)
    try:
        with tempfile.TemporaryDirectory(prefix=".relay-", dir=target.parent) as made:
            folder = Path(made)
            (folder / "empty.o").write_bytes(_empty_object())
            library = folder / target.name
            link([folder / "empty.o"], library, HostRequirements.host(), (), target.name)
            append_artefact(library, artefact)
            library.replace(target)
    except OSError as error:
        raise unwritable(path, error) from error


@in_worker_thread
def _empty_object() -> bytes:
    host = HostRequirements.host()
    machine = target_machine(host.triple, host.cpu, host.features, _LEVEL)
    module = llvm.parse_assembly("")
    module.triple = machine.triple
    return machine.emit_object(module)


def write_archive(path: str | PathLike[str], content: bytes) -> None:
    """Write a `.tar` archive with the content of a `.relay` file. Raises `A009`."""
    member = tarfile.TarInfo(f"{Path(path).stem}.relay")
    member.size = len(content)
    with (
        atomically_replaced(path) as file,
        tarfile.open(fileobj=file, mode="w") as archive,
    ):
        archive.addfile(member, io.BytesIO(content))


def artefact_in(path: str | PathLike[str]) -> Section:
    """Return the bytes of the `.relay` file that a file contains, or else the whole file.

    Raises `A001` if the file cannot be read.
    """
    content = mapped(path)
    if Path(path).suffix == ARCHIVE:
        return _member(path, content)
    size = len(content)
    if size >= _FOOTER.size:
        magic, begin = _FOOTER.unpack(content[size - _FOOTER.size :].tobytes())
        if magic == _MAGIC and begin < size and begin % ALIGNMENT == 0:
            return content[begin : size - _FOOTER.size]
    return content


def _member(path: str | PathLike[str], content: Section) -> Section:
    """Return the `.relay` file in an archive; the whole archive if there is none."""
    try:
        with tarfile.open(path, mode="r:") as archive:
            for member in archive:
                if member.isreg() and member.name.endswith(".relay"):
                    begin = member.offset_data  # a multiple of 512
                    return content[begin : begin + member.size]
    except (tarfile.TarError, OSError):
        pass
    return content
