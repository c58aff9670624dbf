"""What is decided: conditions, `and`, `or` and `not`, chains of comparisons, `a if c else b`."""

import ast
from collections.abc import Sequence

import numpy as np

from relay.frontend.python import logic
from relay.frontend.python.chosen_functions import chosen
from relay.frontend.python.scope import Scope
from relay.frontend.python.translating import Translator
from relay.frontend.python.values import Pending, Static, Value
from relay.ir.expr import Constant, Expr, If
from relay.ir.types import BOOL, Type
from relay.support.span import Span


def condition(translator: Translator, at: ast.expr, scope: Scope) -> "Expr | Static":
    """Return a bool: an expression, or a plain one that is known now. Raises `F114`."""
    match at:
        case ast.BoolOp(op=sign, values=(first, *rest)):
            found = condition(translator, first, scope)
            return _decided(translator, sign, found, rest, scope) if rest else found
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return logic.negated(condition(translator, operand, scope), scope.span(at))
        case _:
            return logic.truth(translator.value(at, scope), scope.span(at))


def _decided(
    translator: Translator,
    sign: ast.boolop,
    first: "Expr | Static",
    rest: list[ast.expr],
    scope: Scope,
) -> "Expr | Static":
    """Return whether all or any of several conditions hold, asking no further than needed."""
    stops = isinstance(sign, ast.Or)
    others = ast.copy_location(ast.BoolOp(sign, rest), rest[0])
    if isinstance(first, Static):
        return first if first.content is stops else condition(translator, others, scope)
    span = scope.span(rest[0])
    other = translator.conversion.typed(condition(translator, others, scope), BOOL, span)
    stop = Constant(np.asarray(stops))
    return If(first, *((stop, other) if stops else (other, stop)), span=span)


def boolean(
    translator: Translator, sign: ast.boolop, parts: Sequence[ast.expr], scope: Scope, span: Span
) -> Value:
    """Return the operand that decides, as Python does: `x or 1.0` is `x` unless that is 0."""
    first, rest = translator.value(parts[0], scope), parts[1:]
    if not rest:
        return first
    stops, known = isinstance(sign, ast.Or), logic.truth(first, scope.span(parts[0]))
    if isinstance(known, Static):
        decided = known.content is stops
        return first if decided else boolean(translator, sign, rest, scope, span)
    other = boolean(translator, sign, rest, scope, span)
    left, right = translator.conversion.joined("the expression", [first, other], span)
    return If(known, *((left, right) if stops else (right, left)), span=span)


def comparison(translator: Translator, at: ast.Compare, scope: Scope) -> Value:
    """Return whether all comparisons of a chain hold."""
    span = scope.span(at)
    values = [translator.value(part, scope) for part in (at.left, *at.comparators)]
    pairs = enumerate(at.ops)
    return logic.chained(
        [logic.compared(sign, values[i], values[i + 1], span) for i, sign in pairs], span
    )


def choice(translator: Translator, at: ast.IfExp, scope: Scope) -> Value:
    """Return `then if test else other`: one of them, where it is known which."""
    test, span = translator.condition(at.test, scope), scope.span(at)
    if isinstance(test, Static):
        return translator.value(at.body if test.content else at.orelse, scope)
    values = [translator.value(at.body, scope), translator.value(at.orelse, scope)]
    function = chosen(translator.conversion, test, values, scope, span)
    if function is not None:
        return function
    if isinstance(values[0], Pending) and isinstance(values[1], Pending):
        return _pending(translator, test, values, span)
    first, second = translator.conversion.joined("the expression", values, span)
    return If(test, first, second, span=span)


def _pending(translator: Translator, test: Expr, values: Sequence[Value], span: Span) -> Pending:
    """Return a choice between generic data whose type arguments are not known yet."""

    def complete(wanted: Type) -> Expr:
        first, second = (translator.conversion.typed(value, wanted, span) for value in values)
        return If(test, first, second, span=span)

    assert isinstance(values[0], Pending), "the caller looked"
    return Pending(values[0].name, values[0].head, complete, span)
