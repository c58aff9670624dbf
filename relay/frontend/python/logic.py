"""What holds: conditions, `and`, `or`, `not`, comparisons and their chains, `in` and `is`."""

import ast
from collections.abc import Callable, Container, Sequence
from typing import cast

import numpy as np

from relay.frontend.python.arithmetic import BINARY, binary, both
from relay.frontend.python.hidden import IsLiteral
from relay.frontend.python.operations import describe, together
from relay.frontend.python.unsupported import unsupported_expression
from relay.frontend.python.values import Group, Static, Value
from relay.ir.expr import Call, Constant, Expr
from relay.ir.types import BOOL, UNIT, TensorType, TupleType
from relay.numpy.errors import mistake
from relay.numpy.tensors import Size
from relay.opdef.table import OPERATORS
from relay.support.error_codes import ErrorCode
from relay.support.span import Span

Join = Callable[[Sequence[Value]], Sequence[Expr]]


def truth(value: Value, span: Span) -> "Expr | Static":
    """Return whether a value counts as true, as Python says: a bool, now if it is known.

    Raises `F114` for tensors with axes, which NumPy refuses too, and for data and functions.
    """
    match value:
        case Static(content) if content is None or isinstance(content, bool | int | float | str):
            return Static(bool(content))
        case Group(items):
            return Static(bool(items))
        case Expr(ty=TupleType(fields)):
            return Static(bool(fields))
        case Expr() if value.ty is BOOL:
            return value
        case Size(expr=scalar) | (Expr(ty=TensorType(shape=())) as scalar):
            zero = Constant(np.zeros((), scalar.tensor_type.dtype.numpy))
            return _call("not_equal", [scalar, zero], span)
        case _:
            raise mistake(
                ErrorCode.F114,
                f"a condition is one bool, not {describe(value)}",
                span,
                "compare (x > 0); of a tensor take .all() or .any(), or choose with np.where",
            )


def negated(value: "Expr | Static", span: Span) -> "Expr | Static":
    """Return `not value`, for what `truth` gives."""
    if isinstance(value, Static):
        return Static(not value.content)
    return _call("logical_not", [value], span)


def compared(sign: ast.cmpop, left: Value, right: Value, span: Span) -> Value:
    """Return one comparison; `in` compares with each item, or each element."""
    match sign:
        case ast.Is() | ast.IsNot():
            same = _identical(left, right)
            if same is None:
                raise unsupported_expression(sign, span)
            return Static(same is isinstance(sign, ast.Is))
        case IsLiteral():
            return _is_literal(left, right, span)
        case ast.In():
            return _contained(left, right, span)
        case ast.NotIn():
            return negated(_contained(left, right, span), span)
        case _:
            assert type(sign) in BINARY, "these are all comparisons that Python has"
            return binary(type(sign), left, right, span)


def chained(results: Sequence[Value], span: Span) -> Value:
    """Return whether all comparisons of a chain hold."""
    whole = results[0]
    for each in results[1:]:
        whole = both(whole, each, span)
    return whole


def _identical(left: Value, right: Value) -> bool | None:
    """Return whether two values are one, `x is None`; None where that is not known."""
    contents = [v.content for v in (left, right) if isinstance(v, Static)]
    if len(contents) == 2:
        return contents[0] is contents[1]
    if contents == [None]:
        return any(isinstance(v, Expr) and v.ty is UNIT for v in (left, right))
    return None


def _is_literal(value: Value, literal: Value, span: Span) -> Value:
    """Return whether a value is True, False or None, which numbers are not."""
    known = _identical(value, literal)
    if known is not None:
        return Static(known)
    is_bool = isinstance(value, Expr) and value.ty is BOOL
    return binary(ast.Eq, value, literal, span) if is_bool else Static(False)


def _contained(item: Value, container: Value, span: Span) -> "Expr | Static":
    if isinstance(item, Static) and isinstance(container, Static):
        return _known_to_contain(item.content, container.content, span)
    items = container.items if isinstance(container, Group) else (container,)
    found: Expr | Static = Static(False)
    for each in items:
        same = binary(ast.Eq, item, each, span)
        if isinstance(same, Expr) and same.tensor_type.rank:
            same = _call("any", [same], span)
        found = _either(found, same, span)
    return found


def _known_to_contain(item: object, container: object, span: Span) -> Static:
    """Return whether a Python object from outside, a text or a dictionary, has an item."""
    try:
        return Static(item in cast("Container[object]", container))
    except TypeError as error:
        raise mistake(
            ErrorCode.F112, f"in: {error}", span, "ask a list, a text or a dictionary"
        ) from None


def _either(found: "Expr | Static", other: Value, span: Span) -> "Expr | Static":
    if isinstance(found, Static):
        assert isinstance(other, Expr | Static), "a comparison"
        return found if found.content else other
    return _call("logical_or", together([found, other], span), span)


def _call(name: str, args: Sequence[Expr], span: Span) -> Call:
    return Call(OPERATORS.find(name)(), tuple(args), span=span)
