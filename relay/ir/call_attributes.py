"""Parsing of the third argument of `Call`: type arguments, or operator attributes as in TVM."""

from collections.abc import Mapping, Sequence
from typing import cast

from relay.ir.types import Type
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.node import Value
from relay.support.span import Span


def read_call_attributes(
    given: object, types: Sequence[object] | None, span: Span | None
) -> tuple[Mapping[str, object] | None, tuple[Type, ...]]:
    """Return the operator attributes and type arguments in the arguments of `Call`.

    `given` is the third argument: a mapping of attributes, an object with attributes as fields, a
    list of type arguments, or None. `types` are type arguments that follow it. The attributes are
    None if there are none. Raises `T016` for anything else.
    """
    if isinstance(given, tuple | list):
        given, types = None, types or cast("Sequence[object]", given)
    read = _types(() if types is None else types, span)
    if given is None:
        return None, read
    attributes = _attributes(given)
    if attributes is None:
        message = f"the attributes of a call must be a mapping of names to values, not {given!r}"
        raise RelayTypeError(ErrorCode.T016, message, span=span, help='write them as {"axis": 1}')
    return attributes, read


def _types(given: object, span: Span | None) -> tuple[Type, ...]:
    several = cast("Sequence[object]", given) if isinstance(given, tuple | list) else (given,)
    types = tuple(each for each in several if isinstance(each, Type))
    if len(types) < len(several) or several is not given:
        message = f"the type arguments of a call must be types, not {given!r}"
        help_ = (
            "pass types such as relay.TensorType((2,)) here, and attributes as a mapping, "
            '{"axis": 1}'
        )
        raise RelayTypeError(ErrorCode.T016, message, span=span, help=help_)
    return types


def _attributes(given: object) -> Mapping[str, object] | None:
    """Return a mapping, or an object's public fields, as attributes; None for other objects."""
    if isinstance(given, Mapping):
        return cast("Mapping[str, object]", given)
    if isinstance(given, Value):
        return {name: getattr(given, name) for name in given.__match_args__}
    return None if isinstance(given, type) else getattr(given, "__dict__", None)
