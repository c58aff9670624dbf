"""Errors for Python syntax that Relay does not support, each with a replacement."""

import ast
from collections.abc import Mapping

from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span

_TOGETHER = "return all results together, as a tensor or a list of data"
_EXPRESSIONS: Mapping[type[ast.AST], tuple[str, str]] = {
    ast.NamedExpr: ("an assignment inside an expression", "assign in a statement before"),
    ast.Await: ("await", "await the value in Python, and pass it to the function"),
    ast.Yield: ("yield", _TOGETHER),
    ast.YieldFrom: ("yield", _TOGETHER),
}

_STATEMENTS: Mapping[type[ast.AST], tuple[str, str]] = {
    ast.Try: ("try", "test for the failing case with if: a Relay function cannot catch exceptions"),
    ast.With: ("with", "open resources in Python, around the call"),
    ast.Global: ("global", "return the new value, and assign the global variable after the call"),
    ast.Nonlocal: ("nonlocal", "return the new value, and assign it in the enclosing function"),
    ast.ClassDef: ("a class in a function", "define @relay.data classes at the top of the file"),
    ast.AsyncFunctionDef: ("async", "write a plain `def`, and await values before the call"),
    ast.AsyncFor: ("async", "loop over values that were awaited before the call"),
    ast.AsyncWith: ("async", "enter the context in Python, around the call of the function"),
}


def unsupported_expression(at: ast.AST, span: Span) -> RelayError:
    """Return the error `F107` for an expression that cannot be translated."""
    what, advice = _EXPRESSIONS[type(at)]
    return mistake(ErrorCode.F107, f"{what} is not supported in a Relay function", span, advice)


def unsupported_statement(at: ast.stmt, span: Span) -> RelayError:
    """Return the error `F101` for a statement that cannot be translated."""
    what, advice = _STATEMENTS.get(
        type(at), ("this kind of statement", "use assignments, if, for, while and return")
    )
    return mistake(ErrorCode.F101, f"{what} is not supported in a Relay function", span, advice)
