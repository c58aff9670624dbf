"""Put the arguments of a call, passed by position or by name, into the order of inputs."""

from collections.abc import Mapping, Sequence
from typing import Any

from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError


def in_order(
    names: Sequence[str], args: Sequence[Any], named: Mapping[str, Any], help_: str
) -> list[Any]:
    """Return the arguments of a call in the order of the inputs' `names`.

    Inputs that share a name must be passed by position. Raises `R001` for a wrong number of
    arguments, and `R002` for an unknown name or an input that is passed twice.

    >>> in_order(["x", "y"], [1], {"y": 2}, "")
    [1, 2]
    """
    if len(args) > len(names):
        raise wrong_number(len(names), len(args) + len(named), help_)
    absent = object()
    ordered = [*args, *[absent] * (len(names) - len(args))]
    for name, value in named.items():
        places = [place for place, each in enumerate(names) if each == name]
        if not places:
            raise RunError(ErrorCode.R002, f"the program has no input '{name}'", help=help_)
        if len(places) > 1:
            message = f"{len(places)} inputs of the program have the name '{name}'"
            raise RunError(ErrorCode.R002, message, help="pass these inputs by position")
        if ordered[places[0]] is not absent:
            raise RunError(
                ErrorCode.R002,
                f"the input '{name}' is given both by position and by name",
                help=help_,
            )
        ordered[places[0]] = value
    missing = [name for name, value in zip(names, ordered, strict=True) if value is absent]
    if missing:
        raise RunError(ErrorCode.R001, f"the input '{missing[0]}' is missing", help=help_)
    return ordered


def wrong_number(expected: int, given: int, help_: str) -> RunError:
    """Return the error `R001` for a call with a wrong number of arguments."""
    plural = "input" if expected == 1 else "inputs"
    return RunError(
        ErrorCode.R001, f"the program takes {expected} {plural}, not {given}", help=help_
    )
