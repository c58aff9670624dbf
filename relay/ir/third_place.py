"""The third place of a call: type arguments, or as classically an operator's attributes."""

from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

from relay.ir.types import Type
from relay.support.errors import TypeError_
from relay.support.node import Value, replace
from relay.support.span import Span

Callee = TypeVar("Callee")


def read_third_place(
    op: Callee,
    given: object,
    types: Sequence[object] | None,
    span: Span | None,
    *,
    allowed: bool,
) -> tuple[Callee, tuple[Type, ...]]:
    """Return what is called, an operator with the attributes that are given, and type arguments.

    Attributes are a mapping, or an object that has them; None stands for none, of either. What is
    given may be the type arguments, too. Raises `T016` for anything else, for attributes where they
    are not `allowed`, as only operators have them, and for those that an operator lacks.
    """
    if isinstance(given, tuple | list):
        given, types = None, types or cast("Sequence[object]", given)
    read = _types(types or (), span)
    if given is None:
        return op, read
    attributes = _attributes(given)
    if attributes is None:
        message = f"the attributes of a call cannot be {given!r}"
        raise TypeError_("T016", message, span=span, help='write them as {"axis": 1}')
    if not allowed or not isinstance(op, Value):
        raise TypeError_("T016", "only operators have attributes", span=span)
    return cast("Callee", _changed(op, attributes, span)), read


def _types(given: Sequence[object], span: Span | None) -> tuple[Type, ...]:
    types = tuple(each for each in given if isinstance(each, Type))
    if len(types) < len(given):
        message = f"the type arguments of a call cannot be {given!r}"
        help_ = 'types are relay.TensorType((2,)); attributes are a mapping, {"axis": 1}'
        raise TypeError_("T016", message, span=span, help=help_)
    return types


def _attributes(given: object) -> Mapping[str, object] | None:
    """Return attributes by name; None for an object that has none."""
    if isinstance(given, Mapping):
        return cast("Mapping[str, object]", given)
    if isinstance(given, Value):
        return {name: getattr(given, name) for name in given.__match_args__}
    return None if isinstance(given, type) else getattr(given, "__dict__", None)


def _changed(operator: Value, attributes: Mapping[str, object], span: Span | None) -> Value:
    known = operator.__match_args__
    strange = next((name for name in attributes if name not in known), None)
    if strange is not None:
        message = f"{getattr(operator, 'name', 'the operator')} has no attribute '{strange}'"
        help_ = f"it has {', '.join(known) or 'none'}"
        raise TypeError_("T016", message, span=span, help=help_)
    changed: Value = replace(operator, **attributes)
    return changed
