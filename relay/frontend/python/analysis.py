"""What can be told from the statements alone: what they assign, and where control may go."""

import ast
from collections.abc import Iterator, Sequence
from typing import TypeGuard

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.While, ast.For, ast.AsyncFor)


GROWING = ("append", "extend", "insert")
"""Methods of lists that add items."""

_CHANGING = (*GROWING, "pop")

_COMPUTING = (
    *("abs", "add", "concatenate", "copy", "dot", "exp", "full", "log", "matmul", "max", "maximum"),
    *("mean", "min", "minimum", "multiply", "ones", "ones_like", "sin", "sqrt", "stack", "sum"),
    *("tanh", "where", "zeros", "zeros_like"),
)
"""Functions of NumPy whose arrays are new."""


def assigned(statements: Sequence[ast.stmt]) -> list[str]:
    """Return the names that statements assign, by first appearance, inner functions aside."""
    found: dict[str, None] = {}
    for at in _inside(statements, _SCOPES):
        match at:
            case ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name):
                found[name] = None
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
                found[name] = None  # writing to a part gives the variable a new value
            case ast.Call(func=ast.Attribute(ast.Name(id=name), attr)) if attr in _CHANGING:
                found[name] = None  # a list that gets another item is another list here
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                found[name] = None
            case _:
                pass
    return list(found)


def variables(function: ast.FunctionDef) -> frozenset[str]:
    """Return the names that are variables of a function by Python's rule: it assigns them."""
    args = function.args
    found = {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    for at in _inside(function.body, (*_SCOPES, *_COMPREHENSIONS)):
        match at:
            case ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name):
                found.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found |= {each.asname or each.name.partition(".")[0] for each in names}
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                found.add(name)
            case _:
                pass
    return frozenset(found)


def mutated(statements: Sequence[ast.stmt]) -> dict[str, ast.stmt | ast.expr]:
    """Return the variables whose values statements change in place, and where that is."""
    found: dict[str, ast.stmt | ast.expr] = {}
    for at in _inside(statements, _SCOPES):
        match at:
            case ast.AugAssign(target=ast.Name(id=name)):
                found.setdefault(name, at)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
                found.setdefault(name, at)
            case ast.Call(func=ast.Attribute(ast.Name(id=name), attr)) if attr in _CHANGING:
                found.setdefault(name, at)
            case _:
                pass
    return found


def grows(statements: Sequence[ast.stmt]) -> bool:
    """Whether statements add items to a list, or take some out."""
    calls = (at.func for at in _inside(statements, _SCOPES) if isinstance(at, ast.Call))
    return any(isinstance(f, ast.Attribute) and f.attr in _CHANGING for f in calls)


def read_elsewhere(name: str, function: ast.FunctionDef | None) -> bool:
    """Whether a function reads a variable outside of the loops that count with it."""
    if function is None:
        return False
    stack: list[ast.AST] = [*function.body]
    while stack:
        at = stack.pop()
        if isinstance(at, ast.Name) and at.id == name and isinstance(at.ctx, ast.Load):
            return True
        own = isinstance(at, ast.For) and isinstance(at.target, ast.Name) and at.target.id == name
        stack += (
            [at.iter, *at.orelse] if own and isinstance(at, ast.For) else ast.iter_child_nodes(at)
        )
    return False


def reads(function: ast.FunctionDef | ast.Lambda) -> list[str]:
    """Return the names that a function reads and neither takes nor assigns."""
    body = function.body if isinstance(function.body, list) else [ast.Expr(function.body)]
    args = function.args
    own = {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)} | set(assigned(body))
    loads = (at for each in body for at in ast.walk(each) if isinstance(at, ast.Name))
    return [name for name in dict.fromkeys(at.id for at in loads) if name not in own]


