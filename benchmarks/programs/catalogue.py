"""The workloads that are measured, by name."""

from dataclasses import replace

from benchmarks.contenders.case import Case
from benchmarks.programs.beam_search import case as beam_search
from benchmarks.programs.char_rnn import case as char_rnn
from benchmarks.programs.newton import case as newton
from benchmarks.programs.recurrent import case as recurrent
from benchmarks.programs.selective_scan import case as selective_scan
from benchmarks.programs.tree_lstm import case as tree_lstm
from benchmarks.programs.workload import Workload

FAMILIES = (char_rnn, recurrent, tree_lstm, selective_scan, beam_search, newton)

WORKLOADS: dict[str, Workload] = {
    each.name: each for family in FAMILIES for each in family.workloads()
}


def workload_of(case: Case) -> Workload:
    """Return the workload that a case names, or one of them at another length: `lstm_2x256@9`."""
    assert case.network is not None, "a case of a program names its workload"
    return workload(case.network)


def workload(name: str) -> Workload:
    """Return the workload of a name."""
    known, _, length = name.partition("@")
    found = WORKLOADS[known]
    return replace(found, sizes=replace(found.sizes, length=int(length))) if length else found
