"""Read files; raise an import error for those that cannot be read."""

from os import PathLike, fspath
from pathlib import Path

from relay.ir.expr import Array
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.mapped_file import map_file


def read_bytes(path: Path) -> bytes:
    """Return the content of a file; raises `F001` if it cannot be read."""
    try:
        check_is_file(path)
        return path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from None


def mapped(path: Path) -> Array:
    """Return the memory-mapped bytes of a file; raises `F001` if it cannot be read."""
    try:
        check_is_file(path)
        return map_file(path)
    except OSError as error:
        raise unreadable(path, error) from None


def path_of(source: str | PathLike[str]) -> Path:
    """Return the path of a file; raises `F001` for an empty one, which would be the folder `.`."""
    if not fspath(source):
        raise RelayImportError(
            ErrorCode.F001, "the path of the file is empty", help="pass the path of a model"
        )
    return Path(source)


def check_is_there(path: Path) -> None:
    """Raise `F001` if the file or folder does not exist or cannot be read."""
    check_is_file(path)
    try:
        path.stat()
    except OSError as error:
        raise unreadable(path, error) from None


def check_is_file(path: Path) -> None:
    """Raise `F001` for pipes, sockets and devices, whose content may have no end."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise RelayImportError(ErrorCode.F001, f"cannot read {path}: it is not a file")


def unreadable(path: Path, error: OSError) -> RelayImportError:
    """Return the error `F001` for a file that cannot be read."""
    reason = error.strerror or str(error)
    return RelayImportError(
        ErrorCode.F001,
        f"cannot read {path}: {reason}",
        help="check the path, and the permissions of the file",
    )
