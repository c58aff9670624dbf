"""What Python has and Relay has not: each with what to write instead."""

import ast
from collections.abc import Mapping

from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span

_SETS = "ask a tuple, x in (1, 2), or mark in a tensor of bools what has been seen"
_DICTIONARIES = "name the parts: a @relay.data class, a tuple, or a dictionary outside the function"
_CONSTANTS: Mapping[type[object], tuple[str, str]] = {
    bytes: ("bytes", "make an array of them outside: np.frombuffer(…, np.uint8)"),
    complex: ("a complex number", "keep the real and the imaginary part as two numbers"),
    type(...): ("...", "write it between brackets, x[..., 0]"),
}
_EXPRESSIONS: Mapping[type[ast.AST], tuple[str, str]] = {
    ast.SetComp: ("a set", _SETS),
    ast.DictComp: ("a dictionary", _DICTIONARIES),
    ast.Set: ("a set", _SETS),
    ast.Dict: ("a dictionary", _DICTIONARIES),
    ast.JoinedStr: ("a formatted text", "texts exist only in Python, around the function"),
    ast.NamedExpr: ("an assignment inside an expression", "assign in a statement before"),
    ast.Await: ("await", "programs compute values and wait for nothing"),
    ast.Yield: ("yield", "return all results together, as a tensor or a list of @relay.data"),
    ast.YieldFrom: ("yield", "return all results together, as a tensor or a list of @relay.data"),
    ast.Starred: ("unpacking with *", "write the arguments out"),
    ast.Is: ("is", "compare numbers with ==, and take data apart with match"),
    ast.IsNot: ("is not", "compare numbers with !=, and take data apart with match"),
}

_STATEMENTS: Mapping[type[ast.AST], tuple[str, str]] = {
    ast.Try: ("try", "nothing raises here: test for what could go wrong"),
    ast.With: ("with", "open resources in Python, around the call"),
    ast.Global: ("global", "return the new value; functions change nothing outside"),
    ast.Nonlocal: ("nonlocal", "return the new value; functions change nothing outside"),
    ast.Delete: ("del", "leave it out: values that nobody uses cost nothing"),
    ast.ClassDef: ("a class in a function", "define @relay.data classes at the top of the file"),
    ast.AsyncFunctionDef: ("async", "programs compute values and wait for nothing"),
    ast.AsyncFor: ("async", "programs compute values and wait for nothing"),
    ast.AsyncWith: ("async", "programs compute values and wait for nothing"),
}


def unsupported_expression(at: ast.AST, span: Span) -> RelayError:
    """Return the error `F107` for an expression that cannot be translated."""
    known = _EXPRESSIONS.get(type(at)) or ("this expression", "use numbers, tensors and data")
    what, advice = _CONSTANTS[type(at.value)] if isinstance(at, ast.Constant) else known
    return mistake(ErrorCode.F107, f"{what} cannot be expressed in Relay", span, advice)


def unsupported_statement(at: ast.stmt, span: Span) -> RelayError:
    """Return the error `F101` for a statement that cannot be translated."""
    what, advice = _STATEMENTS.get(type(at), ("this statement", "assign, branch, loop and return"))
    return mistake(ErrorCode.F101, f"{what} cannot be expressed in Relay", span, advice)
