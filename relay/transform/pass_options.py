"""Checks of options: those of `PassContext(config=…)`, under TVM's names, and fields of passes."""

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from difflib import get_close_matches
from functools import cache
from types import UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from relay.ir.expr import Expr
from relay.ir.field_validation import require_mapping
from relay.ir.module import ModuleLike
from relay.opdef.attribute_types import plain
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import set_field

MAX_DEPTH = "relay.FuseOps.max_depth"
"""The maximum number of operators in one kernel."""

KEEP_RESULT = "relay.ToMixedPrecision.keep_orig_output_dtype"
"""Whether results of functions keep their element types in mixed precision."""

LINK_CONSTANTS = "relay.FuseOps.link_params"
"""Whether the pass `FuseOps` makes constants parts of kernels."""

OPTIONS: Mapping[str, type] = {
    MAX_DEPTH: int,
    KEEP_RESULT: bool,
    LINK_CONSTANTS: bool,  # a compilation passes constants to kernels
    "relay.backend.use_auto_scheduler": bool,  # schedules are chosen for the target anyway
    "relay.backend.use_meta_schedule": bool,
    "relay.fallback_device_type": int,  # there is one kind of device
    "relay.frontend.fill_span": bool,  # frontends say where operators come from
    "relay.remove_standalone_reshapes.enable": bool,  # such reshapes cost nothing
    "testing.immutable_module": bool,  # passes never change their input modules
}
"""The keys, with the types of their values; all but the first three request the default."""


def checked(config: object) -> Mapping[str, object]:
    """Return the checked options; raises `U062` for an unknown key, or a value of a wrong type."""
    if config is None:
        return {}
    require_mapping("the options of passes", config)
    options = dict(cast("Mapping[str, object]", config))
    for key, value in options.items():
        if key not in OPTIONS:
            message = f"there is no pass option named '{key}'"
            raise UsageError(ErrorCode.U062, message, help=_instead(str(key)))
        if not isinstance(value, OPTIONS[key]) or (key == MAX_DEPTH and cast("int", value) < 1):
            message = f"the pass option '{key}' cannot be {value!r}"
            raise UsageError(
                ErrorCode.U062, message, help=f"pass a value of type {OPTIONS[key].__name__}"
            )
    return options


def _instead(key: str) -> str:
    """Return the help for an unknown key: the nearest one, or what there is for lower levels."""
    if key.startswith(("tir.", "te.")):
        return "omit it; relay.compile(model, schedules={…}) sets the schedules of kernels"
    near = get_close_matches(key, OPTIONS, n=1)
    if near:
        return f"did you mean {near[0]}?"
    return "omit it; relay.transform.PassContext.list_configs() lists the options"


def check_fields(name: str, options: Any) -> None:
    """Require that the fields of the pass `name` have the types that its class declares (`U321`).

    Lists become tuples, and sets and sequences become frozensets, where those are declared. Numbers
    cannot be negative unless the default is.
    """
    declared = _declared_types(cast("type[Any]", type(options)))
    for field in fields(options):
        kind, default = declared[field.name], cast("object", field.default)
        given = _converted(getattr(options, field.name), kind)
        set_field(options, field.name, given)
        if not _fits(given, kind):
            message = f"the option {field.name} of the pass {name} must be of type {_text(kind)}, "
            is_program = isinstance(given, ModuleLike | Expr)
            advice = _call_it(options) if is_program else _advice(name, field.name, default)
            raise UsageError(ErrorCode.U321, f"{message}not {given!r}", help=advice)
        is_negative = kind in (int, float) and cast("float", given) < 0
        if is_negative and not (isinstance(default, int | float) and default < 0):
            message = f"the option {field.name} of the pass {name} cannot be negative: {given}"
            has_default = default is not MISSING
            more = f"; the default is {default}" if has_default else ""
            raise UsageError(ErrorCode.U321, message, help=f"pass 0 or a larger number{more}")


def require_positive(name: str, option: str, given: int) -> None:
    """Require that an option of the pass `name` is 1 or larger; raises `U321` otherwise."""
    if given < 1:
        message = f"the option {option} of the pass {name} must be positive, not {given}"
        raise UsageError(ErrorCode.U321, message, help="pass 1 or a larger number")


@cache
def _declared_types(cls: type[Any]) -> Mapping[str, Any]:
    """Return the types of a class's fields; a name that only type checkers know is any type."""
    try:
        return get_type_hints(cls)
    except NameError:
        kinds = {field.name: field.type for field in fields(cls)}
        return {name: Any if isinstance(kind, str) else kind for name, kind in kinds.items()}


def _fits(given: object, kind: Any) -> bool:
    """Whether an option has the type `kind`; truth values are not numbers."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (UnionType, Union):
        return any(_fits(given, each) for each in inner)
    if origin is tuple and inner:
        items = cast("tuple[object, ...]", given if isinstance(given, tuple) else (kind,))
        kinds = inner[:1] * len(items) if inner[-1] is Ellipsis else inner
        same = isinstance(given, tuple) and len(kinds) == len(items)
        return same and all(map(_fits, items, kinds))
    if origin is frozenset:
        every = cast("frozenset[object]", given)
        return isinstance(given, frozenset) and all(_fits(each, inner[0]) for each in every)
    if origin is type:
        return isinstance(given, type) and issubclass(given, get_origin(inner[0]) or inner[0])
    if kind in (int, float) and isinstance(given, bool):
        return False
    named = {float: int | float, DType: DType | str | np.dtype | type}  # a pass reads the name
    return isinstance(given, named.get(kind, origin or kind)) if _is_class(kind) else True


def _is_class(kind: Any) -> bool:
    """Whether a type is one that `isinstance` knows: no variable, and not `Any`."""
    found = get_origin(kind) or kind
    return (
        isinstance(found, type) and found is not Any and not getattr(found, "_is_protocol", False)
    )


def _converted(given: object, kind: Any) -> object:
    origins = {get_origin(each) for each in (kind, *get_args(kind))}
    if isinstance(given, list) and tuple in origins:
        return plain(cast("object", given))
    if isinstance(given, list | tuple | set) and frozenset in origins:
        return frozenset(cast("list[object]", given))
    return cast("object", given)


def _text(kind: Any) -> str:
    """Return a type as it is written, without the modules of its parts."""
    if isinstance(kind, type) and not get_args(kind):
        return kind.__name__
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", str(kind))


def _call_it(options: object) -> str:
    made = f"{type(options).__name__}(…)"
    return f"make the pass with its options, and call it with the program: {made}(program)"


def _advice(name: str, option: str, default: object) -> str:
    if default is MISSING or callable(default):
        return f"`relay opt --list {name}` explains the option {option}"
    return f"pass a value like the default, {default!r}"
