"""Which variables hold, in some calls, a tensor that others hold there too: where states begin."""

from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from relay.ir.expr import Call, Constant, Expr, If, Let, Tuple, TupleGetItem, Var
from relay.ir.module import Module
from relay.ir.patterns import Match
from relay.transform.batching.callees import callee, known_functions, nodes_of

_Part: TypeAlias = tuple[Expr, int | None]
"""What an expression stands for, or one field of that tuple."""

_Edge: TypeAlias = tuple[Expr, int | None, Expr, int | None]
"""One part becomes another; where both fields are None, all fields become the same fields."""


def sometimes_alike(module: Module, invariant: Collection[Var]) -> dict[Var, Constant | None]:
    """Return the variables that may stand for a constant, or for an invariant variable.

    A state that begins with zeros is such a one: the first steps of all sequences, and the leaves
    of all trees, have it alike. This is a guess of what happens often, not of what always does.
    Values are followed through calls of known functions, branches and tuples, but not through data.
    If all that a variable may stand for, as far as that tells, is one constant, it is given.

    The module is in A-normal form.
    """
    nodes = nodes_of(module)
    edges: dict[Expr, list[_Edge]] = {}
    for edge in _edges(module, nodes):
        edges.setdefault(edge[0], []).append(edge)
    begin = [e for e in nodes if isinstance(e, Constant) or e in invariant]
    found: dict[_Part, Constant | None] = {
        (each, None): each if isinstance(each, Constant) else None for each in begin
    }
    waiting = list(found)
    while waiting:
        expr, part = waiting.pop()
        for _, its, to, becomes in edges.get(expr, ()):
            whole = its is None and becomes is None
            new, held = (to, part if whole else becomes), found[expr, part]
            if whole or its == part:
                before = found.get(new, held)
                if new not in found or (before is not None and not _is_same(before, held)):
                    found[new] = held if new not in found else None
                    waiting.append(new)
    return {
        expr: held for (expr, part), held in found.items() if isinstance(expr, Var) and part is None
    }


def _is_same(one: Constant, other: Constant | None) -> bool:
    return other is not None and (
        one.data is other.data or (one.ty is other.ty and np.array_equal(one.data, other.data))
    )


def _edges(module: Module, nodes: Sequence[Expr]) -> Iterator[_Edge]:
    functions = known_functions(module, nodes)
    for expr in nodes:
        match expr:
            case Let(var, value, body):
                yield from (_same(value, var), _same(body, expr))
            case If(_, then, other):
                yield from (_same(then, expr), _same(other, expr))
            case Match(_, clauses):
                yield from (_same(clause.body, expr) for clause in clauses)
            case Tuple(fields):
                yield from ((field, None, expr, i) for i, field in enumerate(fields))
            case TupleGetItem(whole, index):
                yield (whole, index, expr, None)
            case Call(op, args) if (called := functions.get(callee(op) or "")) is not None:
                yield from (_same(a, p) for a, p in zip(args, called.params, strict=True))
                yield _same(called.body, expr)
            case _:
                pass


def _same(one: Expr, other: Expr) -> _Edge:
    return (one, None, other, None)
