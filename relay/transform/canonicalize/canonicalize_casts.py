"""The pass that duplicates widening casts, so that each user can fuse its own cast."""

from typing import cast

from relay.ir.expr import Call, Expr, Function
from relay.ir.use_counts import use_counts
from relay.ir.walk import fold, outside_kernels, with_children
from relay.opdef.definition import Fusion, OperatorDef
from relay.ops.cast import Cast
from relay.support.node import value
from relay.transform.pipeline import FunctionPass


@value
class CanonicalizeCasts(FunctionPass):
    """Write a cast to a wider type once for each of its users, if all of them can fuse with it.

    The cast is then computed inside their kernels, and the narrow tensor is stored in memory.

    1. Users that can fuse with a cast are calls of operators that at most broadcast.
    2. A cast with one user, or with a user of any other kind, stays unchanged.
    """

    def run(self, function: Function) -> Function:
        """Return the function with a separate widening cast for each user that can fuse it."""
        counts = use_counts(function)
        fusing = {e: 0 for e in counts if _widens(e) and counts[e] > 1}

        def count(expr: Expr, _: list[None]) -> None:
            if _can_fuse(expr):
                for part in outside_kernels(expr):
                    if part in fusing:
                        fusing[part] += 1

        if not fusing:
            return function
        fold(function, count, edges=outside_kernels)
        copied = {e for e in counts if e in fusing and fusing[e] == counts[e]}

        def visit(expr: Expr, new: list[Expr]) -> Expr:
            parts = [
                _copy(made) if part in copied else made
                for part, made in zip(outside_kernels(expr), new, strict=True)
            ]
            return with_children(expr, parts) if parts else expr

        return cast("Function", fold(function, visit, edges=outside_kernels))


def _copy(expr: Expr) -> Expr:
    match expr:
        case Call(op, args):
            return Call(op, args, span=expr.span)
        case _:
            return expr


def _widens(expr: Expr) -> bool:
    match expr:
        case Call(Cast(), (x,)):
            return x.tensor_type.dtype.bits < expr.tensor_type.dtype.bits
        case _:
            return False


def _can_fuse(expr: Expr) -> bool:
    match expr:
        case Call(OperatorDef() as op):
            return op.fusion <= Fusion.BROADCAST
        case _:
            return False
