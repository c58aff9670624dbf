"""The third argument of `Call`: type arguments or, in the classic form, operator attributes."""

from collections.abc import Mapping, Sequence
from typing import cast

from relay.ir.types import Type
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.node import Value
from relay.support.span import Span


def read_third_place(
    given: object, types: Sequence[object] | None, span: Span | None
) -> tuple[Mapping[str, object] | None, tuple[Type, ...]]:
    """Return the operator attributes (None if there are none) and the type arguments.

    Attributes are a mapping or an object with attributes; None means that there are none. `given`
    may also be the list of type arguments. Raises `T016` for anything else.
    """
    if isinstance(given, tuple | list):
        given, types = None, types or cast("Sequence[object]", given)
    read = _types(() if types is None else types, span)
    if given is None:
        return None, read
    attributes = _attributes(given)
    if attributes is None:
        message = f"the attributes of a call cannot be {given!r}"
        raise RelayTypeError(ErrorCode.T016, message, span=span, help='write them as {"axis": 1}')
    return attributes, read


def _types(given: object, span: Span | None) -> tuple[Type, ...]:
    several = cast("Sequence[object]", given) if isinstance(given, tuple | list) else (given,)
    types = tuple(each for each in several if isinstance(each, Type))
    if len(types) < len(several) or several is not given:
        message = f"the type arguments of a call cannot be {given!r}"
        help_ = 'types are relay.TensorType((2,)); attributes are a mapping, {"axis": 1}'
        raise RelayTypeError(ErrorCode.T016, message, span=span, help=help_)
    return types


def _attributes(given: object) -> Mapping[str, object] | None:
    """Return attributes by name; None for an object without any."""
    if isinstance(given, Mapping):
        return cast("Mapping[str, object]", given)
    if isinstance(given, Value):
        return {name: getattr(given, name) for name in given.__match_args__}
    return None if isinstance(given, type) else getattr(given, "__dict__", None)
