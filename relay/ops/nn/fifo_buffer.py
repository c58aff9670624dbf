"""The operator `nn.fifo_buffer`, which appends new data to a buffer and drops the oldest."""

import numpy as np

from relay.ir.expr import Array, Call, Expr, Tuple
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.slice import StridedSlice


@operator("nn.fifo_buffer")
class FifoBuffer(OperatorDef):
    """Append `data` to `buffer` along `axis`, and drop as many of its first elements.

    The other sizes are equal, and `data` is no longer than the buffer (`T105`). Takes any element
    type.
    """

    axis: int = 0

    examples = (
        Example("f32[2, 3]", "f32[5, 3]"),
        Example("i64[2, 1]", "i64[2, 4]", axis=-1),
    )

    def infer(self, data: TensorType, buffer: TensorType) -> TensorType:
        checks.same_dtype(self.name, data, buffer)
        checks.rank(self.name, "buffer", buffer, data.rank)
        at = checks.axis(self.name, self.axis, data.rank)
        for axis, (new, old) in enumerate(zip(data.shape, buffer.shape, strict=True)):
            if axis != at:
                checks.size(self.name, f"axis {axis} of buffer", new, old)
        said = "data has {index} elements along the axis, which do not fit into a buffer of {size}"
        checks.enough(self.name, buffer.shape[at], data.shape[at], said)
        return buffer

    def decompose(self, data: Expr, buffer: Expr) -> Expr:
        """Concatenate both, and drop the front."""
        at = self.axis % data.tensor_type.rank
        joined = Call(Concatenate(at), (Tuple((buffer, data)),))
        new, old = data.tensor_type.shape[at], buffer.tensor_type.shape[at]
        return Call(StridedSlice((new,), (new + old,), axes=(at,)), (joined,))

    def reference(self, data: Array, buffer: Array) -> Array:
        joined = np.concatenate([buffer, data], self.axis)
        size = joined.shape[self.axis]
        return joined.take(range(size - buffer.shape[self.axis], size), self.axis)
