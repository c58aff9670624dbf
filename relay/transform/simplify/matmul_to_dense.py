"""The pass that turns products with a constant matrix into dense layers."""

import math

from relay.ir.dataflow import Found, is_constant, operators, wildcard
from relay.ir.expr import Call, Constant, Expr
from relay.ops.nn.matmul import BatchMatmul, Dense, Matmul
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule

data, weight = wildcard(), is_constant()
product = operators(Matmul, BatchMatmul, transpose_a=False)
call = product(data, weight)


@value
class MatmulToDense(RewritePass):
    """Replace products with a constant matrix by dense layers, whose weights can be packed.

    1. `matmul(x, W)` becomes `dense(x, Wᵀ)`.
    2. So does `batch_matmul(x, W)`, if all of its batches multiply by the same matrix.

    The data must not be transposed.
    """

    def rules(self) -> tuple[Rule, ...]:
        return (Rule(call, _dense),)


def _dense(found: Found) -> Expr | None:
    op, matrix = found[product], found[weight].array
    if math.prod(matrix.shape[:-2]) != 1 or matrix.ndim > found[data].tensor_type.rank:
        return None
    plain = matrix.reshape(matrix.shape[-2:])
    columns = Constant(plain if op.transpose_b else plain.T, span=found[weight].span)
    return Call(Dense(out_dtype=op.out_dtype), (found[data], columns), span=found[call].span)
