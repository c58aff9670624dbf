"""The operator `where`: elementwise selection between two tensors."""

from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.scalar import Scalar
from relay.opdef import checks
from relay.opdef.definition import Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.broadcasting import sum_to_shape_of
from relay.ops.creation import number
from relay.ops.families import ANYTHING, Pointwise, read_static_broadcast, type_of


@operator("where")
class Where(Pointwise):
    """The element of `x` where `condition` is nonzero, else the element of `y`.

    The three arguments broadcast. The condition may have any element type; `x` and `y` must have
    the same one (`T102`), which is that of the result.
    """

    precision = Precision.FOLLOW
    examples = (
        Example("bool[3, 4]", "f32[3, 4]", "f32[3, 4]"),
        Example("bool[3, 1]", "f64[4]", "f64[]"),
        Example("i32[4]", "i64[2, 1]", "i64[4]"),
        Example("f32[5]", "bf16[]", "bf16[]"),
        Example("bool[]", "bool[2]", "bool[2]"),
        Example("bool[1]", "f32[0, 2]", "f32[2]"),
    )

    def infer(self, condition: TensorType, x: TensorType, y: TensorType) -> TensorType:
        checks.same_dtype(self.name, x, y)
        checks.kind(self.name, "condition", condition, *ANYTHING)
        return TensorType(checks.broadcast(self.name, condition.shape, x.shape, y.shape), x.dtype)

    def compute(self, condition: te.Tensor, x: te.Tensor, y: te.Tensor) -> te.Tensor:
        def element(*i: Scalar) -> Scalar:
            return te.select(
                te.cast(read_static_broadcast(condition, i), "bool"),
                read_static_broadcast(x, i),
                read_static_broadcast(y, i),
            )

        shape = self.infer(*map(type_of, (condition, x, y))).shape
        return te.compute(shape, element, name=self.name)

    def reference(self, condition: Array, x: Array, y: Array) -> Array:
        return np.where(condition != 0, x, y)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative for the operand that was selected, and zero for the other."""
        condition, x, y = call.args
        zero = number(0, d_out)
        chosen, other = where(condition, d_out, zero), where(condition, zero, d_out)
        return (None, sum_to_shape_of(chosen, x), sum_to_shape_of(other, y))


def where(condition: Expr, x: Expr, y: Expr) -> Call:
    """Return `x` where the condition is nonzero, else `y`, as an expression."""
    return Call(Where(), (condition, x, y))
