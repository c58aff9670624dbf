"""Find the syntax tree of a Python function in its source file, with original positions."""

import ast
import inspect
import linecache
from collections.abc import Mapping
from functools import cache
from types import FunctionType
from typing import NamedTuple, Self

from relay.frontend.python.rewriting.source_locations import Code
from relay.frontend.python.rewriting.unsupported_syntax import unsupported_statement
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.span import Source, Span

LAMBDA = "<lambda>"
"""The name that Python gives to every lambda."""

TYPES_AROUND = "__relay_types__"
"""The attribute in which a nested function stores the data types defined around it."""


def read(function: FunctionType) -> tuple[ast.FunctionDef, Code]:
    """Return the definition of a function; raises `F100` if its source is not available.

    A lambda is returned as a function that returns the lambda's expression.
    """
    if function.__name__ == LAMBDA:
        found, code = read_lambda(function)
        returned = ast.copy_location(ast.Return(found.body), found.body)
        made = ast.FunctionDef(LAMBDA, found.args, [returned], [], None, None)
        return ast.copy_location(made, found), code
    name = inspect.getsourcefile(function) or function.__code__.co_filename
    text = "".join(linecache.getlines(name, function.__globals__))
    first = function.__code__.co_firstlineno
    for definition in _definitions(name, text):
        lines = [definition.lineno, *(each.lineno for each in definition.decorator_list)]
        if definition.name == function.__name__ and min(lines) == first:
            code = Code(_source(name, text))
            if isinstance(definition, ast.AsyncFunctionDef):
                raise unsupported_statement(definition, _keyword(definition, code))
            return definition, code
    what = f"the source of {function.__name__} is not available"
    advice = (
        "define it with `def` in a file: a function typed at a prompt or made by exec has no source"
    )
    raise mistake(ErrorCode.F100, what, None, advice)


def read_lambda(function: FunctionType) -> tuple[ast.Lambda, Code]:
    """Return the syntax tree of a lambda; raises `F100` if its source is not available.

    Among several lambdas on a line, the innermost one that contains all instructions is chosen.
    """
    name = inspect.getsourcefile(function) or function.__code__.co_filename
    text = "".join(linecache.getlines(name, function.__globals__))
    places = [place for place in map(_Range.of, function.__code__.co_positions()) if place]
    found = [(_Range.at(each.body), each) for each in _lambdas(name, text)]
    around = [each for each in found if places and all(place in each[0] for place in places)]
    if around:
        _, innermost = max(around, key=lambda each: each[0].begin)
        return innermost, Code(_source(name, text))
    what = f"the source of the lambda of line {function.__code__.co_firstlineno} is not available"
    advice = "define it in a file: a function typed at a prompt or made by exec has no source"
    raise mistake(ErrorCode.F100, what, None, advice)


class _Range(NamedTuple):
    """A range of a source text, from one line and column to another."""

    begin: tuple[int, int]
    end: tuple[int, int]

    @classmethod
    def of(cls, place: tuple[int | None, ...]) -> Self | None:
        """Return the source range of an instruction; None if it has none."""
        line, end_line, column, end_column = place
        if line is None or end_line is None or column is None or end_column is None:
            return None
        found = cls((line, column), (end_line, end_column))
        return found if found.begin < found.end else None

    @classmethod
    def at(cls, node: ast.expr) -> Self:
        """Return the source range of an expression."""
        end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return cls((node.lineno, node.col_offset), end)

    def __contains__(self, other: object) -> bool:
        return isinstance(other, _Range) and self.begin <= other.begin and other.end <= self.end


def _keyword(definition: ast.AsyncFunctionDef, code: Code) -> Span:
    """Return the location of the word `async`."""
    whole = code.span(definition)
    return Span(whole.source, whole.line, whole.column, whole.line, whole.column + len("async"))


def namespace(function: FunctionType) -> Mapping[str, object]:
    """Return the current values of the names that a function can read from outside."""
    closed: dict[str, object] = {}
    for name in function.__code__.co_freevars:
        try:
            closed[name] = present(function, name)
        except ValueError:  # assigned later, so it is not known yet
            continue
    around: Mapping[str, object] = vars(function).get(TYPES_AROUND, {})
    return {**function.__globals__, **around, **closed}


def copied(function: FunctionType) -> FunctionType:
    """Return a copy of a function."""
    made = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__, made.__annotations__ = function.__kwdefaults__, function.__annotations__
    vars(made).update(vars(function))
    return made


def present(function: FunctionType, name: str) -> object:
    """Return the current value of a name from outside.

    Raises `KeyError` or `ValueError` if unset.
    """
    free = function.__code__.co_freevars
    if name in free:
        return (function.__closure__ or ())[free.index(name)].cell_contents
    return function.__globals__[name]


@cache
def _source(name: str, text: str) -> Source:
    return Source(name, text)


@cache
def _lambdas(name: str, text: str) -> list[ast.Lambda]:
    return [each for each in ast.walk(ast.parse(text, name)) if isinstance(each, ast.Lambda)]


@cache
def _definitions(name: str, text: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    found = ast.walk(ast.parse(text, name))
    return [each for each in found if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
