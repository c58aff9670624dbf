"""Data flow analysis of a module through calls of known functions, branches and tuples."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from relay.ir.expr import Call, Expr, If, Let, Tuple, TupleGetItem
from relay.ir.match_patterns import Match
from relay.ir.module import Module
from relay.transform.batching.find_callees import callee, known_functions, nodes_of

T = TypeVar("T")

Part: TypeAlias = tuple[Expr, int | None]
"""An expression and None, or a tuple expression and the index of one of its fields."""

_Edge: TypeAlias = tuple[Expr, int | None, Expr, int | None]
"""Data flow between two parts; if both indices are None, each field flows to the same field."""


def propagate_facts(
    module: Module, begin: Mapping[Part, T | None], is_same: Callable[[T, T], bool]
) -> dict[Part, T | None]:
    """Return the facts about parts of expressions, by part, that follow from the facts `begin`.

    A fact, such as a constant, holds for all values that flow to a part; if a part may hold several
    values, its entry is None. `is_same` compares facts. Values do not flow through data
    constructors. The module is in A-normal form.
    """
    edges: dict[Expr, list[_Edge]] = {}
    for edge in _edges(module, nodes_of(module)):
        edges.setdefault(edge[0], []).append(edge)
    found = dict(begin)
    waiting = list(found)
    while waiting:
        expr, part = waiting.pop()
        for _, its, to, becomes in edges.get(expr, ()):
            whole = its is None and becomes is None
            new, held = (to, part if whole else becomes), found[expr, part]
            if whole or its == part:
                before = found.get(new, held)
                differs = held is None or (before is not None and not is_same(before, held))
                if new not in found or (before is not None and differs):
                    found[new] = held if new not in found else None
                    waiting.append(new)
    return found


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
            case Call(op, args) if (known := callee(op)) is not None and known in functions:
                called = functions[known]
                yield from (_same(a, p) for a, p in zip(args, called.params, strict=True))
                yield _same(called.body, expr)
            case _:
                pass


def _same(one: Expr, other: Expr) -> _Edge:
    return (one, None, other, None)
