"""Result pages for benchmarks that measure in their own process and print row by row."""

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks.machine import machine_line
from benchmarks.report import row

Run = Callable[[], object]


def least(
    runs: Sequence[Run],
    rounds: int,
    on_end: int = 1,
    clock: Callable[[], float] = time.process_time,
) -> list[float]:
    """Return the minimum seconds of each run, over alternating rounds.

    Each run is called `on_end` times in a round. By default its processor time counts.
    """
    times = [float("inf")] * len(runs)
    for _ in range(rounds):
        for number, run in enumerate(runs):
            start = clock()
            for _ in range(on_end):
                run()
            times[number] = min(times[number], (clock() - start) / on_end)
    return times


class Page:
    """A page of Markdown: a title, the machine, a note, then texts with tables."""

    def __init__(self, path: Path, title: str, note: str = "") -> None:
        self._path = path
        self._text = f"# {title}\n\n{machine_line()}\n" + (f"\n{note}\n" if note else "")

    def add(self, text: str) -> None:
        """Add a text, which may end with the head of a table."""
        self._text += text

    def add_row(self, cells: Iterable[str]) -> None:
        """Add a row to the table, and print it."""
        line = row(cells)
        print(line, flush=True)
        self._text += line + "\n"

    def save(self) -> None:
        """Write the page."""
        self._path.write_text(self._text, encoding="utf-8")
