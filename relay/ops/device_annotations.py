"""Operators that assign values to devices without changing them."""

from collections.abc import Sequence

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator


class _Identity(OperatorDef):
    """The base of operators that return a tensor unchanged."""

    fusion = Fusion.OPAQUE

    def infer(self, data: TensorType) -> TensorType:
        return data

    def keeps_order(self, *types: TensorType) -> bool:
        return True

    def compute(self, data: te.Tensor) -> te.Tensor:
        return te.compute(data.shape, lambda *i: data[i], name="same")

    def reference(self, data: Array) -> Array:
        return data


@operator("on_device")
class OnDevice(_Identity):
    """Return `data`, and annotate that it is computed on `virtual_device`; "cpu" is the host.

    `constrain_body` places the computation of `data` on the device, `constrain_result` the
    consumers of the result. Operators between two such annotations are on one device. `PlanDevices`
    removes the annotations, and inserts copies where devices differ. The derivative is not
    annotated.
    """

    virtual_device: str = ""
    constrain_result: bool = False
    constrain_body: bool = True

    examples = (Example("f32[2, 3]", virtual_device="cpu"), Example("i64[]"))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (d_out,)


@operator("device_copy")
class DeviceCopy(_Identity):
    """Copy `data` from `src_virtual_device` to `dst_virtual_device`; "" is the host."""

    src_virtual_device: str = ""
    dst_virtual_device: str = ""

    examples = (Example("f32[2, 3]"), Example("bool[4]", dst_virtual_device="cpu"))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        back = DeviceCopy(self.dst_virtual_device, self.src_virtual_device)
        return (Call(back, (d_out,)),)
