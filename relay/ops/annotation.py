"""Annotations: operators that change no value."""

from collections.abc import Sequence

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.example import Example
from relay.opdef.layout import Layout
from relay.opdef.relayout import ArgLayout, Relayout
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


@operator("annotation.checkpoint")
class Checkpoint(OperatorDef):
    """Return the data; derivatives compute it again on the way back, instead of keeping its parts.

    What is kept are earlier checkpoints, and inputs. The data lead to the checkpoint through calls
    of operators and functions; branches and matches on the way are kept, too.
    """

    examples = (Example("f32[2, 3]"), Example("i64[]"))

    def infer(self, data: TensorType) -> TensorType:
        return data

    def decompose(self, *args: Expr) -> Expr:
        return args[0]

    def reference(self, data: Array) -> Array:
        return data

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (d_out,)


@operator("annotation.barrier")
class Barrier(OperatorDef):
    """Return the data, which is not used before `after` is known; it is not another expression.

    So what is computed from it is not taken for what was computed from the data before.
    """

    fusion = Fusion.OPAQUE
    examples = (Example("f32[2, 3]", "f32[4]"), Example("i64[2]", "f32[]"))

    def infer(self, data: TensorType, after: TensorType) -> TensorType:
        return data

    def compute(self, data: te.Tensor, after: te.Tensor) -> te.Tensor:
        return te.compute(data.shape, lambda *i: data[i], name="barrier")

    def reference(self, data: Array, after: Array) -> Array:
        return data

    def keeps_order(self, *types: TensorType) -> bool:
        return True

    def relayout(self, types: Sequence[Type], layouts: Sequence[ArgLayout]) -> Relayout | None:
        found = layouts[0]
        return Relayout(self, tuple(layouts), found) if isinstance(found, Layout) else None

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (d_out, None)
