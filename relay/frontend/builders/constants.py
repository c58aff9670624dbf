"""Fold expressions of constants while building."""

from collections.abc import Sequence

from relay.ir.dims import product
from relay.ir.expr import Expr, Function, Let
from relay.ir.patterns import Match
from relay.ir.types import TensorType
from relay.ir.walk import outside_kernels, rewrite
from relay.transform.effects import Effectful
from relay.transform.fold_constants import FoldConstants


def computed(expr: Expr, most: int) -> Expr:
    """Return the value of an expression of constants with few elements, such as a shape."""
    ty = expr.ty
    is_small = isinstance(ty, TensorType) and product(ty.shape) in range(most + 1)
    if not is_small:
        return expr
    effectful = Effectful()
    return rewrite(expr, lambda e: FoldConstants().folded(e, effectful), edges=_before_loops)


def _before_loops(expr: Expr) -> Sequence[Expr]:
    """Return the children, but skip nodes that bind variables: a copy would bind them again."""
    return () if isinstance(expr, Let | Function | Match) else outside_kernels(expr)
