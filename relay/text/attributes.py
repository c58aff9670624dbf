"""From attributes as they are written to an operator."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from difflib import get_close_matches
from types import UnionType
from typing import Any, Union, cast, get_args, get_origin

from relay.ir.expr import Operator
from relay.support.dtype import DType, dtype
from relay.support.errors import RelayError, SyntaxError_
from relay.support.span import Span
from relay.text.attribute_kinds import kinds_text, may_be, shown


def build_operator(
    cls: type[Operator], attributes: Mapping[str, object], span: Span | None
) -> Operator:
    """Return the operator with these attributes, the others at their defaults.

    Raises `P020` for an attribute that the operator does not have, `P021` for a missing one.
    """
    declared: Any = cls
    known = {field.name: field for field in fields(declared)}
    for name in attributes:
        if name not in known:
            near = get_close_matches(name, known, n=3) or list(known)
            help_ = f"{cls.name} has {', '.join(near)}" if near else f"{cls.name} has none"
            if name in cls.arguments():
                help_ = (
                    f"arguments stand in their order, without names: {', '.join(cls.arguments())}"
                )
            message = f"{cls.name} has no attribute '{name}'"
            raise SyntaxError_("P020", message, span=span, help=help_)
    for field in known.values():
        if field.name not in attributes and field.default is MISSING:
            message = f"{cls.name} needs the attribute '{field.name}'"
            raise SyntaxError_("P021", message, span=span)
    for name, given in attributes.items():
        if not may_be(known[name].type, given):
            raise _misfit(cls, name, known[name].type, given).at(span)
    try:
        op = declared(**{n: _coerce(value, known[n].type) for n, value in attributes.items()})
    except RelayError as error:
        raise error.at(span) from None
    except (TypeError, ValueError, OverflowError):
        written = ", ".join(f"{name}={shown(given)}" for name, given in attributes.items())
        message = f"{cls.name} cannot have the attributes {written}"
        help_ = f"`relay ops {cls.name}` says what it has"
        raise SyntaxError_("P022", message, span=span, help=help_) from None
    for name, given in attributes.items():
        if not _fits(getattr(op, name), known[name].type):
            raise _misfit(cls, name, known[name].type, given).at(span)
    return op


def _misfit(cls: type[Operator], name: str, declared: Any, given: object) -> RelayError:
    message = f"{cls.name}: {name} cannot be {shown(given)}"
    return SyntaxError_("P022", message, help=f"{name} is {kinds_text(declared, given)}")


def _coerce(value: object, declared: Any) -> object:
    """Read an element type where the attribute is one; all else is as written."""
    if isinstance(value, str) and DType in (declared, *get_args(declared)):
        return dtype(value)
    return value


def _fits(value: object, declared: Any) -> bool:
    """Whether an attribute is of its declared type; recursion is bounded by that type's depth."""
    origin, inner = get_origin(declared), get_args(declared)
    if origin in (UnionType, Union):
        return any(_fits(value, each) for each in inner)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        items = cast("tuple[object, ...]", value)
        kinds = [inner[0]] * len(items) if inner[-1] is Ellipsis else inner
        return len(kinds) == len(items) and all(map(_fits, items, kinds))
    if declared is float:
        return isinstance(value, int | float)
    return isinstance(value, declared) if isinstance(declared, type) else True
