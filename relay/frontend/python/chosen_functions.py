"""A choice between functions whose parameters have no types: a call of it is a choice of calls."""

from collections.abc import Sequence

from relay.frontend.python.calls import as_function, called
from relay.frontend.python.conversion import Conversion
from relay.frontend.python.invocation import Invocation
from relay.frontend.python.scope import Scope
from relay.frontend.python.values import Local, Template, Value
from relay.ir.expr import Expr, If
from relay.ir.types import FuncType
from relay.support.span import Span


def chosen(
    convert: Conversion, test: Expr, values: Sequence[Value], scope: Scope, span: Span
) -> Template | None:
    """Return `f if test else g` as one function; None for others than functions, and typed ones."""
    functions = [as_function(convert, each) for each in values]
    untyped = [each for each in functions if isinstance(each, Template)]
    if not untyped or not all(map(_is_function, functions)):
        return None
    condition = scope.block.bind("condition", test, span)

    def expand(args: Sequence[Value], place: Span) -> Value:
        results = [called(Invocation(convert, each, args, {}, place)) for each in functions]
        then, other = convert.joined("the result", results, place)
        return If(condition, then, other, span=place)

    captured: dict[str, Value] = {}
    for each in functions:
        captured |= each.captured if isinstance(each, Template | Local) else {}
    return Template("the function", untyped[0].params, expand, captured, {}, untyped[0].place)


def _is_function(value: Value) -> bool:
    typed = isinstance(value, Expr) and isinstance(value.ty, FuncType)
    return typed or isinstance(value, Template | Local)
