"""Bind values to variables before a loop, so that its steps do not recompute them.

A shared expression is computed on first use. If only the steps of a loop use an expression that may
trap, each step computes it again, because a compiler must not hoist it out of a loop that may run
zero times. Importers must compute each node of a model once, so they bind such expressions.
"""

from collections.abc import Callable, Container, Sequence

from relay.ir.expr import Expr, Let, Tuple, TupleGetItem, Var


def behind(lets: Sequence[tuple[Var, Expr]], results: Sequence[Expr]) -> list[Expr]:
    """Return expressions equal to `results`, in which the variables of `lets` are bound.

    `lets` are pairs of a variable and its value.
    """
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
    """Return the expressions that `then` builds from `values`.

    Values in `uncertain` may trap (fail at run time). Each of them is bound to a variable before
    the results, and `then` receives the variable in its place.
    """
    lets = {each: Var("given", each.type) for each in values if each in uncertain}
    results = then([lets.get(each, each) for each in values])
    return behind([(var, each) for each, var in lets.items()], results)


def bound_among(
    values: Sequence[object],
    uncertain: Container[Expr],
    then: Callable[[Sequence[object]], Sequence[Expr]],
) -> list[Expr]:
    """Call `bound` with those `values` that are expressions; `then` gets the others unchanged."""
    exprs = [each for each in values if isinstance(each, Expr)]

    def built(given: Sequence[Expr]) -> Sequence[Expr]:
        rest = iter(given)
        return then([next(rest) if isinstance(each, Expr) else each for each in values])

    return bound(exprs, uncertain, built)