def makes_new(function: ast.FunctionDef, *, fields: bool = False) -> bool:
    """Whether what a function returns is surely computed: no argument, and no part of one.

    With `fields` it returns written tuples, of which that holds for each part that is an array.
    """
    made: dict[str, list[ast.expr | None]] = {}
    for at in _inside(function.body, _SCOPES):
        match at:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                made.setdefault(name, []).append(value)
            case ast.AugAssign(target=ast.Name(id=name)):
                made.setdefault(name, []).append(None)  # the array that it was
            case _:
                pass
    bound = [at.id for at in _inside(function.body, _SCOPES) if _binds(at)]
    sure = {name for name, values in made.items() if bound.count(name) == len(values)}
    args = function.args
    sure -= {each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    found: list[tuple[ast.expr | None, bool]] = [
        (at.value, fields) for at in _inside(function.body, _SCOPES) if isinstance(at, ast.Return)
    ]
    seen: set[tuple[str, bool]] = set()
    while found:
        value, whole = found.pop()
        match value:
            case ast.Name(id=name) if name in sure:
                found += [] if (name, whole) in seen else [(each, whole) for each in made[name]]
                seen.add((name, whole))
            case ast.Tuple(elts=items) | ast.List(elts=items):
                found += [(item, False) for item in items]
            case ast.IfExp(body=then, orelse=other):
                found += [(then, whole), (other, whole)]
            case _ if whole:  # such as `(x,) * 2`, which holds an argument
                return False
            case ast.Constant() | None:
                pass
            case _ if not computes(value):
                return False
            case _:
                pass
    return True


def computes(value: ast.expr) -> bool:
    """Whether an array that an expression gives is surely new."""
    match value:
        case ast.BinOp() | ast.Compare() | ast.UnaryOp():
            return True
        case ast.Call(func=ast.Attribute(ast.Name("np" | "numpy"), name)) if name in _COMPUTING:
            return True
        case ast.Call(func=ast.Attribute(attr="copy")):
            return True
        case _:
            return False


def _binds(at: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(at, ast.Name) and isinstance(at.ctx, ast.Store)


def returns(statements: Sequence[ast.stmt]) -> bool:
    """Whether a `return` stands somewhere in the statements."""
    return any(isinstance(at, ast.Return) for at in _inside(statements, _SCOPES))


def breaks(statements: Sequence[ast.stmt]) -> bool:
    """Whether a `break` of the loop around stands somewhere in the statements."""
    return any(isinstance(at, ast.Break) for at in _inside(statements, (*_SCOPES, *_LOOPS)))


def leaves_loop(statements: Sequence[ast.stmt]) -> bool:
    """Whether a `break` or `continue` of the loop around stands in the statements."""
    inner = _inside(statements, (*_SCOPES, *_LOOPS))
    return any(isinstance(at, ast.Break | ast.Continue) for at in inner)


def escapes(statements: Sequence[ast.stmt]) -> bool:
    """Whether control may leave the statements other than by their end."""
    return returns(statements) or leaves_loop(statements)


def falls_through(statements: Sequence[ast.stmt]) -> bool:
    """Whether control may reach the end of the statements; recursion follows their nesting."""
    return all(_passes(each) for each in statements)


def is_true(test: ast.expr) -> bool:
    """Whether a condition is the word `True` (or the 1 of old)."""
    return isinstance(test, ast.Constant) and bool(test.value)


def _passes(statement: ast.stmt) -> bool:
    match statement:
        case ast.Return() | ast.Break() | ast.Continue() | ast.Raise():
            return False
        case ast.If(body=body, orelse=orelse):
            return falls_through(body) or falls_through(orelse)
        case ast.While(test=test, body=body) if is_true(test):
            return breaks(body)
        case ast.While(body=body, orelse=orelse) | ast.For(body=body, orelse=orelse):
            return falls_through(orelse) or breaks(body) or not returns([statement])
        case ast.Match(cases=cases):
            return any(falls_through(case.body) for case in cases)
        case _:
            return True


def _inside(statements: Sequence[ast.stmt], closed: tuple[type[ast.AST], ...]) -> Iterator[ast.AST]:
    """Walk statements in order, but not into the closed kinds (which are themselves seen).

    The `else` of a loop is outside of it: what breaks there breaks the loop around.
    """
    stack: list[ast.AST] = list(reversed(statements))
    while stack:
        at = stack.pop()
        yield at
        if not isinstance(at, closed):
            stack.extend(reversed(list(ast.iter_child_nodes(at))))
        elif isinstance(at, _LOOPS):
            stack.extend(reversed(at.orelse))


def definite(statements: Sequence[ast.stmt]) -> set[str]:
    """Return the names that are assigned whenever the end of the statements is reached."""
    found: set[str] = set()
    for each in statements:
        match each:
            case ast.If(body=body, orelse=orelse):
                found |= _on_all([body, orelse])
            case ast.Match(cases=cases):
                found |= _on_all([case.body for case in cases])
            case ast.While() | ast.For():
                pass
            case _:
                found |= set(assigned([each]))
    return found


def _on_all(arms: Sequence[list[ast.stmt]]) -> set[str]:
    reached = [definite(arm) for arm in arms if falls_through(arm)]
    return set[str].intersection(*reached) if reached else set[str]()
