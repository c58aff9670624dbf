"""The operator `qnn.avg_pool2d`: the mean of each window of quantised images."""

from typing import ClassVar

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.opdef.definition import Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.nn.pool_base import Windowed
from relay.ops.nn.pool_operators import AvgPool2D
from relay.ops.qnn.elementwise import requantised, requantised_array
from relay.ops.qnn.scale_and_zero_point import (
    require_quantised,
    require_scalar_parameters,
    saturated,
    saturated_array,
)
from relay.support.dtype import dtype
from relay.support.node import set_field


@operator("qnn.avg_pool2d")
class QuantisedAvgPool2D(Windowed):
    """Return the mean of each window of quantised `(N, C, H, W)`, truncated to an integer.

    The attributes are those of `nn.avg_pool2d`; all scales and zero points are scalars.
    """

    layout: str = "NCHW"
    count_include_pad: bool = False

    quantised = True
    precision = Precision.KEEP
    spatial: ClassVar[str] = "HW"
    examples = (
        Example("i8[1, 2, 5, 6]", "f32[]", "i32[]", "f32[]", "i32[]", pool_size=2, strides=2,
                padding=1, domain=(-90, 90), values={1: 0.05, 2: 2, 3: 0.11, 4: -3}),
        Example("u8[1, 4, 4, 2]", "f32[]", "i32[]", "f32[]", "i32[]", pool_size=(2, 3),
                layout="NHWC", domain=(0, 200), values={1: 0.5, 2: 9, 3: 0.5, 4: 9}),
    )  # fmt: skip

    def __post_init__(self) -> None:
        super(QuantisedAvgPool2D, self).__post_init__()
        set_field(self, "count_include_pad", bool(self.count_include_pad))

    def infer(
        self,
        data: TensorType,
        input_scale: TensorType,
        input_zero_point: TensorType,
        output_scale: TensorType,
        output_zero_point: TensorType,
    ) -> TensorType:
        require_quantised(self.name, "data", data)
        require_scalar_parameters(self.name, "input", input_scale, input_zero_point)
        require_scalar_parameters(self.name, "output", output_scale, output_zero_point)
        return self.pooled_type(data)

    @property
    def _plain(self) -> AvgPool2D:
        names = ("pool_size", "strides", "dilation", "padding", "layout", "out_layout", "ceil_mode")
        shared = {name: getattr(self, name) for name in names}
        return AvgPool2D(**shared, count_include_pad=self.count_include_pad)

    def decompose(self, *args: Expr) -> Expr:
        """Return an expression that requantises to the result's parameters, then averages."""
        data, scale, zero, *out = args
        wide = requantised(data, scale, zero, (out[0], out[1]))
        return saturated(Call(self._plain, (wide,)), data.tensor_type.dtype)

    def reference(self, *arrays: Array) -> Array:
        """Return the result by NumPy: requantised, then averaged."""
        data, scale, zero, *out = arrays
        wide = requantised_array(data, scale, zero, (out[0], out[1])).astype(np.int32)
        return saturated_array(self._plain.reference(wide), dtype(data.dtype))
