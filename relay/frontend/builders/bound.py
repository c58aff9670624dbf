"""Values that are computed before a loop instead of in each step.

A shared node is computed where something first asks for it. If steps of a loop alone ask for a
value that may stop the program, each of them would compute it again: a compiler must not move it
out of a loop that perhaps has no step. A node of a model is computed once, so variables
stand for the values.
"""

from collections.abc import Callable, Container, Sequence

from relay.ir.expr import Expr, Let, Tuple, TupleGetItem, Var


def behind(lets: Sequence[tuple[Var, Expr]], results: Sequence[Expr]) -> list[Expr]:
    """Return results, each of which is computed behind lets."""
    if not lets:
        return list(results)
    whole: Expr = Tuple(tuple(results))
    for var, value in reversed(lets):
        whole = Let(var, value, whole)
    return [TupleGetItem(whole, index) for index in range(len(results))]


def bound(
    values: Sequence[Expr],
    uncertain: Container[Expr],
    then: Callable[[Sequence[Expr]], Sequence[Expr]],
) -> list[Expr]:
    """Return what is made of values; before it, those that may stop the program are computed."""
    lets = {each: Var("given", each.type) for each in values if each in uncertain}
    results = then([lets.get(each, each) for each in values])
    return behind([(var, each) for each, var in lets.items()], results)
