"""Check that each operation of a StableHLO module has a translation."""

from collections.abc import Container, Iterable
from typing import Any

from relay.frontend.stablehlo.registry import TRANSLATIONS
from relay.frontend.stablehlo.source_locations import span_of_operation
from relay.frontend.unsupported_operators import Door, not_supported

_DOOR = Door("from_jax(function, custom_convert_map", "operands, attributes", "--stablehlo")
_PASSED_OVER = ("func.return", "stablehlo.return")


def key(operation: Any) -> str:
    """Return the key of an operation in the translation table.

    It is the operation's name, or for a custom call the name of its target.
    """
    if operation.name != "stablehlo.custom_call":
        return str(operation.name)
    return f"custom_call @{operation.attributes['call_target_name'].value}"


def check_supported(functions: Iterable[Any], custom: Container[str]) -> None:
    """Raise `F010` if operations have no translation; it lists them with counts and lines."""
    missing: dict[str, list[str]] = {}
    waiting = [block for each in functions for region in each.regions for block in region.blocks]
    while waiting:
        for each in waiting.pop().operations:
            operation = each.operation
            waiting += [block for region in operation.regions for block in region.blocks]
            name = key(operation)
            known = name in custom or name in TRANSLATIONS or name in _PASSED_OVER
            if not known:
                place = str(span_of_operation(operation)).removesuffix(":1")
                missing.setdefault(name, []).append(place)
    if missing:
        raise not_supported(missing, _DOOR.help(missing), what="operations")
