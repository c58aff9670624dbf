"""`leave_one_out_product`: for each element, the product of the others along an axis."""

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
from relay.ops.binary import add, multiply
from relay.ops.families import FLOATS, accumulator_dtype
from relay.ops.tensor.linear_recurrence import LinearRecurrence
from relay.ops.tensor.loop_nests import rows
from relay.ops.tensor.scan import Cumprod
from relay.ops.tensor.transpose import Reverse
from relay.support.dtype import dtype


@operator("leave_one_out_product")
class LeaveOneOutProduct(OperatorDef):
    """Return, for each element, the product of all other elements along `axis`. Takes floats.

    It is the derivative of a product, and does not divide: zeros are like other numbers. Half
    precision is multiplied in float32. Rank at least 1.
    """

    axis: int

    examples = (
        Example("f64[4]", axis=0),
        Example("f64[4]", axis=0, values={0: [0.0, 2.0, 0.0, 3.0]}),
        Example("f32[2, 3, 2]", axis=1),
        Example("f16[3]", axis=-1, tolerance=1e-3),
        Example("f32[2, 0]", axis=1),
    )

    def infer(self, x: TensorType) -> TensorType:
        checks.kind(self.name, "x", x, *FLOATS)
        checks.axis(self.name, self.axis, x.rank)
        return x

    def compute(self, x: te.Tensor) -> te.Tensor:
        axis, wide = self.axis % len(x.shape), accumulator_dtype(x.dtype)
        size = x.shape[axis]

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (data,), (out,) = te.LoopBuilder(), inputs, outputs
            with rows(b, out.shape, axis) as (before, behind):
                first = b.scratch((size,), wide, "first")
                product = b.cell(1.0, wide, "product")
                with b.for_(size, "t") as t:
                    b.store(first, (t,), product.value)
                    product.value = product.value * te.cast(data[(*before, t, *behind)], wide)
                product.value = te.const(1.0, wide)
                with b.for_(size, "step") as step:
                    t = b.let(lift(size) - 1 - step, "t")
                    i = (*before, t, *behind)
                    b.store(out, i, te.cast(first[t] * product.value, x.dtype))
                    product.value = product.value * te.cast(data[i], wide)
            return b.finish()

        return te.loops([(x.shape, x.dtype)], [x], build, self.name)[0]

    def reference(self, x: Array) -> Array:
        wide = x.astype(accumulator_dtype(dtype(x.dtype)).numpy)
        found = np.ones_like(wide)
        lines, results = (np.moveaxis(each, self.axis, 0) for each in (wide, found))
        for at in range(len(lines)):
            others = np.delete(lines, at, 0)
            results[at] = np.multiply.reduce(others, 0)
        return found.astype(x.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative, as that of the product before each element times that after it."""
        (x,) = call.args
        products, turn = Cumprod(self.axis, None, exclusive=True), Reverse(self.axis)
        before = Call(products, (x,))
        behind = Call(turn, (Call(products, (Call(turn, (x,)),)),))
        d_before, d_behind = (
            multiply(part, Call(LinearRecurrence(self.axis, reverse), (x, multiply(d_out, other))))
            for part, other, reverse in ((before, behind, True), (behind, before, False))
        )
        return (add(d_before, d_behind),)
