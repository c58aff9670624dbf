"""Validation of the fields of nodes and types when they are built."""

from collections.abc import Iterable, Mapping
from operator import is_
from reprlib import repr as short
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, TypeVar, cast

import numpy as np

from relay.ir.nesting_limits import require_shallow
from relay.support.dims.algebra import Symbolic
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.node import Value

_Part = TypeVar("_Part", bound="Part")

_PLAIN = (bool, int, float, str)

MOST_BITS = 1024
"""Of an integer in an attribute: as many as a float64 can tell of, and as texts are read with."""


class Part(Protocol):
    """What others are made of; `made_by` says how one writes it."""

    made_by: ClassVar[str]


class Mark(Value):
    """What a pass tells later ones of a function, as an attribute of it.

    It is no part of the program: texts and files leave it out, which changes no meaning.
    """

    __slots__ = ()


def require(kind: type[Part], what: str, given: object) -> None:
    """Require that a part is of its kind; raises `T007` for another one."""
    if not isinstance(given, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        message = f"{what} is {article} {kind.__name__}, not {short(given)}"
        raise RelayTypeError(ErrorCode.T007, message, help=kind.made_by)


def listed(kind: type[_Part], what: str, given: object) -> tuple[_Part, ...]:
    """Return several parts as a tuple; raises `T007` for what is no list of that kind.

    An expression is not taken apart: it would be a list of its fields. None stands for no parts.
    """
    if given is None:
        return ()
    several: Any = given
    if not isinstance(given, Iterable) or hasattr(several, "made_by"):
        message = f"{what} are a list, not {short(several)}"
        raise RelayTypeError(
            ErrorCode.T007, message, help=f"put brackets around it; {kind.made_by}"
        )
    found: tuple[Any, ...] = tuple(several)
    for index, each in enumerate(found):
        if not isinstance(each, kind):
            require(kind, f"each of {what} (here number {index})", each)
    return found


def require_name(what: str, given: object) -> None:
    """Require that a name is a string; raises `T007` for anything else."""
    if not isinstance(given, str):
        raise RelayTypeError(
            ErrorCode.T007, f"{what} is a string, not {short(given)}", help='write "x"'
        )


def require_mapping(what: str, given: object) -> None:
    """Require a dictionary, or what is one; raises `T007` for anything else."""
    if not isinstance(given, Mapping):
        message = f"{what} are a dictionary, not {short(given)}"
        raise RelayTypeError(ErrorCode.T007, message, help='write {"name": value}')


def require_attributes(what: str, given: object) -> Mapping[str, object]:
    """Return attributes by name, as a text and a file can hold them; raises `T007` for others.

    Lists become tuples, and the scalars of NumPy numbers: what is written reads back as it was.
    """
    require_mapping(what, given)
    attributes = cast("Mapping[str, object]", given)
    require_shallow(attributes)
    changed: dict[str, object] = {}
    for name, value in attributes.items():
        require_name(f"the name of one of {what}", name)
        found = _attribute(f"{name}, one of {what},", value)
        if found is not value:
            changed[name] = found
    return MappingProxyType({**attributes, **changed}) if changed else attributes


def _attribute(what: str, value: object) -> object:
    """Return the value of an attribute as it is kept; the same one if it may stay."""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        message = f"{what} cannot be a number of {value.bit_length()} bits"
        raise RelayTypeError(
            ErrorCode.T007, message, help=f"whole numbers have at most {MOST_BITS} bits"
        )
    if value is None or type(value) in _PLAIN or isinstance(value, Symbolic | Mark):
        return value
    given: Any = value
    if isinstance(value, np.bool | np.integer | np.floating):
        return cast("object", given.item())
    if isinstance(value, list | tuple):
        items = tuple(_attribute(what, each) for each in given)
        same = isinstance(value, tuple) and all(map(is_, items, given))
        return cast("object", value) if same else items
    if isinstance(value, DType | str):
        return str(value)
    for kind in (int, float):  # and what is made from them, such as members of an `IntEnum`
        if isinstance(value, kind):
            return kind(value)
    help_ = "attributes are numbers, strings, True, False, None, sizes, and lists of them"
    raise RelayTypeError(ErrorCode.T007, f"{what} cannot be {short(given)}", help=help_)


def require_index(what: str, given: object) -> int:
    """Return an integer, NumPy's or Python's, as Python's; raises `T007` for anything else."""
    number: Any = given
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        return int(number)
    raise RelayTypeError(
        ErrorCode.T007, f"{what} is an integer, not {short(given)}", help="write 0"
    )
