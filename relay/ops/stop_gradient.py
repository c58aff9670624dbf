"""The operator `stop_gradient`, whose argument derivatives treat as a constant."""

from collections.abc import Sequence

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator


@operator("stop_gradient")
class StopGradient(OperatorDef):
    """Return `data`; its derivative is zero. Takes any shape and element type.

    `stop_gradient(f - g) + g` has the value of `f` and the derivatives of `g`.
    """

    examples = (
        Example("f32[2, 3]", differentiable=False),
        Example("i64[]"),
    )

    def infer(self, data: TensorType) -> TensorType:
        return data

    def decompose(self, *args: Expr) -> Expr:
        return args[0]

    def reference(self, data: Array) -> Array:
        return data

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (None,)
