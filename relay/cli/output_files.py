"""Check the files that a command is to write before its work begins."""

import os
from collections.abc import Collection
from pathlib import Path

from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

DRAWING = (".html", ".htm")
"""The suffixes of drawings."""

PROGRAM = (".rly", ".txt")
"""The suffixes of program texts."""


def check_output(path: Path, suffixes: Collection[str]) -> None:
    """Check that a file may have this name, and that its folder can be written.

    Raises `U010` for a name without one of the suffixes, and `U015` for a folder that cannot be
    written.
    """
    if path.suffix not in suffixes:
        raise UsageError(
            ErrorCode.U010,
            f"the name of the output, '{path}', must end in {', '.join(sorted(suffixes))}",
            help=f"choose a name such as {path.stem or 'model'}{min(suffixes)}",
        )
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise UsageError(
            ErrorCode.U015,
            f"the file '{path}' cannot be written: its folder does not exist or is read-only",
            help="name a file in a folder that exists and can be written",
        )
