"""A product with a constant matrix is a dense layer: its weight can lie as the machine likes."""

import math
from typing import cast

from relay.ir.expr import Call, Constant, Expr, Function
from relay.ir.walk import rewrite
from relay.ops.nn.matmul import BatchMatmul, Dense, Matmul
from relay.support.node import value
from relay.transform.pipeline import FunctionPass


@value
class TurnWeights(FunctionPass):
    """Replace products by one constant matrix by dense layers, whose weights layouts know about.

    1. `matmul(x, W)` is `dense(x, Wᵀ)`.
    2. `batch_matmul(x, W)` is too, where all of its batches multiply by the same matrix.

    The data must not be transposed.
    """

    def run(self, function: Function) -> Function:
        """Rewrite from the leaves up."""
        return cast("Function", rewrite(function, _turned))


def _turned(expr: Expr) -> Expr:
    match expr:
        case Call(
            (Matmul(transpose_a=False) | BatchMatmul(transpose_a=False)) as op,
            (data, Constant(matrix) as weight),
        ) if math.prod(matrix.shape[:-2]) == 1 and matrix.ndim <= data.tensor_type.rank:
            plain = matrix.reshape(matrix.shape[-2:])
            turned = plain if op.transpose_b else plain.T
            constant = Constant(turned, span=weight.span)
            return Call(Dense(out_dtype=op.out_dtype), (data, constant), span=expr.span)
        case _:
            return expr
