"""Writing of results to files that the user names."""

from pathlib import Path

from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


def write_text(path: Path, text: str) -> None:
    """Write text to a file in UTF-8; raises `U015` if the file cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"the file '{path}' cannot be written: {error.strerror or error}"
        help_ = "name a file in a folder that exists and can be written"
        raise UsageError(ErrorCode.U015, message, help=help_) from None
