"""Use counts of the values of a program."""

from collections import Counter

from relay.ir.expr import Expr
from relay.ir.walk import outside_kernels, post_order


def use_counts(root: Expr) -> Counter[Expr]:
    """Return for each node how often it is used."""
    counts: Counter[Expr] = Counter()
    for expr in post_order(root, edges=outside_kernels):
        counts.update(outside_kernels(expr))
    return counts
