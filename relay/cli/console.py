"""Print tables, progress bars and errors on the terminal."""

import os
import traceback
from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from relay.support.errors import RelayError, render
from relay.support.progress_callback import Progress as Listener

WIDE = 120
"""The width for output that is not a terminal when `COLUMNS` is not set."""

_STYLES = {
    "error[": "bold red",
    "  -->": "blue",
    "   |": "dim",
    "   = note:": "cyan",
    "   = help:": "green",
}


class _Piped(Console):
    """A console that handles a closed pipe, for example of `head`, like other output does."""

    def on_broken_pipe(self) -> None:
        """Raise `BrokenPipeError`, as other output does, instead of exiting with status 1."""
        raise BrokenPipeError


def console(*, stderr: bool = False) -> Console:
    """Return a console on standard output or error; control codes are for terminals only."""
    made = _Piped(stderr=stderr, highlight=False, emoji=False, markup=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = WIDE
    return made


def table(*columns: str, numbers: int = 0, title: str | None = None) -> Table:
    """Return an empty table whose last `numbers` columns are right-aligned."""
    made = Table(box=None, pad_edge=False, title=title, title_justify="left", header_style="bold")
    for index, name in enumerate(columns):
        right = index >= len(columns) - numbers
        made.add_column(
            name,
            justify="right" if right else "left",
            no_wrap=right,
            overflow="fold" if index else "ellipsis",
        )
    return made


def report_error(error: RelayError, *, debug: bool) -> None:
    """Print an error on standard error; with `debug`, with the stack frames of Relay."""
    if debug:
        traceback.print_exception(error)
    else:
        draw_error(error)


def draw_error(error: RelayError) -> None:
    """Print an error and its related errors on standard error.

    Each error names the command that explains its code.
    """
    out = console(stderr=True)
    for each in (error, *error.others):
        for line in render(each).splitlines():
            out.print(Text(line, _style(line)), soft_wrap=True)
        out.print(Text(f"   = more: relay explain {each.code}", "dim"), soft_wrap=True)


def _style(line: str) -> str:
    return next((style for start, style in _STYLES.items() if line.startswith(start)), "")


@contextmanager
def progress_bars() -> Generator[Listener]:
    """Show a progress bar for each stage during a `with` block, if standard error is a terminal.

    The block receives the progress callback, which may be called from any thread.
    """
    out = console(stderr=True)
    columns = (
        TextColumn("{task.description:<8}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=out, transient=True, disable=not out.is_terminal) as bars:
        tasks = {stage: bars.add_task(stage, total=None) for stage in ("passes", "kernels")}

        def listen(stage: str, begun: int, total: int) -> None:
            bars.update(tasks[stage], completed=begun + 1, total=total)

        yield listen
