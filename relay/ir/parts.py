"""Whether the parts that somebody gives to a node, or a type, are such parts."""

from collections.abc import Iterable, Mapping
from reprlib import repr as short
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from relay.support.errors import TypeError_

_Part = TypeVar("_Part", bound="Part")


class Part(Protocol):
    """What others are made of; `made_by` says how one writes it."""

    made_by: ClassVar[str]


def require(kind: type[Part], what: str, given: object) -> None:
    """Require that a part is of its kind; raises `T007` for another one."""
    if not isinstance(given, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        message = f"{what} is {article} {kind.__name__}, not {short(given)}"
        raise TypeError_("T007", message, help=kind.made_by)


def listed(kind: type[_Part], what: str, given: object) -> tuple[_Part, ...]:
    """Return several parts as a tuple; raises `T007` for what is no list of that kind.

    An expression is not taken apart: it would be a list of its fields. None stands for no parts.
    """
    if given is None:
        return ()
    several: Any = given
    if not isinstance(given, Iterable) or hasattr(several, "made_by"):
        message = f"{what} are a list, not {short(several)}"
        raise TypeError_("T007", message, help=f"put brackets around it; {kind.made_by}")
    found: tuple[Any, ...] = tuple(several)
    for index, each in enumerate(found):
        if not isinstance(each, kind):
            require(kind, f"each of {what} (here number {index})", each)
    return found


def require_name(what: str, given: object) -> None:
    """Require that a name is a string; raises `T007` for anything else."""
    if not isinstance(given, str):
        raise TypeError_("T007", f"{what} is a string, not {short(given)}", help='write "x"')


def require_mapping(what: str, given: object) -> None:
    """Require a dictionary, or what is one; raises `T007` for anything else."""
    if not isinstance(given, Mapping):
        message = f"{what} are a dictionary, not {short(given)}"
        raise TypeError_("T007", message, help='write {"name": value}')


def require_index(what: str, given: object) -> int:
    """Return an integer, NumPy's or Python's, as Python's; raises `T007` for anything else."""
    number: Any = given
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        return int(number)
    raise TypeError_("T007", f"{what} is an integer, not {short(given)}", help="write 0")
