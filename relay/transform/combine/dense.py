"""The pass that combines dense layers on one tensor into one product."""

from collections.abc import Hashable, Sequence
from typing import cast

from relay.ir.expr import Call, Expr, Tuple
from relay.ops.nn.matmul import BatchMatmul, Dense
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.reshape import ExpandDims, Squeeze
from relay.support.node import replace, value
from relay.transform.combine.combine_parallel import CombineParallel, Replacements, Uses
from relay.transform.combine.concatenated_operators import concatenated, slices, with_followers


@value
class CombineParallelDense(CombineParallel):
    """Combine dense layers on one tensor into one product.

    1. With `to_batch`, layers on matrices with weights of one shape become one batched product with
       their stacked weights; its parts replace the original results.
    2. Otherwise layers of any width become one layer with concatenated weights; operators that
       follow all of them, unit by unit, are combined, too.
    """

    to_batch: bool = True

    def key(self, call: Call) -> Hashable | None:
        """Return the attributes, the element type and, with `to_batch`, the shape of the weight."""
        if not isinstance(call.op, Dense):
            return None
        data, weight = (arg.tensor_type for arg in call.args)
        common = (replace(call.op, units=None), weight.dtype)
        if not self.to_batch:
            return common
        return (*common, weight.shape) if data.rank == 2 else None

    def combined(self, data: Expr, branches: Sequence[Call], uses: Uses) -> Replacements:
        """Return the parts of one product that replace the dense layers `branches`."""
        op = replace(cast("Dense", branches[0].op), units=None)
        weights = [call.args[1] for call in branches]
        if not self.to_batch:  # case 2
            joined = Call(op, (data, concatenated(weights, 0)), span=branches[0].span)
            return with_followers(joined, branches, joined.tensor_type.rank - 1, uses)
        stacked = Call(Stack(0), (Tuple(tuple(weights)),))
        batch = Call(BatchMatmul(op.out_dtype, transpose_b=True), (_batch_of_one(data), stacked))
        parts = slices(batch, [1] * len(branches), 0)
        return Replacements(branches, [Call(Squeeze((0,)), (part,)) for part in parts])


def _batch_of_one(data: Expr) -> Expr:
    return Call(ExpandDims(0), (data,))
