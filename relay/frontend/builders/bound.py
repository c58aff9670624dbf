"""Bind values before a loop so that its steps do not recompute them.

A shared node is computed on first use. If only steps of a loop use a value that may trap, each step
would compute it again, because a compiler must not hoist it out of a loop that may have no step. A
node of a model is computed once, so variables bind such values.
"""

from collections.abc import Callable, Container, Sequence

from relay.ir.expr import Expr, Let, Tuple, TupleGetItem, Var


def behind(lets: Sequence[tuple[Var, Expr]], results: Sequence[Expr]) -> list[Expr]:
    """Return results, each wrapped in lets."""
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
    """Return an expression built from values, after binding those that may trap."""
    lets = {each: Var("given", each.type) for each in values if each in uncertain}
    results = then([lets.get(each, each) for each in values])
    return behind([(var, each) for each, var in lets.items()], results)


def bound_among(
    values: Sequence[object],
    uncertain: Container[Expr],
    then: Callable[[Sequence[object]], Sequence[Expr]],
) -> list[Expr]:
    """Return an expression built from values, after binding the expressions among them."""
    exprs = [each for each in values if isinstance(each, Expr)]

    def built(given: Sequence[Expr]) -> Sequence[Expr]:
        rest = iter(given)
        return then([next(rest) if isinstance(each, Expr) else each for each in values])

    return bound(exprs, uncertain, built)
