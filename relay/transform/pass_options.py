"""Checks of options: those of `PassContext(config=…)`, under TVM's names, and fields of passes."""

from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, cast

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


def check_fields(name: str, options: Any) -> None:
    """Require that the fields of the pass `name` have the types of their defaults (`U321`).

    Only fields are checked whose defaults are numbers, strings or truth values. Limits and counts,
    whose defaults are positive, cannot be negative.
    """
    for field in fields(options):
        kind = cast("type[object]", type(field.default))
        given: object = getattr(options, field.name)
        if kind in (bool, int, str) and type(given) is not kind:
            message = (
                f"the option {field.name} of the pass {name} must be of type {kind.__name__}, "
                f"not {given!r}"
            )
            help_ = f"pass a value like the default, {field.default!r}"
            raise UsageError(ErrorCode.U321, message, help=help_)
        if kind is int and cast("int", given) < 0 < cast("int", field.default):
            message = f"the option {field.name} of the pass {name} cannot be negative: {given}"
            help_ = f"pass 0 or a larger number; the default is {field.default}"
            raise UsageError(ErrorCode.U321, message, help=help_)
