"""Fold constant expressions while a program is imported."""

from collections.abc import Sequence

from relay.ir.dims import product
from relay.ir.expr import Constant, Expr, Function, Let
from relay.ir.match_patterns import Match
from relay.ir.types import TensorType
from relay.ir.walk import outside_kernels, rewrite
from relay.ops.shape_arithmetic import sizes_of
from relay.transform.effects import Effectful
from relay.transform.fold_constants import FoldConstants

_FOLD = FoldConstants()


def computed(expr: Expr, most: int) -> Expr:
    """Return the value of a constant expression with at most `most` elements, else `expr`."""
    ty = expr.ty
    is_small = isinstance(ty, TensorType) and product(ty.shape) in range(most + 1)
    if not is_small:
        return expr
    effectful = Effectful()
    return rewrite(expr, lambda e: _FOLD.folded(e, effectful), edges=_operands_outside_bindings)


def with_static_sizes(expr: Expr) -> Expr:
    """Return the value of integers computed from static sizes of tensors, else `expr`.

    Other sizes of these tensors may be open.
    """
    if not isinstance(expr.ty, TensorType) or not expr.tensor_type.dtype.is_integer:
        return expr
    found = sizes_of(expr)
    if found is None or not all(isinstance(each, int) for each in found.flat):
        return expr
    return Constant(found.astype(expr.tensor_type.dtype.numpy), span=expr.span)


def _operands_outside_bindings(expr: Expr) -> Sequence[Expr]:
    """Return the operands of a node; none if it binds variables, so that it is not copied.

    A copy of such a node would bind its variables a second time.
    """
    return () if isinstance(expr, Let | Function | Match) else outside_kernels(expr)
