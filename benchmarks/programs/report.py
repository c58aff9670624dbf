"""The result page of the programs: a row for each program, then each engine's figures."""

from collections.abc import Iterator, Sequence

from benchmarks.harness import Measurement
from benchmarks.programs.catalogue import WORKLOADS
from benchmarks.programs.workload import Workload
from benchmarks.report import Results, row

ENGINES = {
    "torch": "PyTorch eager",
    "compiled": "torch.compile",
    "ort": "ONNX Runtime",
    "jax": "JAX",
}
NOTE = """\
One thread, batch 1; medians of alternating rounds in microseconds for each unit, a process for
each engine. `Relay is` divides the best peer's time by Relay's, first of the medians, then of
processor times (the lowest tenth): above 1 Relay is faster. `error` is the largest difference from
NumPy in double precision over its largest magnitude. `compile s` is Relay's time from the Python
function to the first results, with an empty cache; where sentences differ in length, all lengths
are in it. The TreeLSTM's words are rows of a constant table. One of 1,000 words is multiplied by
the weights behind it when Relay compiles, one of 50,000 is too large for that: there Relay
multiplies at each node, as the peers do at each node or for all nodes of a tree at once."""
DETAILS = (
    "program", "engine", "median µs", "min µs", "processor µs", "error", "first s", "again s",
    "peak MB",
)  # fmt: skip


class ProgramResults(Results):
    """The results of programs, shown as two tables."""

    def __init__(self) -> None:
        """Read what was measured before on this machine."""
        super().__init__("programs", "Programs")

    def tables(self) -> Iterator[str]:
        """Return the lines below the title."""
        groups = [(WORKLOADS[name], rows) for name, rows in self.models() if name in WORKLOADS]
        groups.sort(key=lambda group: list(WORKLOADS).index(group[0].name))
        yield from [NOTE, ""]
        yield from summary(groups)
        yield from ["", "## Every engine", ""]
        yield from [row(DETAILS), row("---" for _ in DETAILS)]
        for workload, rows in groups:
            yield from (row(cells) for cells in details(workload, rows))


def summary(groups: Sequence[tuple[Workload, Sequence[Measurement]]]) -> Iterator[str]:
    """Return the table with a row for each program."""
    head = ["program", "per", "Relay µs", *(f"{name} µs" for name in ENGINES.values())]
    head += ["Relay is", "error", "compile s"]
    yield row(head)
    yield row("---" for _ in head)
    for workload, rows in groups:
        found = {each.contender: each for each in rows}
        ours = found.get("relay", Measurement("relay"))
        times = [found.get(name, Measurement(name)) for name in ("relay", *ENGINES)]
        yield row(
            [
                workload.name,
                workload.unit,
                *(_micro(each.median_seconds, workload) for each in times),
                f"{_ratio(rows, 'median_seconds')} / {_ratio(rows, 'busy_seconds')}",
                _number(ours.error, ".1e"),
                _number(ours.cold_seconds, ".2f"),
            ]
        )


def details(workload: Workload, rows: Sequence[Measurement]) -> Iterator[list[str]]:
    """Return the cells of each engine's row."""
    for each in rows:
        if each.failure:
            why = each.failure.replace("|", "/").replace("\n", " ")[:160]
            yield [workload.name, each.contender, why, *[""] * 6]
            continue
        yield [
            workload.name,
            each.contender,
            _micro(each.median_seconds, workload),
            _micro(each.least_seconds, workload),
            _micro(each.busy_seconds, workload),
            _number(each.error, ".1e"),
            _number(each.cold_seconds, ".2f"),
            _number(each.warm_seconds, ".2f"),
            _number(each.peak_bytes and each.peak_bytes / 2**20, ".0f"),
        ]


def _ratio(rows: Sequence[Measurement], which: str) -> str:
    """Return the best other engine's time over Relay's."""
    times = {each.contender: getattr(each, which) for each in rows if not each.failure}
    ours = times.pop("relay", None)
    return f"{min(times.values()) / ours:.2f}×" if ours and times else "–"


def _micro(seconds: float | None, workload: Workload) -> str:
    units = workload.case.units(workload.sizes)
    return "–" if seconds is None else f"{seconds / units * 1e6:.1f}"


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)
