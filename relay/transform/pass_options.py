"""Options of single passes under TVM's names, for `PassContext(config=…)`."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import cast

from relay.ir.field_validation import require_mapping
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

MAX_DEPTH = "relay.FuseOps.max_depth"
"""The maximum number of operators in one kernel."""

KEEP_RESULT = "relay.ToMixedPrecision.keep_orig_output_dtype"
"""Whether results of functions keep their element types in mixed precision."""

OPTIONS: Mapping[str, type] = {
    MAX_DEPTH: int,
    KEEP_RESULT: bool,
    "relay.FuseOps.link_params": bool,  # constants are parts of kernels where that is faster
    "relay.backend.use_auto_scheduler": bool,  # schedules are chosen for the target anyway
    "relay.backend.use_meta_schedule": bool,
    "relay.fallback_device_type": int,  # there is one kind of device
    "relay.frontend.fill_span": bool,  # frontends say where operators come from
    "relay.remove_standalone_reshapes.enable": bool,  # such reshapes cost nothing
    "testing.immutable_module": bool,  # modules that are given to passes never change
}
"""The keys, with the types of their values; all but the first two request the default behaviour."""


def checked(config: object) -> Mapping[str, object]:
    """Return the checked options; raises `U062` for an unknown key, or a value of a wrong type."""
    if config is None:
        return {}
    require_mapping("the options of passes", config)
    options = dict(cast("Mapping[str, object]", config))
    for key, value in options.items():
        if key not in OPTIONS:
            near = get_close_matches(str(key), OPTIONS, n=1) or list(OPTIONS)
            message = f"there is no pass option named '{key}'"
            raise UsageError(ErrorCode.U062, message, help=f"did you mean {' or '.join(near)}?")
        if not isinstance(value, OPTIONS[key]) or (key == MAX_DEPTH and cast("int", value) < 1):
            message = f"the pass option '{key}' cannot be {value!r}"
            raise UsageError(
                ErrorCode.U062, message, help=f"pass a value of type {OPTIONS[key].__name__}"
            )
    return options
