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
    ast.Await: ("await", "programs cannot wait for events"),
    ast.Yield: ("yield", _TOGETHER),
    ast.YieldFrom: ("yield", _TOGETHER),
}

_STATEMENTS: Mapping[type[ast.AST], tuple[str, str]] = {
    ast.Try: ("try", "programs cannot catch exceptions: test the condition instead"),
    ast.With: ("with", "open resources in Python, around the call"),
    ast.Global: ("global", "return the new value; functions cannot modify anything outside"),
    ast.Nonlocal: ("nonlocal", "return the new value; functions cannot modify anything outside"),
    ast.ClassDef: ("a class in a function", "define @relay.data classes at the top of the file"),
    ast.AsyncFunctionDef: ("async", "programs cannot wait for events"),
    ast.AsyncFor: ("async", "programs cannot wait for events"),
    ast.AsyncWith: ("async", "programs cannot wait for events"),
}


def unsupported_expression(at: ast.AST, span: Span) -> RelayError:
    """Return the error `F107` for an expression that cannot be translated."""
    what, advice = _EXPRESSIONS[type(at)]
    return mistake(ErrorCode.F107, f"{what} cannot be expressed in Relay", span, advice)


def unsupported_statement(at: ast.stmt, span: Span) -> RelayError:
    """Return the error `F101` for a statement that cannot be translated."""
    what, advice = _STATEMENTS.get(type(at), ("this statement", "assign, branch, loop and return"))
    return mistake(ErrorCode.F101, f"{what} cannot be expressed in Relay", span, advice)
