"""`linear_recurrence`: the states of a linear recurrence along an axis."""

from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.kernels.scalar import lift
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import multiply
from relay.ops.families import FLOATS, accumulator_dtype
from relay.ops.tensor.dim_arithmetic import require_same_shape
from relay.ops.tensor.loop_nests import rows
from relay.support.dtype import dtype
from relay.support.node import replace


@operator("linear_recurrence")
class LinearRecurrence(OperatorDef):
    """Return the state before each step of `state = factor * state + x` along `axis`; floats.

    The first state is 0. `factor` and `x` have one shape, of rank at least 1, and one type; half
    precision is computed in float32. With `reverse`, the steps go from the last element to the
    first.
    """

    axis: int
    reverse: bool = False

    examples = (
        Example("f64[5]", "f64[5]", axis=0),
        Example("f32[2, 4]", "f32[2, 4]", axis=-1, reverse=True),
        Example("f32[3, 2]", "f32[3, 2]", axis=0, values={0: [[0.0, 2], [-1, 0], [0, 1]]}),
        Example("f16[3]", "f16[3]", axis=0, tolerance=1e-3),
        Example("f32[2, 0]", "f32[2, 0]", axis=1),
    )  # fmt: skip

    def infer(self, factor: TensorType, x: TensorType) -> TensorType:
        checks.kind(self.name, "factor", factor, *FLOATS)
        checks.same_dtype(self.name, factor, x)
        require_same_shape(self.name, "sizes", factor.shape, x.shape)
        checks.axis(self.name, self.axis, x.rank)
        return x

    def compute(self, factor: te.Tensor, x: te.Tensor) -> te.Tensor:
        axis, wide = self.axis % len(x.shape), accumulator_dtype(x.dtype)

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (factors, added), (out,) = te.LoopBuilder(), inputs, outputs
            with rows(b, out.shape, axis) as (before, behind):
                state = b.cell(0.0, wide, "state")
                with b.for_(out.shape[axis], "step") as step:
                    at = lift(out.shape[axis]) - 1 - step if self.reverse else step
                    i = (*before, at, *behind)
                    b.store(out, i, te.cast(state.value, x.dtype))
                    state.value = te.cast(factors[i], wide) * state.value + te.cast(added[i], wide)
            return b.finish()

        return te.loops([(x.shape, x.dtype)], [factor, x], build, self.name)[0]

    def reference(self, factor: Array, x: Array) -> Array:
        wide = accumulator_dtype(dtype(x.dtype)).numpy
        lines = [np.moveaxis(each.astype(wide), self.axis, 0) for each in (factor, x)]
        found, state = np.zeros_like(lines[1]), np.zeros(lines[1].shape[1:], wide)
        steps = range(len(found))
        for step in reversed(steps) if self.reverse else steps:
            found[step] = state
            state = lines[0][step] * state + lines[1][step]
        return np.moveaxis(found, 0, self.axis).astype(x.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the states of the recurrence in the other direction, which adds `d_out`."""
        back = Call(replace(self, reverse=not self.reverse), (call.args[0], d_out))
        return multiply(back, call), back
