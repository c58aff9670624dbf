"""Limits on the nesting depth of types, patterns and attributes (but not of expressions)."""

from collections.abc import Iterable, Mapping
from typing import Protocol, cast

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError

DEEPEST = 100
"""The maximum nesting depth of types, patterns and attributes, which are processed recursively."""

_DATA_TYPE = "use a data type, such as a list or a tree, for deeply nested values"


class NestingError(RelayTypeError):
    """The error for a type, pattern or attribute that is nested too deeply."""


class _Nested(Protocol):
    """An object that stores its nesting depth."""

    @property
    def depth(self) -> int: ...


def enclosing_depth(what: str, parts: Iterable[_Nested], advice: str = _DATA_TYPE) -> int:
    """Return the nesting depth of an object with these `parts`; raises `T040` if too deep.

    The message calls the object `what`, and its help is `advice`.
    """
    depth = 1 + max([part.depth for part in parts], default=0)
    if depth > DEEPEST:
        raise too_deep(what, advice)
    return depth


def require_shallow(attributes: Mapping[str, object]) -> None:
    """Require that lists and maps in attributes are not nested too deeply; raises `T040`.

    The mapping of all attributes itself counts as one level.
    """
    for name, value in attributes.items():
        inner = [value]
        for _ in range(DEEPEST):
            inner = [part for each in inner for part in _items(each)]
            if not inner:
                break
        else:
            raise too_deep(f"the attribute {name}", "pass a flat list or map")


def _items(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return cast("Mapping[object, object]", value).values()
    return cast("Iterable[object]", value) if isinstance(value, tuple | list) else ()


def too_deep(what: str, advice: str = _DATA_TYPE) -> NestingError:
    """Return the error `T040` for an object, such as "a type", that is nested too deeply."""
    return NestingError(ErrorCode.T040, f"{what} is nested more than {DEEPEST} deep", help=advice)
