"""Counting how often each value of a program is used."""

from collections import Counter

from relay.ir.expr import Expr
from relay.ir.walk import outside_kernels, post_order


def use_counts(root: Expr) -> Counter[Expr]:
    """Return the number of uses of each node of a program, not counting those inside kernels."""
    counts: Counter[Expr] = Counter()
    for expr in post_order(root, edges=outside_kernels):
        counts.update(outside_kernels(expr))
    return counts
