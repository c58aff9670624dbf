"""Analyses of programs for users, under the names of TVM's Relay: the module `relay.analysis`."""

from collections.abc import Mapping

from relay.ir.analysis.call_graph import CallGraph, reached
from relay.ir.walk import free_vars
from relay.semantics.analysis.extract_values import (
    extract_intermdeiate_expr,
    list_fake_quantized_op_freqs,
)
from relay.semantics.analysis.language_features import Feature, detect_feature
from relay.semantics.analysis.operation_counts import (
    Parameters,
    Work,
    count_layers,
    get_total_mac_number,
    list_op_freqs,
    parameters,
    work_by_operator,
)
from relay.semantics.analysis.program_checks import (
    check_basic_block_normal_form,
    check_constant,
    post_order_visit,
    redundant_clauses,
    unmatched_cases,
    well_formed,
)
from relay.semantics.analysis.variables import (
    all_dtypes,
    all_type_vars,
    all_vars,
    bound_type_vars,
    bound_vars,
    free_type_vars,
)
from relay.semantics.kind_checks import check_kind
from relay.support.absent_names import absent_names

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
    "check_basic_block_normal_form",
    "check_constant",
    "check_kind",
    "count_layers",
    "detect_feature",
    "extract_fake_quantized_ops",
    "extract_intermdeiate_expr",
    "extract_operators",
    "free_type_vars",
    "free_vars",
    "get_total_mac_number",
    "list_fake_quantized_op_freqs",
    "list_op_freqs",
    "parameters",
    "post_order_visit",
    "reached",
    "redundant_clauses",
    "unmatched_cases",
    "well_formed",
    "work_by_operator",
]

extract_operators = list_op_freqs
"""The name of `list_op_freqs` inside TVM."""

extract_fake_quantized_ops = list_fake_quantized_op_freqs
"""The name of `list_fake_quantized_op_freqs` inside TVM."""

_FUSED = "call relay.transform.FuseOps()(mod): fused functions have the attribute Primitive"

_ABSENT: Mapping[str, str] = {
    "analysis": "use relay.analysis itself",
    "AnnotatedRegionSet": "apply the pass relay.transform.MergeCompilerRegions",
    "analyze_operations_distribution": (
        "call relay.compile(module).explain(), which lists the kernels"
    ),
    "context_analysis": (
        "apply relay.transform.PlanDevices, which infers the device of each expression"
    ),
    "extract_fused_functions": _FUSED,
    "feature": "use relay.analysis.Feature and relay.analysis.detect_feature",
    "get_calibration_data": (
        "add the intermediate values that you need to the result of main, and run it"
    ),
    "process_params": "use dense weights: Relay has no operators for sparse ones",
    "search_fc_transpose": "omit the call: relay.compile packs the weights of dense layers itself",
}
__getattr__ = absent_names("relay.analysis", _ABSENT)
