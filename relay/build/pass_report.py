"""Converts records of passes to the compilation report that a program carries."""

from collections.abc import Mapping, Sequence

from relay.ir.expr import Array
from relay.ir.module import Module
from relay.ir.walk import outside_kernels, post_order
from relay.runtime.compilation_report import PassEntry, Report
from relay.runtime.program import Program
from relay.support.node import replace
from relay.transform.remarks import ReadAtEachCall
from relay.transform.run_passes import PassRecord

_SMALL = 1 << 12  # bytes, which an L1 cache holds many times


def size(module: Module) -> int:
    """Return the number of distinct expressions of a module; a fused kernel counts as one."""
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


def remarks_on(captured: Mapping[str, Array]) -> tuple[ReadAtEachCall, ...]:
    """Return a remark on the matrices among the arrays that a program reads at each call, if any.

    Vectors, such as biases, and small matrices are hardly slower as inputs.
    """
    matrices = {
        name: each for name, each in captured.items() if each.ndim > 1 and each.nbytes >= _SMALL
    }
    nbytes = sum(each.nbytes for each in matrices.values())
    return (ReadAtEachCall(None, tuple(matrices), nbytes),) if matrices else ()


def with_report(program: Program, report: Report) -> Program:
    """Return the program with a compilation report in its metadata."""
    return replace(program, metadata=(*program.metadata, report.entry()))
