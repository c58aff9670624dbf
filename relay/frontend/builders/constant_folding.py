"""Fold constant expressions while a program is imported."""

from collections.abc import Sequence

from relay.ir.dims import product
from relay.ir.expr import Expr, Function, Let
from relay.ir.match_patterns import Match
from relay.ir.types import TensorType
from relay.ir.walk import outside_kernels, rewrite
from relay.transform.effects import Effectful
from relay.transform.fold_constants import FoldConstants


def computed(expr: Expr, most: int) -> Expr:
    """Return the value of a constant expression with at most `most` elements, else None."""
    ty = expr.ty
    is_small = isinstance(ty, TensorType) and product(ty.shape) in range(most + 1)
    if not is_small:
        return expr
    effectful = Effectful()
    return rewrite(
        expr, lambda e: FoldConstants().folded(e, effectful), edges=_operands_outside_bindings
    )


def _operands_outside_bindings(expr: Expr) -> Sequence[Expr]:
    """Return the operands of a node; none if it binds variables, so that it is not copied.

    A copy of such a node would bind its variables a second time.
    """
    return () if isinstance(expr, Let | Function | Match) else outside_kernels(expr)
