"""Conversion of pass records to the report that a program carries."""

from collections.abc import Sequence

from relay.ir.module import Module
from relay.ir.walk import outside_kernels, post_order
from relay.runtime.program import Program
from relay.runtime.report import PassEntry, Report
from relay.support.node import replace
from relay.transform.pipeline import PassRecord


def size(module: Module) -> int:
    """Return the number of distinct expressions of a module; a fused kernel is one."""
    return len(post_order(*(f.body for f in module.functions.values()), edges=outside_kernels))


def pass_entries(module: Module, records: Sequence[PassRecord]) -> tuple[PassEntry, ...]:
    """Return the report entry of each pass, with the module's sizes before and after it."""
    entries: list[PassEntry] = []
    before = size(module)
    for record in records:
        after = size(record.module) if record.changed else before
        entries.append(PassEntry(record.name, record.seconds, record.changed, before, after))
        before = after
    return tuple(entries)


def with_report(program: Program, report: Report) -> Program:
    """Return the program with this report in its metadata."""
    return replace(program, metadata=(*program.metadata, report.entry()))
