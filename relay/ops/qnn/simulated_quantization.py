"""Simulated quantisation, in floats; a code known at run time selects the integer type."""

from typing import ClassVar

import numpy as np

from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import Maximum, Minimum, add, divide, multiply, subtract
from relay.ops.comparison import equal
from relay.ops.elementwise import Clip, Round
from relay.ops.families import FLOATS
from relay.ops.qnn.scale_and_zero_point import (
    broadcast_parameter,
    broadcast_parameter_array,
    cast,
    require_parameters,
)
from relay.ops.selection import where
from relay.support.dtype import dtype, int32
from relay.support.node import set_field, value

CODES = {"disable": 0, "int8": 1, "uint8": 2, "int32": 3}
"""The codes of element types; 0 means that the data is not quantised."""

_EXAMPLES = tuple(
    Example(
        *("f32[2, 3]", "i32[]", "f32[3]", "i32[3]"),
        domain=(-9, 9),
        values={1: code, 2: [0.1, 0.5, 0.02], 3: [0, 3, -1]},
    )
    for code in CODES.values()
)


@value
class Simulated(OperatorDef):
    """The base of simulated quantisation: data and result are floats.

    The integer type that they represent is selected at run time by an int32 code.
    """

    axis: int = -1

    precision: ClassVar[Precision] = Precision.KEEP
    examples = _EXAMPLES

    def typed(
        self, data: TensorType, code: TensorType, scale: TensorType, zero: TensorType
    ) -> TensorType:
        """Return the type of the result, which is that of the data."""
        checks.kind(self.name, "data", data, *FLOATS)
        checks.rank(self.name, "the code of an element type", code, 0)
        checks.same_dtype(self.name, TensorType((), int32), code)
        require_parameters(self.name, "simulated", scale, zero, data, self.axis)
        return data


@operator("qnn.simulated_quantize")
class SimulatedQuantize(Simulated):
    """The result of `qnn.quantize` as floats, for the type that a run-time code selects.

    The code 0 stands for the unchanged data, 1 for int8, 2 for uint8, 3 for int32.
    """

    def infer(
        self,
        data: TensorType,
        out_dtype: TensorType,
        output_scale: TensorType,
        output_zero_point: TensorType,
    ) -> TensorType:
        return self.typed(data, out_dtype, output_scale, output_zero_point)

    def decompose(
        self, data: Expr, out_dtype: Expr, output_scale: Expr, output_zero_point: Expr
    ) -> Expr:
        rank, of = data.tensor_type.rank, data.tensor_type.dtype
        scale, zero = (
            cast(broadcast_parameter(each, self.axis, rank), of)
            for each in (output_scale, output_zero_point)
        )
        shifted = add(Call(Round(), (divide(data, scale),)), zero)
        result = data
        for name, code in CODES.items():
            if code:
                low, high = dtype(name).limits
                inside = Call(Clip(float(low), float(high)), (shifted,))
                result = where(
                    equal(out_dtype, Constant(np.asarray(code, np.int32))), inside, result
                )
        return result

    def reference(
        self, data: Array, out_dtype: Array, output_scale: Array, output_zero_point: Array
    ) -> Array:
        names = {code: name for name, code in CODES.items() if code}
        if int(out_dtype) not in names:
            return data
        scale, zero = (
            broadcast_parameter_array(each, self.axis, data.ndim).astype(data.dtype)
            for each in (output_scale, output_zero_point)
        )
        ratio = data / scale
        near = np.sign(ratio) * np.floor(np.abs(ratio) + data.dtype.type(0.5))
        low, high = dtype(names[int(out_dtype)]).limits
        return np.clip(near + zero, low, high).astype(data.dtype)  # NaN stays NaN


@operator("qnn.simulated_dequantize")
class SimulatedDequantize(Simulated):
    """The result of `qnn.dequantize` for floats that represent integers of the selected type.

    The codes are those of `qnn.simulated_quantize`; 0 stands for the unchanged data.
    """

    def infer(
        self,
        data: TensorType,
        in_dtype: TensorType,
        input_scale: TensorType,
        input_zero_point: TensorType,
    ) -> TensorType:
        return self.typed(data, in_dtype, input_scale, input_zero_point)

    def decompose(
        self, data: Expr, in_dtype: Expr, input_scale: Expr, input_zero_point: Expr
    ) -> Expr:
        rank, of = data.tensor_type.rank, data.tensor_type.dtype
        scale, zero = (
            cast(broadcast_parameter(each, self.axis, rank), of)
            for each in (input_scale, input_zero_point)
        )
        real = multiply(subtract(data, zero), scale)
        return where(equal(in_dtype, Constant(np.asarray(0, np.int32))), data, real)

    def reference(
        self, data: Array, in_dtype: Array, input_scale: Array, input_zero_point: Array
    ) -> Array:
        scale, zero = (
            broadcast_parameter_array(each, self.axis, data.ndim)
            for each in (input_scale, input_zero_point)
        )
        return data if int(in_dtype) == 0 else ((data - zero) * scale).astype(data.dtype)


@operator("relay.op.annotation.simulated_quantize")
class QuantizerMark(OperatorDef):
    """Round data to a multiple of `dom_scale`, from `clip_min` to `clip_max` times it.

    The quantisation passes insert it to mark values that become integers. `kind` is 0 (the data is
    unchanged), 1 (input), 2 (weight) or 3 (activation); the other arguments are of rank 0 and of
    the data's element type.
    """

    kind: int
    sign: bool = True
    rounding: str = "round"

    examples = (
        Example("f32[3, 4]", "f32[]", "f32[]", "f32[]", kind=1, differentiable=False,
                values={1: 0.25, 2: -3.0, 3: 3.0}),
        Example("f32[3]", "f32[]", "f32[]", "f32[]", kind=0, values={1: 0.25, 2: -3.0, 3: 3.0}),
    )  # fmt: skip

    def __post_init__(self) -> None:
        set_field(self, "kind", int(self.kind))
        set_field(self, "sign", bool(self.sign))
        checks.attribute(
            self.name, self.kind in range(4), f"kind must be from 0 to 3, not {self.kind}"
        )
        said = f"rounding must be 'round', not '{self.rounding}'"
        checks.attribute(self.name, self.rounding == "round", said)

    def infer(
        self, data: TensorType, dom_scale: TensorType, clip_min: TensorType, clip_max: TensorType
    ) -> TensorType:
        checks.kind(self.name, "data", data, *FLOATS)
        parts = (("dom_scale", dom_scale), ("clip_min", clip_min), ("clip_max", clip_max))
        for name, each in parts:
            checks.rank(self.name, name, each, 0)
            checks.same_dtype(self.name, data, each)
        return data

    def decompose(self, data: Expr, dom_scale: Expr, clip_min: Expr, clip_max: Expr) -> Expr:
        """Return an expression that divides, clips, rounds and multiplies."""
        if not self.kind:
            return data
        steps = Call(Maximum(), (divide(data, dom_scale), clip_min))
        inside = Call(Minimum(), (steps, clip_max))
        return multiply(Call(Round(), (inside,)), dom_scale)

    def reference(self, data: Array, dom_scale: Array, clip_min: Array, clip_max: Array) -> Array:
        if not self.kind:
            return data
        steps = np.clip(data / dom_scale, clip_min, clip_max)
        return (np.sign(steps) * np.floor(np.abs(steps) + 0.5) * dom_scale).astype(data.dtype)
