"""Analyses of programs, by their classic names: `relay.analysis`."""

from relay.ir.walk import free_vars
from relay.semantics.analysis.call_graph import CallGraph, reached
from relay.semantics.analysis.checks import (
    post_order_visit,
    redundant_clauses,
    unmatched_cases,
    well_formed,
)
from relay.semantics.analysis.features import Feature, detect_feature
from relay.semantics.analysis.variables import (
    all_dtypes,
    all_type_vars,
    all_vars,
    bound_type_vars,
    bound_vars,
    free_type_vars,
)
from relay.semantics.analysis.work import (
    Parameters,
    Work,
    count_layers,
    get_total_mac_number,
    list_op_freqs,
    parameters,
    work_by_operator,
)
from relay.semantics.kinds import check_kind

__all__ = [
    "CallGraph",
    "Feature",
    "Parameters",
    "Work",
    "all_dtypes",
    "all_type_vars",
    "all_vars",
    "bound_type_vars",
    "bound_vars",
    "check_kind",
    "count_layers",
    "detect_feature",
    "free_type_vars",
    "free_vars",
    "get_total_mac_number",
    "list_op_freqs",
    "parameters",
    "post_order_visit",
    "reached",
    "redundant_clauses",
    "unmatched_cases",
    "well_formed",
    "work_by_operator",
]
