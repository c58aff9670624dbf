"""Report operands that wait on Python's stack while other operands are evaluated.

In `o.rows + f(n)`, the value of `o.rows` is on Python's stack while `f` is traced, and a trace
cannot inspect that stack; a hook records such operands.
"""

import ast
from collections.abc import Iterator
from typing import Any, cast

from relay.frontend.python.rewriting.ast_helpers import HOOKS, hook, placed

_NEW = frozenset({"all_of", "any_of", "compared", "negated", "outside", "slice"})
"""Hooks whose results are new objects, or objects from outside the function."""


def show_operands(at: ast.AST) -> None:
    """Pass operands that wait for later calls to a hook, with the lines of their statement."""
    shared = {
        name
        for each in ast.walk(at)
        if isinstance(each, ast.Nonlocal)
        for name in each.names
        if not name.startswith("__")
    }
    for statement in list(ast.walk(at)):
        if isinstance(statement, ast.Assign | ast.Expr | ast.Return | ast.AugAssign):
            for each in list(ast.walk(statement)):
                if isinstance(each, ast.expr):
                    _show(each, statement, shared)


def _show(whole: ast.expr, statement: ast.stmt, shared: set[str]) -> None:
    places = list(_operands(whole))
    called = [any(_hook(part) == "call" for part in ast.walk(each)) for _, _, each in places]
    for number, (name, index, each) in enumerate(places):
        if any(called[number + 1 :]) and _may_be_seen(each, shared):
            lines = [ast.Constant(statement.lineno), ast.Constant(statement.end_lineno)]
            shown = placed(hook("waiting", [each, *lines]), each)
            if index is None:
                setattr(whole, name, shown)
            else:
                getattr(whole, name)[index] = shown


def _operands(whole: ast.expr) -> Iterator[tuple[str, int | None, Any]]:
    """Yield the operands of an expression in evaluation order: field name, index and operand."""
    for name, value in ast.iter_fields(whole):
        listed = cast("list[Any]", value) if isinstance(value, list) else [value]
        for index, each in enumerate(listed):
            if isinstance(each, ast.expr) and not isinstance(each, ast.Starred):
                yield name, index if isinstance(value, list) else None, each


def _hook(at: ast.AST) -> str | None:
    """Return the name of the hook that an expression calls; None for other expressions."""
    match at:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=found)) if name == HOOKS:
            return found
        case _:
            return None


def _may_be_seen(at: ast.expr, shared: set[str]) -> bool:
    """Whether an operand may be a container to which more than one reference exists.

    `shared` are the names of variables whose values may be referenced from elsewhere.
    """
    match at:
        case ast.Name(id=name, ctx=ast.Load()):
            return name in shared
        case ast.Call():
            return _hook(at) not in _NEW
        case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
            parts = [each for each in ast.iter_child_nodes(at) if isinstance(each, ast.expr)]
            return any(_may_be_seen(each, shared) for each in parts)
        case _:
            return False
