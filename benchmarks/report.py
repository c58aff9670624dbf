"""Store results in a JSON file and print them as Markdown and as a terminal table."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.harness import Measurement
from benchmarks.machine import describe_machine, machine_line

RESULTS = Path(__file__).parent / "results"
HEADINGS = (
    "model", "threads", "engine", "median ms", "min ms", "Relay is", "error",
    "compile cold s", "warm s", "peak MB",
)  # fmt: skip


def speedup(rows: Sequence[Measurement]) -> float | None:
    """Return the best other engine's median over Relay's: above one, Relay is faster.

    Other configurations of Relay, `relay_…`, do not count as other engines.
    """
    medians = {row.contender: row.median_seconds for row in rows if row.median_seconds}
    ours = medians.get("relay")
    peers = [each for name, each in medians.items() if not name.startswith("relay")]
    return min(peers) / ours if ours and peers else None


class Results:
    """The rows of one machine by (model, threads); another machine's rows are dropped."""

    def __init__(self, name: str, title: str, note: str | None = None) -> None:
        """Read `benchmarks/results/<name>.json`, if it is there and of this machine."""
        self._path, self._title = RESULTS / f"{name}.json", title
        self._note = _NOTE if note is None else note
        self._machine = describe_machine()
        self._groups: dict[str, list[Measurement]] = {}
        if self._path.exists():
            stored: dict[str, Any] = json.loads(self._path.read_text())
            if stored["machine"] == self._machine:
                for key, rows in stored["rows"].items():
                    self._groups[key] = [Measurement(**row) for row in rows]

    def put(self, model: str, threads: int, rows: list[Measurement]) -> None:
        """Replace the rows of one model at one number of threads."""
        self._groups[f"{model} {threads}"] = rows

    def save(self) -> None:
        """Write the JSON file and the Markdown table beside it."""
        RESULTS.mkdir(exist_ok=True)
        groups = {key: [asdict(r) for r in rows] for key, rows in self._groups.items()}
        stored = {"machine": self._machine, "rows": groups}
        self._path.write_text(json.dumps(stored, indent=1) + "\n")
        self._path.with_suffix(".md").write_text(self._markdown())

    def models(self) -> Iterator[tuple[str, list[Measurement]]]:
        """Return the rows of each model, in the order in which they were put."""
        for key, rows in self._groups.items():
            yield key.rsplit(" ", 1)[0], rows

    def tables(self) -> Iterator[str]:
        """Return the lines of the page below its title; other pages have other tables."""
        yield from [self._note, "", row(HEADINGS), row("---" for _ in HEADINGS)]
        for key, rows in self._groups.items():
            model, threads = key.rsplit(" ", 1)
            yield from (row(cells) for cells in table_cells(model, threads, rows))

    def _markdown(self) -> str:
        versions = sorted({r.version for rows in self._groups.values() for r in rows} - {""})
        lines = [f"# {self._title}", "", machine_line(), ""]
        lines += [f"Engines: {', '.join(versions)}.", "", *self.tables()]
        return "\n".join(lines) + "\n"


_NOTE = (
    "Medians of alternating rounds, a process for each engine. `Relay is` divides the best"
    " peer's median by Relay's: above 1 Relay is faster. `error` is the largest difference"
    " from ONNX Runtime over its largest magnitude. `peak MB` counts the whole process."
)


def row(cells: Iterable[str]) -> str:
    """Return a row of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def table_cells(model: str, threads: str, rows: Sequence[Measurement]) -> list[tuple[str, ...]]:
    """Return the text of each row of a model's group."""
    ratio = speedup(rows)
    shown = {"relay": "" if ratio is None else f"{ratio:.2f}×"}
    return [(model, threads, *_cells(row, shown.get(row.contender, ""))) for row in rows]


def _cells(row: Measurement, ratio: str) -> tuple[str, ...]:
    if row.failure:
        return (row.contender, "failed: " + row.failure.replace("|", "/")[:120], *[""] * 6)
    return (
        row.contender,
        _number(row.median_seconds, 1e3, ".3f"),
        _number(row.least_seconds, 1e3, ".3f"),
        ratio,
        _number(row.error, 1, ".1e"),
        _number(row.cold_seconds, 1, ".2f"),
        _number(row.warm_seconds, 1, ".2f"),
        _number(row.peak_bytes, 2**-20, ".0f"),
    )


def _number(value: float | None, scale: float, form: str) -> str:
    return "–" if value is None else format(value * scale, form)


def print_table(model: str, threads: int, rows: Sequence[Measurement]) -> None:
    """Print the rows of one model on the terminal, with failures in full."""
    table = Table()
    for heading in HEADINGS:
        table.add_column(heading, no_wrap=True)
    for cells in table_cells(model, str(threads), [row for row in rows if not row.failure]):
        table.add_row(*cells)
    console = Console(width=None if Console().is_terminal else 120)
    console.print(table)
    for row in rows:
        if row.failure:
            console.print(f"{row.contender} failed: {row.failure}", markup=False)
