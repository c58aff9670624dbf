"""Helpers for syntax trees: find assigned names and exits, and build nodes that call hooks."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from copy import deepcopy
from typing import Any

HOOKS, PATTERNS = "__relay__", "__patterns__"
IN_PLACE: Mapping[type[ast.operator], str] = {
    ast.Add: "iadd",
    ast.BitAnd: "iand",
    ast.BitOr: "ior",
    ast.BitXor: "ixor",
    ast.Div: "itruediv",
    ast.FloorDiv: "ifloordiv",
    ast.LShift: "ilshift",
    ast.MatMult: "imatmul",
    ast.Mod: "imod",
    ast.Mult: "imul",
    ast.Pow: "ipow",
    ast.RShift: "irshift",
    ast.Sub: "isub",
}
"""The functions of `operator` for `+=` and the like."""

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def inside(nodes: Sequence[ast.AST], closed: tuple[type[ast.AST], ...]) -> Iterator[ast.AST]:
    """Yield the nodes below some nodes, but not those inside nodes of the kinds `closed`."""
    stack = list(reversed(nodes))
    while stack:
        at = stack.pop()
        yield at
        if not isinstance(at, closed):
            stack += reversed(list(ast.iter_child_nodes(at)))


def assigned(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that statements assign, except in nested functions."""
    found: set[str] = set()
    for at in inside(nodes, (*SCOPES, *COMPREHENSIONS)):
        match at:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.FunctionDef(name=name):
                found.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found |= {each.asname or each.name.partition(".")[0] for each in names}
            case (
                ast.MatchAs(name=str() as name)
                | ast.MatchStar(name=str() as name)
                | ast.MatchMapping(rest=str() as name)
            ):
                found.add(name)
            case _ if isinstance(at, COMPREHENSIONS):
                found |= {
                    each.target.id for each in ast.walk(at) if isinstance(each, ast.NamedExpr)
                }
            case _:
                pass
    return found


def arguments(args: ast.arguments) -> list[ast.arg]:
    """Return all parameters of a function."""
    others = [each for each in (args.vararg, args.kwarg) if each is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *others]


def leaves(nodes: Sequence[ast.AST], kinds: tuple[type[ast.AST], ...]) -> bool:
    """Whether control may leave some statements by a statement of these kinds, such as `return`."""
    for at in nodes:
        if isinstance(at, kinds):
            return True
        if isinstance(at, SCOPES):
            continue
        if isinstance(at, ast.For | ast.While):
            if leaves(at.body, tuple(each for each in kinds if each is ast.Return)) or leaves(
                at.orelse, kinds
            ):
                return True
        elif leaves(list(ast.iter_child_nodes(at)), kinds):
            return True
    return False


def parameters(names: Sequence[str]) -> ast.arguments:
    """Return the syntax tree of a parameter list with these names."""
    return ast.arguments(
        posonlyargs=[],
        args=[ast.arg(name) for name in names],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )


def unwrapped(at: ast.stmt) -> ast.stmt:
    """Return a rewritten `return` with its plain value instead of a marker.

    This is for functions without branches or loops, which need no marker.
    """
    if isinstance(at, ast.Return) and isinstance(at.value, ast.Call):
        value = at.value.args[0] if at.value.args else ast.Constant(None)
        returned = placed(hook("returned", [value]), value if at.value.args else at)
        return ast.copy_location(ast.Return(returned), at)
    return at


def values_of(at: ast.pattern) -> list[ast.expr]:
    """Return the classes and values that a pattern names, in the order of `ast.walk`."""
    found: list[ast.expr] = []
    for each in ast.walk(at):
        if isinstance(each, ast.MatchClass):
            found.append(deepcopy(each.cls))
        elif isinstance(each, ast.MatchValue):
            found.append(deepcopy(each.value))
    return found


def strings(names: Sequence[str] | AbstractSet[str]) -> ast.expr:
    """Return the syntax tree of a tuple of strings."""
    listed = names if isinstance(names, Sequence) else sorted(names)
    return ast.Tuple([ast.Constant(each) for each in listed], ast.Load())


def index_of(at: ast.expr) -> ast.expr:
    """Return the content of subscript brackets as an expression that makes the same index."""
    if isinstance(at, ast.Slice):
        none = ast.Constant(None)
        parts = [each or none for each in (at.lower, at.upper, at.step)]
        return ast.Call(hook_name("slice"), parts, [])
    if isinstance(at, ast.Tuple):
        return ast.Tuple([index_of(each) for each in at.elts], ast.Load())
    return at


def lambda_of(value: ast.expr) -> ast.expr:
    """Return a lambda without parameters that evaluates an expression."""
    return placed(ast.Lambda(parameters([]), value), value)


def name_of(name: str) -> ast.expr:
    """Return an expression that reads a variable."""
    return ast.Name(name, ast.Load())


def hook_name(name: str) -> ast.expr:
    """Return an expression that reads a hook."""
    return ast.Attribute(name_of(HOOKS), name, ast.Load())


def hook(name: str, args: Sequence[ast.expr], keywords: Sequence[ast.keyword] = ()) -> ast.expr:
    """Return an expression that calls a hook."""
    return ast.Call(hook_name(name), list(args), list(keywords))


def placed(made: Any, at: Any) -> Any:
    """Give nodes without a position the position of node `at`, and return them."""
    for each in ast.walk(made):
        if "lineno" in getattr(each, "_attributes", ()) and not hasattr(each, "lineno"):
            each.lineno, each.col_offset = at.lineno, at.col_offset  # pyright: ignore
            each.end_lineno, each.end_col_offset = at.end_lineno, at.end_col_offset  # pyright: ignore
    return made
