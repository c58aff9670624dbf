"""Construction of operators from the attributes that are written in a program's text."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from difflib import get_close_matches
from typing import Any

from relay.ir.expr import Operator
from relay.opdef.operator_from_attributes import AttributeValueError, operator_from_attributes
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelaySyntaxError
from relay.support.span import Span


def build_operator(
    cls: type[Operator], attributes: Mapping[str, object], span: Span | None
) -> Operator:
    """Return an operator with the given attributes, and the defaults of the others.

    Raises `P020` for an unknown attribute, `P021` for a missing one, and `P022` for a value of the
    wrong type.
    """
    declared: Any = cls
    known = {field.name: field for field in fields(declared)}
    for name in attributes:
        if name not in known:
            near = get_close_matches(name, known, n=3) or list(known)
            help_ = (
                f"{cls.name} has {', '.join(near)}"
                if near
                else f"remove the attribute: {cls.name} has none"
            )
            if name in cls.arguments():
                help_ = f"write arguments without names, in the order {', '.join(cls.arguments())}"
            message = f"the operator {cls.name} has no attribute '{name}'"
            raise RelaySyntaxError(ErrorCode.P020, message, span=span, help=help_)
    for field in known.values():
        if field.name not in attributes and field.default is MISSING:
            message = f"the operator {cls.name} lacks the attribute '{field.name}'"
            raise RelaySyntaxError(ErrorCode.P021, message, span=span, help=by_name(cls))
    try:
        return operator_from_attributes(cls, attributes)
    except AttributeValueError as error:
        raise RelaySyntaxError(ErrorCode.P022, error.message, span=span, help=error.help) from None
    except RelayError as error:
        raise error.at(span) from None


def by_name(cls: type[Operator]) -> str | None:
    """Return advice that shows a call of an operator with named attributes, or None.

    It shows all required attributes; if there are none, the first attribute.

    >>> from relay.ops.elementwise import Clip
    >>> by_name(Clip)
    'write the attribute with its name: clip(%data, a_min=…, a_max=…)'
    """
    declared: Any = cls
    known = fields(declared)
    needed = [field.name for field in known if field.default is MISSING]
    shown = needed or [field.name for field in known[:1]]
    words = [*(f"%{name}" for name in cls.arguments()), *(f"{name}=…" for name in shown)]
    call = f"{cls.name}({', '.join(words)})"
    return f"write the attribute with its name: {call}" if shown else None
