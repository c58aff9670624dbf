"""The pass that combines batched matrix products with one common operand into one product."""

from collections.abc import Hashable, Sequence

from relay.ir.expr import Call, Expr
from relay.ops.nn.matmul import BatchMatmul
from relay.support.node import value
from relay.transform.combine.combine_parallel import CombineParallel, Replacements, Uses
from relay.transform.combine.concatenated_operators import concatenated, with_followers


@value
class CombineParallelBatchMatmul(CombineParallel):
    """Combine products `x · wᵀ` of one batch of matrices into one with concatenated weights.

    1. In each product, only the second matrix is transposed; these matrices may differ in their
       number of rows, but not in their other sizes.
    2. Equal elementwise operators that read the products are combined, too.
    """

    def key(self, call: Call) -> Hashable | None:
        """Return the attributes of a product and all sizes except the number of rows."""
        match call.op:
            case BatchMatmul(transpose_a=False, transpose_b=True) as op:
                weight = call.args[1].tensor_type
                return op, weight.shape[:-2], weight.shape[-1], weight.dtype
            case _:
                return None

    def combined(self, data: Expr, branches: Sequence[Call], uses: Uses) -> Replacements:
        """Return slices of one product that replace the products `branches`."""
        weights = [call.args[1] for call in branches]
        joined = concatenated(weights, weights[0].tensor_type.rank - 2)
        product = Call(branches[0].op, (data, joined), span=branches[0].span)
        return with_followers(product, branches, product.tensor_type.rank - 1, uses)
