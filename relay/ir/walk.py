"""Traversals of expressions: `fold` computes a result bottom-up, `rewrite` rebuilds the program.

Both visit every node once, children before parents, with an explicit stack, so programs may be
arbitrarily deep and may share nodes. The children of a binder include the variables that it binds:
a rewrite that maps a variable also maps its binding occurrence.
"""

from collections.abc import Callable, Iterator, Sequence
from operator import is_
from typing import Any, TypeAlias
from typing import TypeVar as GenericVar
from weakref import ref

from relay.ir.expr import (
    Call,
    Expr,
    Function,
    If,
    Let,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.field_validation import require
from relay.ir.match_patterns import (
    Clause,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
)
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.type_comparison import with_unknown_dims_of
from relay.ir.types import RefType, Type
from relay.support.node import replace

T = GenericVar("T")


def _of_match(expr: Match) -> tuple[Expr, ...]:
    inner = [e for c in expr.clauses for e in (*bound_by(c.pattern), c.body)]
    return (expr.data, *inner)


_PARTS: dict[type[Expr], Callable[[Any], tuple[Expr, ...]]] = {
    Call: lambda expr: (*expr.args, expr.op),
    Tuple: lambda expr: expr.fields,
    TupleGetItem: lambda expr: (expr.tuple_value,),
    Let: lambda expr: (expr.var, expr.value, expr.body),
    If: lambda expr: (expr.condition, expr.then, expr.other),
    Function: lambda expr: (*expr.params, expr.body),
    Match: _of_match,
    RefCreate: lambda expr: (expr.value,),
    RefRead: lambda expr: (expr.ref,),
    RefWrite: lambda expr: (expr.ref, expr.value),
}
"""The function that returns the children, for each class of node that has some.

A table is the fastest form of dispatch.
"""


def children(expr: Expr) -> tuple[Expr, ...]:
    """Return the direct subexpressions of a node, in the order of their evaluation or binding."""
    parts = _PARTS.get(type(expr))
    return () if parts is None else parts(expr)


def bound_by(pattern: Pattern) -> list[Var]:
    """Return the variables that a pattern binds, from left to right."""
    found: list[Var] = []
    stack = [pattern]
    while stack:
        match stack.pop():
            case PatternVar(var):
                found.append(var)
            case PatternConstructor(_, patterns) | PatternTuple(patterns):
                stack.extend(reversed(patterns))
            case _:
                pass
    return found


def with_children(expr: Expr, new: Sequence[Expr], known: Type | None = None) -> Expr:
    """Return the node with other subexpressions, or itself if none differs.

    Its type is `known` if that is passed; otherwise it is recomputed if the type of a child
    differs.
    """
    old = children(expr)
    if all(map(is_, old, new)):
        return expr
    same_types = all(a.ty is b.ty for a, b in zip(old, new, strict=True))
    ty = known or (expr.ty if same_types else None)
    match expr:
        case Call():
            return replace(expr, op=new[-1], args=tuple(new[:-1]), ty=ty)
        case Tuple():
            return replace(expr, fields=tuple(new), ty=ty)
        case TupleGetItem():
            return replace(expr, tuple_value=new[0], ty=ty)
        case Let():
            return replace(expr, var=new[0], value=new[1], body=new[2], ty=ty)
        case If():
            return replace(expr, condition=new[0], then=new[1], other=new[2], ty=ty)
        case Function():
            result = expr.result if ty is not None else None
            return replace(expr, params=tuple(new[:-1]), body=new[-1], result=result, ty=ty)
        case Match():
            return replace(expr, data=new[0], clauses=_clauses(expr.clauses, new[1:]), ty=ty)
        case RefCreate():
            return replace(expr, value=new[0], ty=ty or _cell(expr, new[0]))
        case RefRead():
            return replace(expr, ref=new[0], ty=ty)
        case RefWrite():
            return replace(expr, ref=new[0], value=new[1])
        case _:
            raise AssertionError(f"{type(expr).__name__} has no children")


def _cell(cell: RefCreate, content: Expr) -> Type | None:
    """Return the type of the cell that `cell` creates, with new `content`.

    Dimensions of the old type that are `?` stay `?`.
    """
    if not isinstance(cell.ty, RefType) or content.ty is None:
        return None
    return RefType(with_unknown_dims_of(content.ty, cell.ty.content))


def _clauses(old: Sequence[Clause], new: Sequence[Expr]) -> tuple[Clause, ...]:
    rest = iter(new)
    return tuple(Clause(_rebind(c.pattern, rest), next(rest)) for c in old)


def _rebind(pattern: Pattern, new: Iterator[Expr]) -> Pattern:
    """Return a pattern with its variables replaced by those that `new` yields, in order."""
    match pattern:
        case PatternVar():
            return replace(pattern, var=next(new))
        case PatternConstructor(_, patterns) | PatternTuple(patterns):
            return replace(pattern, patterns=tuple(_rebind(p, new) for p in patterns))
        case _:
            return pattern


Edges: TypeAlias = Callable[[Expr], Sequence[Expr]]
"""A function that returns the subexpressions of a node to visit, such as `children`."""


def outside_kernels(expr: Expr) -> Sequence[Expr]:
    """Return the subexpressions of a node; none for a fused function."""
    if isinstance(expr, Function) and expr.is_primitive:
        return ()
    parts = _PARTS.get(type(expr))  # as `children`, without another call: passes spend time here
    return () if parts is None else parts(expr)


def value_parts(expr: Expr) -> Sequence[Expr]:
    """Return the subexpressions whose values a node uses: not an operator or bound variables.

    >>> from relay.ir.expr import GlobalVar, Var
    >>> x = Var("x")
    >>> value_parts(Call(GlobalVar("f"), (x,))) == (x,)
    True
    """
    match expr:
        case Call(_, args):
            return args
        case Let(_, value, body):
            return value, body
        case Function(_, body):
            return (body,)
        case _:
            return children(expr)


_LONG = 500  # nodes of a function whose order is kept
_latest: dict[Edges, tuple[ref[Function], list[Expr]]] = {}
"""The order of the latest long function, without itself, for the edges that most passes walk along.

Most passes leave a program as it is, and each walks through it: without this, the same order would
be found about fifty times. It does not keep the function alive.
"""


def _forget(gone: ref[Function]) -> None:
    for edges, (function, _) in list(_latest.items()):
        if function is gone:
            del _latest[edges]


def post_order(*roots: Expr, edges: Edges = children) -> list[Expr]:
    """Return all nodes reachable from `roots`, each once, children before parents."""
    for root in roots:
        require(Expr, "the program to traverse", root)
    if len(roots) != 1 or not isinstance(roots[0], Function) or edges not in _KEPT:
        return _ordered(roots, edges)
    function, latest = roots[0], _latest.get(edges)
    if latest is not None and latest[0]() is function:
        return [*latest[1], function]
    order = _ordered(roots, edges)
    if len(order) >= _LONG:
        _latest[edges] = ref(function, _forget), order[:-1]
    return order


_KEPT: Sequence[Edges] = (children, outside_kernels)


def _ordered(roots: Sequence[Expr], edges: Edges) -> list[Expr]:
    order: list[Any] = []
    seen: set[Expr] = set()
    enter, leave = seen.add, order.append  # passes spend much of their time in these lines
    # An opened node, with an iterator over its parts that are not visited; None for the roots.
    waiting: list[tuple[Any, Iterator[Expr]]] = [(None, iter(roots))]
    while waiting:
        opened, parts = waiting[-1]
        for expr in parts:
            if expr in seen:
                continue
            enter(expr)
            inner = edges(expr)
            if inner:
                waiting.append((expr, iter(inner)))
                break
            leave(expr)
        else:
            waiting.pop()
            leave(opened)
    order.pop()
    return order


def fold(root: Expr, visit: Callable[[Expr, list[T]], T], *, edges: Edges = children) -> T:
    """Compute a result for `root` bottom-up, from the results of its subexpressions.

    `visit(expr, results)` is called once for each distinct node, with the results of the nodes in
    `edges(expr)`.
    """
    results: dict[Expr, T] = {}
    for expr in post_order(root, edges=edges):
        results[expr] = visit(expr, [results[child] for child in edges(expr)])
    return results[root]


def rewrite(root: Expr, rule: Callable[[Expr], Expr], *, edges: Edges = outside_kernels) -> Expr:
    """Rebuild `root` bottom-up: `rule` is applied to each node once, after its children.

    Returns `root` itself if the rule changes nothing. `edges` returns either all children of a node
    or none; in the latter case, the node is passed to the rule unchanged.
    """

    def visit(expr: Expr, new: list[Expr]) -> Expr:
        return rule(with_children(expr, new) if new else expr)

    return fold(root, visit, edges=edges)


def free_vars(root: Expr) -> list[Var]:
    """Return the free variables of an expression, in order of first occurrence."""
    order = post_order(root)
    bound = {var for expr in order for var in binders(expr)}
    return [expr for expr in order if isinstance(expr, Var) and expr not in bound]


def binders(expr: Expr) -> list[Var]:
    """Return the variables that a node binds, without those that its children bind."""
    match expr:
        case Let(var):
            return [var]
        case Function(params):
            return list(params)
        case Match(_, clauses):
            return [var for clause in clauses for var in bound_by(clause.pattern)]
        case _:
            return []


def substitute(root: Expr, values: "dict[Var, Expr]") -> Expr:
    """Replace free variables by expressions; no bound variable may be a key of `values`."""

    def rule(expr: Expr) -> Expr:
        return values.get(expr, expr) if isinstance(expr, Var) else expr

    return rewrite(root, rule, edges=children)
