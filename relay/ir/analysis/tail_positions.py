"""Tail positions: the places of the expressions whose value is that of the whole.

Nothing is left to do after a call in tail position but to pass its result on. It takes the place of
the call of the function around it, so that a loop written as a recursion needs no more memory the
longer it runs.
"""

from collections.abc import Collection, Iterable, Sequence

from relay.ir.expr import Call, Expr, Function, If, Let
from relay.ir.patterns import Match
from relay.ir.walk import Edges, children, post_order

NOTHING: tuple[()] = ()


def tail_parts(expr: Expr) -> Sequence[Expr]:
    """Return the parts of an expression that are in tail position if it is."""
    match expr:
        case Let(body=body):
            return (body,)
        case If():
            return branches(expr)
        case Match(clauses=clauses):
            return [clause.body for clause in clauses]
        case _:
            return NOTHING


def branches(expr: Expr) -> Sequence[Expr]:
    """Return those parts where a condition chooses between them."""
    return (expr.then, expr.other) if isinstance(expr, If) else NOTHING


def tail_positions(functions: Iterable[Function]) -> Collection[Expr]:
    """Return all expressions in tail position of functions, or of those inside of them."""
    bodies = [each.body for each in post_order(*functions) if isinstance(each, Function)]
    return set(post_order(*bodies, edges=tail_parts))


def tail_values(root: Expr, parts: Edges = tail_parts) -> list[Expr]:
    """Return the expressions of which one gives the value of another: the last in tail position."""
    return [each for each in post_order(root, edges=parts) if not parts(each)]


def tail_calls(functions: Iterable[Function]) -> Collection[Call]:
    """Return the calls with which functions, or those inside of them, end.

    A call that is also used elsewhere is none: its value is needed there.

    >>> from relay.ir.expr import Var
    >>> f, x = Var("f"), Var("x")
    >>> inner, last = Call(f, (x,)), Call(f, (x,))
    >>> tail_calls([Function((f, x), Let(Var("y"), inner, last))]) == {last}
    True
    """
    function_of: dict[Expr, Expr | None] = {}  # the one that a node ends; None for no or several
    order = post_order(*functions)
    for expr in reversed(order):  # users before what they use
        own = expr if isinstance(expr, Function) else function_of.get(expr)
        tail = {expr.body} if isinstance(expr, Function) else set(tail_parts(expr)) - _decided(expr)
        for child in children(expr):
            here = own if child in tail else None
            function_of[child] = here if function_of.get(child, here) is here else None
    return {e for e in order if isinstance(e, Call) and function_of.get(e) is not None}


def _decided(expr: Expr) -> set[Expr]:
    """Return the part that is computed before those in tail position, if there is one."""
    match expr:
        case Let(value=first) | If(condition=first) | Match(data=first):
            return {first}
        case _:
            return set()
