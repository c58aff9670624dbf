"""The record of a compilation that is stored with a program: passes, kernels and times.

Times are omitted from files, so that two compilations produce the same bytes.
"""

import json
from collections.abc import Iterable

from relay.runtime.json_fields import Record
from relay.runtime.kernel_schedules import KernelSchedule, schedules_of
from relay.runtime.program import Program
from relay.support.errors import ArtefactError
from relay.support.node import Value, node, replace, value

KEY = "report"
"""The key of the report in `Program.metadata`."""


@value
class PassEntry(Value):
    """A pass that ran: its time, whether it changed the program, and sizes before and after.

    Sizes count expressions; a fused kernel counts as one.
    """

    name: str
    seconds: float
    changed: bool
    before: int
    after: int


@node
class Report:
    """The passes of a compilation in order, and the seconds that compiling kernels took.

    `notes` are readable lines about the requested options. `schedules` are those of the kernels.
    `remarks` are sentences of passes about optimisations that they did not apply and why, if
    requested.
    """

    passes: tuple[PassEntry, ...] = ()
    kernel_seconds: float = 0.0
    notes: tuple[str, ...] = ()
    schedules: tuple[KernelSchedule, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def seconds(self) -> tuple[tuple[str, float], ...]:
        """Return pairs of a pass's name and its seconds, in order; the last is for the kernels."""
        entries = [(entry.name, entry.seconds) for entry in self.passes]
        return (*entries, ("kernels", self.kernel_seconds)) if entries else ()

    def entry(self) -> tuple[str, str]:
        """Return the report as an entry of `Program.metadata`."""
        passes = [[p.name, p.seconds, p.changed, p.before, p.after] for p in self.passes]
        fields: dict[str, object] = {"passes": passes, "kernel_seconds": self.kernel_seconds}
        if self.notes:
            fields["notes"] = self.notes
        if self.remarks:
            fields["remarks"] = self.remarks
        return KEY, json.dumps(fields, separators=(",", ":"))


def timeless(program: Program) -> tuple[tuple[str, str], ...]:
    """Return the metadata of a program for its file, without the times in its report.

    Two compilations of a program then produce the same bytes.
    """
    report = report_of(program)
    passes = tuple(replace(entry, seconds=0.0) for entry in report.passes)
    _, text = Report(passes, notes=report.notes, remarks=report.remarks).entry()
    return tuple((key, text if key == KEY else value) for key, value in program.metadata)


def report_of(program: Program) -> Report:
    """Return the report of a program; an empty one if its metadata is invalid."""
    text, schedules = dict(program.metadata).get(KEY), schedules_of(program)
    if text is None:
        return Report(schedules=schedules)
    try:
        fields = Record(json.loads(text), KEY).fields
        notes, remarks = (tuple(map(str, fields.get(key, ()))) for key in ("notes", "remarks"))
        seconds = float(fields["kernel_seconds"])
        return Report(_passes(fields["passes"]), seconds, notes, schedules, remarks)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError, ArtefactError):
        return Report()  # metadata must never keep a program from running


def _passes(rows: Iterable[tuple[str, float, bool, int, int]]) -> tuple[PassEntry, ...]:
    return tuple(
        PassEntry(str(name), float(seconds), bool(changed), int(before), int(after))
        for name, seconds, changed, before, after in rows
    )
