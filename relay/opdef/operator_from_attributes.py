"""Construction of an operator from its class and the given attributes."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar, get_args

from relay.ir.expr import Operator
from relay.ir.nesting_limits import require_shallow
from relay.opdef.attribute_types import fits, kinds_text, may_be, plain, shown
from relay.support.dtype import DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError

_Made = TypeVar("_Made", bound=Operator)


class AttributeValueError(RelayTypeError):
    """The error `T008`: an attribute value of the wrong type."""


def operator_from_attributes(cls: type[_Made], attributes: Mapping[str, object]) -> _Made:
    """Return an operator with the given attributes, and default values of the others.

    Raises `T016` for an unknown or missing attribute, `T008` for a value of the wrong type, and
    `T040` for a value that is nested too deeply.

    >>> from relay.opdef.table import operator
    >>> @operator("doctest.pad")
    ... class Pad(Operator):
    ...     width: tuple[int, ...]
    >>> operator_from_attributes(Pad, {"width": [1, 2]})
    Pad(width=(1, 2))
    """
    require_shallow(attributes)
    kinds = _kinds(cls, attributes)
    given = {name: plain(value) for name, value in attributes.items()}
    for name, value in given.items():
        if not may_be(kinds[name], value):
            raise _misfit(cls, name, kinds[name], value)
    made = _constructed(cls, {name: _read(value, kinds[name]) for name, value in given.items()})
    for name, value in given.items():
        if not fits(getattr(made, name), kinds[name]):
            raise _misfit(cls, name, kinds[name], value)
    return made


def _kinds(cls: type[Operator], attributes: Mapping[str, object]) -> dict[str, Any]:
    """Return the declared type of each attribute of an operator class.

    Raises `T016` if `attributes` has an unknown one or lacks a required one.
    """
    declared: Any = cls
    known = {field.name: field for field in fields(declared)}
    missing = [name for name, each in known.items() if each.default is MISSING]
    strange = [name for name in attributes if name not in known]
    lacking = [name for name in missing if name not in attributes]
    if strange or lacking:
        message = (
            f"the operator {cls.name} has no attribute '{strange[0]}'"
            if strange
            else (f"the operator {cls.name} lacks the attribute '{lacking[0]}'")
        )
        written = ", ".join(f"{name}=…" for name in known)
        help_ = (
            f'write relay.op.get("{cls.name}", {written})'
            if known
            else f"remove the attribute: {cls.name} has none"
        )
        raise RelayTypeError(ErrorCode.T016, message, help=help_)
    return {name: each.type for name, each in known.items()}


def _constructed(cls: type[_Made], attributes: Mapping[str, Any]) -> _Made:
    try:
        return cls(**attributes)
    except RelayTypeError as error:
        error.help = error.help or f"`relay ops {cls.name}` lists the attributes of {cls.name}"
        raise
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError):
        written = ", ".join(f"{name}={shown(given)}" for name, given in attributes.items())
        message = f"the operator {cls.name} does not accept the attribute values {written}"
        raise AttributeValueError(
            ErrorCode.T008,
            message,
            help=f"`relay ops {cls.name}` lists the attributes of {cls.name}",
        ) from None


def _misfit(cls: type[Operator], name: str, declared: Any, given: object) -> AttributeValueError:
    message = f"the operator {cls.name}: the attribute {name} cannot be {shown(given)}"
    return AttributeValueError(
        ErrorCode.T008, message, help=f"{name} is {kinds_text(declared, given)}"
    )


def _read(value: object, declared: Any) -> object:
    """Return the element type that a string names, if `declared` is an element type; else `value`.

    The empty string, which means none in TVM's Relay, is returned unchanged.
    """
    if isinstance(value, str) and value and DType in (declared, *get_args(declared)):
        return dtype(value)
    return value
