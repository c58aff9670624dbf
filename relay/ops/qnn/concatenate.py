"""The operator `qnn.concatenate`, for quantised tensors with different scales and zero points."""

import numpy as np

from relay.ir.expr import Array, Call, Expr, Tuple, TupleGetItem
from relay.ir.types import TensorType, TupleType, Type
from relay.opdef import checks
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.qnn.elementwise import requantised, requantised_array
from relay.ops.qnn.scale_and_zero_point import (
    are_known_equal,
    require_quantised,
    require_scalar_parameters,
    saturated,
    saturated_array,
)
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.dim_arithmetic import tensor_types
from relay.support.dtype import dtype


@operator("qnn.concatenate")
class QuantisedConcatenate(OperatorDef):
    """Concatenate a tuple of quantised tensors along `axis`, each with a scale and a zero point.

    `input_scales`, float32, and `input_zero_points`, int32, are tuples with a scalar for each
    tensor; the result has one scale and one zero point.
    """

    axis: int = 0

    quantised = True
    precision = Precision.KEEP
    examples = (
        Example(
            ["i8[2, 3]", "i8[1, 3]"], ["f32[]", "f32[]"], ["i32[]", "i32[]"], "f32[]", "i32[]",
            domain=(-90, 90), values={1: [0.5, 0.25], 2: [1, -2], 3: 0.5, 4: 1},
        ),
    )  # fmt: skip

    def infer(
        self,
        data: Type,
        input_scales: Type,
        input_zero_points: Type,
        output_scale: TensorType,
        output_zero_point: TensorType,
    ) -> TensorType:
        types, scales = tensor_types(self.name, data), tensor_types(self.name, input_scales)
        zeros = tensor_types(self.name, input_zero_points)
        fits = len(types) == len(scales) == len(zeros)
        checks.attribute(self.name, fits, "pass one scale and one zero point for each tensor")
        for ty, scale, zero in zip(types, scales, zeros, strict=True):
            require_quantised(self.name, "every tensor", ty)
            require_scalar_parameters(self.name, "input", scale, zero)
        require_scalar_parameters(self.name, "output", output_scale, output_zero_point)
        return Concatenate(self.axis).infer(TupleType(types))

    def decompose(
        self, data: Expr, input_scales: Expr, input_zero_points: Expr, output_scale: Expr,
        output_zero_point: Expr,
    ) -> Expr:  # fmt: skip
        """Return the concatenation of the tensors, requantised if their parameters differ."""
        parts: list[Expr] = []
        for n in range(len(tensor_types(self.name, data.type))):
            part, scale, zero = (
                each.fields[n] if isinstance(each, Tuple) else TupleGetItem(each, n)
                for each in (data, input_scales, input_zero_points)
            )
            if not (
                are_known_equal(scale, output_scale) and are_known_equal(zero, output_zero_point)
            ):
                wide = requantised(part, scale, zero, (output_scale, output_zero_point))
                part = saturated(wide, part.tensor_type.dtype)
            parts.append(part)
        return Call(Concatenate(self.axis), (Tuple(tuple(parts)),))

    def reference(
        self, data: tuple[Array, ...], input_scales: tuple[Array, ...],
        input_zero_points: tuple[Array, ...], output_scale: Array, output_zero_point: Array,
    ) -> Array:  # fmt: skip
        rows = zip(data, input_scales, input_zero_points, strict=True)
        parts = [requantised_array(*row, (output_scale, output_zero_point)) for row in rows]
        return np.concatenate(
            [saturated_array(part, dtype(data[0].dtype)) for part in parts], self.axis
        )
