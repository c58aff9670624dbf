"""`assert` and `raise`: decided now where that can be, and stops of the program elsewhere."""

import ast
from collections.abc import Sequence

from relay.frontend.python.analysis import falls_through, leaves_loop, returns
from relay.frontend.python.hidden import hidden
from relay.frontend.python.scope import Scope
from relay.frontend.python.stopping import check, stopped
from relay.frontend.python.translating import Translator
from relay.frontend.python.values import Static
from relay.ir.expr import Expr
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span


def asserted(at: ast.Assert, expressions: Translator, scope: Scope) -> None:
    """Have the program stop unless a condition holds; raises `F135` if it surely does not."""
    span = scope.span(at)
    why = "AssertionError" + (f": {_said(at.msg, expressions, scope)}" if at.msg else "")
    condition = expressions.condition(at.test, scope)
    if isinstance(condition, Expr):
        scope.block.bind("checked", check(condition, why, span), span)
    elif not condition.content:
        raise _sure(
            f"the assertion does not hold, {why}" if at.msg else "the assertion does not hold", span
        )


def raised(at: ast.Raise, expressions: Translator, scope: Scope) -> Expr:
    """Return what stops the program; raises `F135` where control surely comes."""
    span, why = scope.span(at), _exception(at.exc, expressions, scope)
    if scope.certain:
        raise _sure(f"this is always raised: {why}", span)
    if scope.flow.result is None:
        advice = "annotate the function's result: -> float32"
        raise mistake(ErrorCode.F123, "raise needs a declared result here", span, advice)
    return stopped(scope.flow.result, why, span)


def guard(at: ast.If, expressions: Translator, scope: Scope) -> Sequence[ast.stmt] | None:
    """Have the program stop where one arm of an `if` raises; return the statements of the other.

    None for other branches, and for conditions that are known.
    """
    arms = [at.body, at.orelse]
    bad = next((arm for arm in arms if _only_raises(arm)), None)
    if bad is None:
        return None
    condition = expressions.condition(at.test, scope)
    if isinstance(condition, Static):
        return arms[0] if condition.content else arms[1]
    stop = bad[-1]
    assert isinstance(stop, ast.Raise), "just seen"
    flag = hidden("the condition", at, scope)
    scope.names[flag] = condition
    test: ast.expr = ast.copy_location(ast.Name(flag, ast.Load()), at.test)
    if bad is at.body:
        test = ast.copy_location(ast.UnaryOp(ast.Not(), test), at.test)
    holds = expressions.condition(test, scope)
    assert isinstance(holds, Expr), "not known"
    span = scope.span(stop)
    scope.block.bind("checked", check(holds, _exception(stop.exc, expressions, scope), span), span)
    return arms[1] if bad is at.body else arms[0]


def _only_raises(statements: Sequence[ast.stmt]) -> bool:
    """Whether statements do nothing else than to raise."""
    if not statements or not isinstance(statements[-1], ast.Raise):
        return False
    return not returns(statements) and not leaves_loop(statements) and not falls_through(statements)


def _exception(at: ast.expr | None, expressions: Translator, scope: Scope) -> str:
    """Return what an exception says, as Python shows it."""
    if isinstance(at, ast.Call):
        said = ", ".join(_said(each, expressions, scope) for each in at.args)
        return f"{ast.unparse(at.func)}: {said}" if said else ast.unparse(at.func)
    return "an exception" if at is None else ast.unparse(at)


def _said(at: ast.expr, expressions: Translator, scope: Scope) -> str:
    """Return what an exception says, where that is known, or else how it is written."""
    try:
        found = expressions.value(at, scope)
    except RelayError:
        return ast.unparse(at)
    return str(found.content) if isinstance(found, Static) else ast.unparse(at)


def _sure(what: str, span: Span) -> RelayError:
    advice = "change the annotations or constants that decide it, or the condition"
    return mistake(ErrorCode.F135, what, span, advice)
