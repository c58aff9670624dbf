"""Tail positions: expressions whose value is the value of the enclosing function.

A call in tail position reuses the stack frame of the enclosing call, so a loop that is written as a
recursion runs in constant memory.
"""

from collections.abc import Collection, Iterable, Sequence

from relay.ir.expr import Call, Expr, Function, If, Let
from relay.ir.match_patterns import Match
from relay.ir.walk import Edges, children, post_order

NOTHING: tuple[()] = ()


def tail_parts(expr: Expr) -> Sequence[Expr]:
    """Return subexpressions whose value is the value of `expr`, such as both sides of an `if`."""
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
    """Return both sides of an `if`; nothing for other expressions."""
    return (expr.then, expr.other) if isinstance(expr, If) else NOTHING


def tail_positions(functions: Iterable[Function]) -> Collection[Expr]:
    """Return the expressions in tail position of functions and of functions nested in them."""
    bodies = [each.body for each in post_order(*functions) if isinstance(each, Function)]
    return set(post_order(*bodies, edges=tail_parts))


def tail_values(root: Expr, parts: Edges = tail_parts) -> list[Expr]:
    """Return the innermost expressions in tail position of `root`; at run time, one is its value.

    `parts` returns the subexpressions of a node that are in tail position.
    """
    return [each for each in post_order(root, edges=parts) if not parts(each)]


def tail_calls(functions: Iterable[Function]) -> Collection[Call]:
    """Return the calls in tail position of functions or of functions nested in them.

    A call that is used elsewhere as well is not a tail call, because its value is needed there.

    >>> from relay.ir.expr import Var
    >>> f, x = Var("f"), Var("x")
    >>> inner, last = Call(f, (x,)), Call(f, (x,))
    >>> tail_calls([Function((f, x), Let(Var("y"), inner, last))]) == {last}
    True
    """
    function_of: dict[Expr, Expr | None] = {}  # None for no function or several
    order = post_order(*functions)
    for expr in reversed(order):  # users before operands
        own = expr if isinstance(expr, Function) else function_of.get(expr)
        tail = (
            {expr.body}
            if isinstance(expr, Function)
            else set(tail_parts(expr)) - _evaluated_first(expr)
        )
        for child in children(expr):
            here = own if child in tail else None
            function_of[child] = here if function_of.get(child, here) is here else None
    return {e for e in order if isinstance(e, Call) and function_of.get(e) is not None}


def _evaluated_first(expr: Expr) -> set[Expr]:
    """Return the operand evaluated before a tail position: a let's value, or a condition."""
    match expr:
        case Let(value=first) | If(condition=first) | Match(data=first):
            return {first}
        case _:
            return set()
