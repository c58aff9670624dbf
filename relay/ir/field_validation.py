"""Validation of the fields of nodes and types at construction."""

from collections.abc import Collection, Iterable, Mapping
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
from relay.support.late_binding import module_above
from relay.support.node import Value

_Part = TypeVar("_Part", bound="Part")

_PLAIN = (bool, int, float, str)

MOST_BITS = 1024
"""The maximum number of bits of an integer attribute, which is also the limit of the lexer."""


class Part(Protocol):
    """The protocol of node and type classes; `made_by` says in messages how to construct one."""

    made_by: ClassVar[str]


class Mark(Value):
    """A function attribute that one pass leaves for later passes.

    The meaning of the program does not depend on it, so it is omitted in text and files.
    """

    __slots__ = ()

    @property
    def functions(self) -> tuple[str, ...]:
        """Return the names of functions of the module that the mark refers to."""
        return ()


def require(kind: type[Part], what: str, given: object) -> None:
    """Raise `T007` unless `given` has the class `kind`; the message calls it `what`."""
    if not isinstance(given, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        message = f"{what} must be {article} {kind.__name__}, not {short(given)}"
        raise RelayTypeError(ErrorCode.T007, message, help=kind.made_by)


def require_items(kind: type[_Part], what: str, given: object) -> tuple[_Part, ...]:
    """Return an iterable of objects of the class `kind` as a tuple; raises `T007` for others.

    The message calls the argument `what`. An expression is rejected, although it can be iterated
    over. None stands for an empty tuple.
    """
    if given is None:
        return ()
    several: Any = given
    if not isinstance(given, Iterable) or hasattr(several, "made_by"):
        message = f"{what} must be a list, not {short(several)}"
        raise RelayTypeError(
            ErrorCode.T007, message, help=f"put brackets around it; {kind.made_by}"
        )
    found: tuple[Any, ...] = tuple(several)
    for index, each in enumerate(found):
        if not isinstance(each, kind):
            require(kind, f"each of {what} (here number {index})", each)
    return found


def names_in(what: str, given: object, example: str) -> tuple[str, ...]:
    """Return a collection of names as a tuple; raises `T007` for anything else, or a string.

    The messages call the argument `what`; `example` is a correct one.
    """
    if isinstance(given, str) or not isinstance(given, Collection):
        message = f"the option {what} must be a list of names, not {short(cast('object', given))}"
        raise RelayTypeError(ErrorCode.T007, message, help=example)
    names = cast("Collection[str]", given)
    for each in names:
        require_name(f"a name in {what}", each)
    return tuple(names)


def require_name(what: str, given: object) -> None:
    """Raise `T007` unless `given` is a string; the message calls it `what`."""
    if not isinstance(given, str):
        raise RelayTypeError(
            ErrorCode.T007,
            f"{what} must be a string, not {short(given)}",
            help='pass a string such as "x"',
        )


def require_mapping(what: str, given: object) -> None:
    """Raise `T007` unless `given` is a mapping; the message calls it `what`."""
    if not isinstance(given, Mapping):
        message = f"{what} must be a dictionary, not {short(given)}"
        raise RelayTypeError(ErrorCode.T007, message, help='write {"name": value}')


def require_attributes(what: str, given: object) -> Mapping[str, object]:
    """Return attributes as values that text and files can store; `T007` if impossible.

    Lists become tuples and NumPy scalars become Python numbers, so that reading returns what was
    written. The message calls the attributes `what`.
    """
    require_mapping(what, given)
    attributes = cast("Mapping[str, object]", given)
    require_shallow(attributes)
    changed: dict[str, object] = {}
    for name, value in attributes.items():
        require_name(f"each name in {what}", name)
        found = _attribute(f"the entry {name!r} of {what}", value)
        if found is not value:
            changed[name] = found
    return MappingProxyType({**attributes, **changed}) if changed else attributes


def _attribute(what: str, value: object) -> object:
    """Return an attribute's value with tuples for lists and Python numbers for NumPy scalars."""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        message = f"{what} cannot be a number of {value.bit_length()} bits"
        raise RelayTypeError(
            ErrorCode.T007, message, help=f"use integers of at most {MOST_BITS} bits"
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
    for kind in (int, float):  # also their subclasses, such as members of an `IntEnum`
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, Mapping):
        return require_attributes(what, cast("object", value))
    if isinstance(value, module_above("relay.ir.expr").Constant):
        return value
    help_ = "use numbers, strings, True, False, None, sizes, constants, lists and dictionaries"
    raise RelayTypeError(ErrorCode.T007, f"{what} cannot be {short(given)}", help=help_)


def require_callable(what: str, given: object) -> None:
    """Raise `T007` unless `given` is a function; the message calls it `what`."""
    if not callable(given):
        raise RelayTypeError(
            ErrorCode.T007,
            f"{what} must be a function, not {short(given)}",
            help="pass a function such as lambda expr: True",
        )


def require_index(what: str, given: object) -> int:
    """Return a Python or NumPy integer as a Python integer; raises `T007` for others.

    The message calls the argument `what`.
    """
    number: Any = given
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        return int(number)
    raise RelayTypeError(
        ErrorCode.T007,
        f"{what} must be an integer, not {short(given)}",
        help="pass an integer such as 0",
    )
