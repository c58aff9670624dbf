"""Writing of results to files that the user names; each function raises `U015` if that fails."""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from shutil import copymode

from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


def write_text(path: Path, text: str) -> None:
    """Write text to a file in UTF-8."""
    with _explained("file", path):
        path.write_text(text, encoding="utf-8")


def rewrite_text(path: Path, text: str) -> None:
    """Replace the text of a file as a whole: after a failure, such as a full disk, it is as before.

    Line ends are written as they are in `text`.
    """
    with _explained("file", path):
        target = path.resolve(strict=True)  # a symbolic link stays one
        with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as file:
            written = Path(file.name)
            try:
                file.write(text.encode())
                file.close()
                copymode(target, written)
                written.replace(target)
            finally:
                written.unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """Make a folder and those that contain it, unless they exist."""
    with _explained("folder", path):
        path.mkdir(parents=True, exist_ok=True)


@contextmanager
def _explained(kind: str, path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        message = f"the {kind} '{path}' cannot be written: {error.strerror or error}"
        help_ = "name a file in a folder that exists and can be written"
        raise UsageError(ErrorCode.U015, message, help=help_) from None
