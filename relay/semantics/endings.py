"""Where functions end: what comes last, through lets, branches and matches."""

from collections.abc import Iterator

from relay.ir.expr import Expr, Function, If, Let
from relay.ir.patterns import Match
from relay.ir.walk import post_order


def endings(root: Function) -> Iterator[int]:
    """Yield the lets and matches with which a function or one inside of it ends, by identity."""
    waiting: list[Expr] = [each.body for each in post_order(root) if isinstance(each, Function)]
    seen = set[int]()
    while waiting:
        expr = waiting.pop()
        if id(expr) in seen:
            continue
        seen.add(id(expr))
        match expr:
            case Let(_, _, body):
                yield id(expr)
                waiting.append(body)
            case If(_, then, other):
                waiting += then, other
            case Match(clauses=clauses):
                yield id(expr)
                waiting += (clause.body for clause in clauses)
            case _:
                pass
