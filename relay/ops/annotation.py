"""Annotations: operators that change no value."""

from collections.abc import Sequence

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator


@operator("annotation.stop_fusion")
class StopFusion(OperatorDef):
    """Return the data in memory of its own: what makes it, and what reads it, are two kernels."""

    fusion = Fusion.OPAQUE
    examples = (Example("f32[2, 3]"), Example("bool[4]"), Example("f64[]"))

    def infer(self, data: TensorType) -> TensorType:
        return data

    def compute(self, data: te.Tensor) -> te.Tensor:
        return te.compute(data.shape, lambda *i: data[i], name="stop_fusion")

    def reference(self, data: Array) -> Array:
        return data.copy()

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (Call(self, (d_out,)),)
