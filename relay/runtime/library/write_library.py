"""Write a C library and its header."""

import tempfile
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from relay.runtime.artefact import Container, unwritable
from relay.runtime.library.c_identifiers import header_path, library_name
from relay.runtime.library.files_for_python import append_artefact
from relay.runtime.library.header import header_text
from relay.runtime.library.linker import link
from relay.runtime.library.object_files import is_whole, offered, write_objects
from relay.runtime.program import Program
from relay.support.error_codes import ErrorCode
from relay.support.errors import ArtefactError

SHARED = frozenset({".so", ".dylib", ".dll"})
OBJECT = frozenset({".o"})
_SYSTEMS = {".dll": ("windows",), ".dylib": ("darwin", "macos")}
"""The systems, as triples name them, that have shared libraries with a file extension."""

ENDINGS = SHARED | OBJECT
"""The file extensions of libraries."""


def write_library(
    program: Program, path: str | PathLike[str], artefact: Container | None = None
) -> None:
    """Write a program as a C library, and the header in the same folder.

    The library also contains `artefact`, if one is passed, for `relay.runtime.load_module`.
    The suffix determines the format: `.so`, `.dylib` or `.dll` is linked, `.o` is an object file
    for the caller to link. Existing files are replaced once everything has succeeded. Raises `A009`
    if a file cannot be written, `A013` or `A014` if it cannot be linked, `A015` for another suffix,
    `A016` for an object file of a program that has several objects.
    """
    target = Path(path)
    _check(program, target)
    name = library_name(target)
    try:
        with tempfile.TemporaryDirectory(prefix=".relay-", dir=target.parent) as made:
            folder = Path(made)
            objects = write_objects(program, name, folder)
            library = _linked(objects.paths, program, target, folder)
            if artefact is not None:
                append_artefact(library, artefact)
            header = folder / "header"
            header.write_text(header_text(program, name, target.name, objects.needs), "utf-8")
            library.replace(target)
            header.replace(header_path(target))
    except OSError as error:
        raise unwritable(path, error) from error


def _linked(objects: Sequence[Path], program: Program, target: Path, folder: Path) -> Path:
    """Return the path of the finished library in a temporary folder."""
    if target.suffix in OBJECT:
        return objects[0]
    library = folder / target.name  # DLLs contain their name
    link(objects, library, program.machine, offered(library_name(target)), target.name)
    return library


def unexportable(message: str, help: str) -> ArtefactError:
    """Return the error for a model that cannot be exported."""
    return ArtefactError(ErrorCode.A017, message, help=help)


def refuse_library_name(path: str | PathLike[str]) -> None:
    """Raise `A015` if a `.relay` file would have the suffix of a library."""
    suffix = Path(path).suffix
    if suffix in ENDINGS:
        message = f"save() writes .relay files, but the suffix of '{path}' is that of a library"
        help_ = f"write the library with export('{path}'), or save to a name that ends in .relay"
        raise ArtefactError(ErrorCode.A015, message, help=help_)


def _check(program: Program, target: Path) -> None:
    if target.suffix not in ENDINGS:
        raise ArtefactError(
            ErrorCode.A015,
            f"the suffix of '{target}' is not that of a library",
            help=(
                "use .so, .dylib or .dll for a shared library for C, or .o for an object file; "
                f"files for Python are written by save or export_library('{target.stem}.relay')"
            ),
        )
    systems = _SYSTEMS.get(target.suffix, ("",))
    if not any(system in program.machine.triple for system in systems):
        raise ArtefactError(
            ErrorCode.A015,
            f"a library for {program.machine.triple} cannot have the suffix {target.suffix}",
            help="end the name in .so, or compile the model for the other system: "
            "relay.compile(model, target=…)",
        )
    if program.external:
        names = sorted({part.compiler for part in program.external})
        message = (
            f"parts of the model were compiled by {' and '.join(names)}, which a C library "
            "cannot contain"
        )
        raise unexportable(
            message, "compile the model without these compilers, or save it as .relay"
        )
    if target.suffix in OBJECT and not is_whole(program):
        raise ArtefactError(
            ErrorCode.A016,
            "an object file cannot be written, because the model was compiled for this process",
            help=(
                "compile the model with relay.compile(model, target='native'), or export a .so file"
            ),
        )
