"""Tracebacks of errors without Relay's own frames, which do not help users to find their error.

`RELAY_TRACEBACK=full` in the environment shows all frames, and so does `--debug` of the command.
"""

import os
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, TracebackType

from relay.support.errors import RelayError

SWITCH = "RELAY_TRACEBACK"
_HOME = str(Path(__file__).parents[1]) + os.sep
_MADE = re.compile(r"__(function__|factory__|(arm|bind|out|test)\d+)")
_HINT = f"(frames inside Relay are hidden; {SWITCH}=full shows them)"


def hide_frames() -> None:
    """Make Python print uncaught Relay errors without Relay's frames.

    Other exceptions do not change.
    """
    previous = sys.excepthook

    def report(kind: type[BaseException], error: BaseException, tb: TracebackType | None) -> None:
        shown = outside(tb) if isinstance(error, RelayError) else tb
        for each in _chain(error):
            if isinstance(each, RelayError):
                each.__traceback__ = outside(each.__traceback__)
        previous(kind, error, shown)
        if shown is not tb:
            sys.stderr.write(f"{_HINT}\n")

    sys.excepthook = report


def rendered(error: RelayError) -> list[str]:
    """Return the lines of an error and its traceback without Relay's frames, for notebooks."""
    tb = error.__traceback__
    shown = outside(tb)
    lines = "".join(traceback.format_exception(type(error), error, shown)).splitlines()
    return lines if shown is tb else [*lines, _HINT]


def outside(tb: TracebackType | None) -> TracebackType | None:
    """Return a traceback without Relay's frames, or `tb` itself if no frames remained."""
    if os.environ.get(SWITCH) == "full":
        return tb
    every = [*_frames(tb)]
    kept = [each for each in every if not _is_hidden(each.tb_frame.f_code)]
    if not kept or len(kept) == len(every):
        return tb
    shown: TracebackType | None = None
    for each in reversed(kept):
        shown = TracebackType(shown, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return shown


def _is_hidden(code: CodeType) -> bool:
    """Whether a frame runs code of Relay, or code that Relay generated from a Python function.

    The latter needs no frame, because the error has a source location of its own.
    """
    return code.co_filename.startswith(_HOME) or _MADE.fullmatch(code.co_name) is not None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and the chain of errors that led to it, its causes and contexts."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _frames(tb: TracebackType | None) -> Iterator[TracebackType]:
    while tb is not None:
        yield tb
        tb = tb.tb_next
