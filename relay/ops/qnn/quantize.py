"""Conversions of quantised numbers: `qnn.quantize`, `qnn.dequantize`, `qnn.requantize`."""

import numpy as np

from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.cast import convert
from relay.ops.comparison import less
from relay.ops.creation import number
from relay.ops.elementwise import Clip, Floor, Round
from relay.ops.families import FLOATS
from relay.ops.fixed_point import multiply_by_fixed_point
from relay.ops.logical import RightShift
from relay.ops.qnn.scale_and_zero_point import (
    SMALL,
    are_known_equal,
    broadcast_parameter,
    broadcast_parameter_array,
    cast,
    constant_elements,
    fixed_point,
    is_zero,
    require_parameters,
    require_quantised,
    require_scalar_parameters,
    saturated,
    saturated_array,
    subtract_zero_point,
)
from relay.ops.selection import where
from relay.support.dtype import DType, dtype, float32, float64, int8, int32, int64
from relay.support.node import set_field

_AXIS_ONE = {1: [0.5, 0.25, 2.0], 2: [3, -1, 0]}


def small_dtype(operator_: str, of: "DType | str | None", default: DType) -> DType:
    """Return an element type, or `default` if it is None; raises `T104` unless it is in `SMALL`."""
    found = dtype(of) if of else default
    known = str(found) in SMALL
    checks.attribute(operator_, known, f"out_dtype must be one of {', '.join(SMALL)}, not {found}")
    return found


@operator("qnn.quantize")
class Quantize(OperatorDef):
    """The integer nearest to `data / scale`, plus the zero point; halves round away from zero.

    It is computed in at least single precision. Results saturate to `out_dtype` (int8 by default).
    The scale (float32) and the zero point (int32) are scalars or vectors along `axis`. Takes
    floats.
    """

    out_dtype: DType = int8
    axis: int = -1

    quantised = True
    precision = Precision.KEEP
    examples = (
        Example("f32[3, 4]", "f32[]", "i32[]", domain=(-9, 9), values={1: 0.05, 2: 3}),
        Example(
            "f32[2, 3, 2]", "f32[3]", "i32[3]", axis=1, out_dtype="uint8", domain=(-3, 90),
            values=_AXIS_ONE,
        ),
        Example("f64[5]", "f32[]", "i32[]", out_dtype="int32", values={1: 0.001, 2: 0}),
        Example("bf16[4]", "f32[]", "i32[]", out_dtype="int32", values={1: 0.001, 2: 0}),
    )  # fmt: skip

    def __post_init__(self) -> None:
        set_field(self, "out_dtype", small_dtype(self.name, self.out_dtype, int8))

    def infer(
        self, data: TensorType, output_scale: TensorType, output_zero_point: TensorType
    ) -> TensorType:
        checks.kind(self.name, "data", data, *FLOATS)
        require_parameters(self.name, "output", output_scale, output_zero_point, data, self.axis)
        return TensorType(data.shape, self.out_dtype)

    def decompose(self, data: Expr, output_scale: Expr, output_zero_point: Expr) -> Expr:
        rank, of = data.tensor_type.rank, _at_least_single(data.tensor_type.dtype)
        scale, zero = (
            cast(broadcast_parameter(each, self.axis, rank), of)
            for each in (output_scale, output_zero_point)
        )
        near = Call(Round(), (divide(cast(data, of), scale),))
        shifted = near if is_zero(output_zero_point) else add(near, zero)
        low, high = self.out_dtype.limits
        return cast(Call(Clip(float(low), float(high)), (shifted,)), self.out_dtype)

    def reference(self, data: Array, output_scale: Array, output_zero_point: Array) -> Array:
        wide: Array = data.astype(_at_least_single(dtype(data.dtype)).numpy)
        scale, zero = (
            broadcast_parameter_array(each, self.axis, data.ndim).astype(wide.dtype)
            for each in (output_scale, output_zero_point)
        )
        ratio = wide / scale
        near = np.sign(ratio) * np.floor(np.abs(ratio) + np.array(0.5, wide.dtype))
        return convert(near + zero, self.out_dtype)


def _at_least_single(given: DType) -> DType:
    return float32 if given.bits < 32 else given


@operator("qnn.dequantize")
class Dequantize(OperatorDef):
    """`(data - zero_point) · scale` in the element type `out_dtype` (float32 by default).

    The scale (float32) and the zero point (int32) are scalars or vectors along `axis`.
    """

    out_dtype: DType = float32
    axis: int = -1

    quantised = True
    precision = Precision.KEEP
    examples = (
        Example("i8[3, 4]", "f32[]", "i32[]", domain=(-100, 100), values={1: 0.05, 2: 3}),
        Example("u8[2, 3, 2]", "f32[3]", "i32[3]", axis=1, domain=(0, 200), values=_AXIS_ONE),
        Example("i32[4]", "f32[]", "i32[]", out_dtype="float16", values={1: 0.5, 2: 0}),
    )

    def __post_init__(self) -> None:
        set_field(self, "out_dtype", dtype(self.out_dtype) if self.out_dtype else float32)
        checks.attribute(self.name, self.out_dtype.is_float, "out_dtype must be a float type")

    def infer(
        self, data: TensorType, input_scale: TensorType, input_zero_point: TensorType
    ) -> TensorType:
        require_quantised(self.name, "data", data)
        require_parameters(self.name, "input", input_scale, input_zero_point, data, self.axis)
        return TensorType(data.shape, self.out_dtype)

    def decompose(self, data: Expr, input_scale: Expr, input_zero_point: Expr) -> Expr:
        rank = data.tensor_type.rank
        scale, zero = (
            broadcast_parameter(each, self.axis, rank) for each in (input_scale, input_zero_point)
        )
        real = multiply(cast(subtract_zero_point(data, zero), float32), scale)
        return cast(real, self.out_dtype)

    def reference(self, data: Array, input_scale: Array, input_zero_point: Array) -> Array:
        scale, zero = (
            broadcast_parameter_array(each, self.axis, data.ndim)
            for each in (input_scale, input_zero_point)
        )
        real = (data.astype(np.int32) - zero).astype(np.float32) * scale
        return real.astype(self.out_dtype.numpy)


ROUNDINGS = ("UPWARD", "TONEAREST")
COMPUTES = ("int64", "float32", "float64")


@operator("qnn.requantize")
class Requantize(OperatorDef):
    """The same real numbers with another scale, zero point and element type `out_dtype`.

    If `compute_dtype` is int64 (the default "None"), the ratio of the scales is a 31-bit multiplier
    times a power of two, and `rounding` is UPWARD (the default "None": halves up) or TONEAREST
    (halves away from zero). If it is float32 or float64, the ratio is a float; float64 is also used
    if a scale is not constant. The input's scale and zero point are scalars, or vectors along
    `axis`; those of the output are scalars. int32 results do not saturate; `out_dtype` is int8 by
    default.
    """

    axis: int = -1
    rounding: str = "None"
    compute_dtype: str = "None"
    out_dtype: DType = int8

    quantised = True
    precision = Precision.KEEP
    examples = (
        Example("i32[3, 4]", "f32[]", "i32[]", "f32[]", "i32[]", domain=(-999, 999),
                values={1: 0.05, 2: 3, 3: 0.37, 4: -2}),
        Example("i32[9]", "f32[]", "i32[]", "f32[]", "i32[]", domain=(-99, 99),
                values={1: 0.5, 2: 0, 3: 1.0, 4: 0}, rounding="TONEAREST"),
        Example("i8[2, 3, 2]", "f32[3]", "i32[3]", "f32[]", "i32[]", axis=1, domain=(-99, 99),
                out_dtype="uint8", values={**_AXIS_ONE, 3: 0.7, 4: 128}),
        Example("i32[2, 3]", "f32[3]", "i32[3]", "f32[]", "i32[]", axis=1, domain=(-99, 99),
                rounding="TONEAREST", values={**_AXIS_ONE, 3: 0.7, 4: 1}),
        Example("u8[5]", "f32[]", "i32[]", "f32[]", "i32[]", domain=(0, 255), out_dtype="int32",
                compute_dtype="float32", values={1: 0.5, 2: 128, 3: 0.3, 4: 7}),
        Example("i32[4]", "f32[]", "i32[]", "f32[]", "i32[]", domain=(-99, 99),
                values={1: 0.5, 2: 1, 3: 0.5, 4: 3}),
    )  # fmt: skip

    def __post_init__(self) -> None:
        set_field(self, "out_dtype", small_dtype(self.name, self.out_dtype, int8))
        for name, known in (("rounding", ROUNDINGS), ("compute_dtype", COMPUTES)):
            given = getattr(self, name)
            said = f"{name} must be None, {' or '.join(known)}, not {given}"
            checks.attribute(self.name, given in ("None", *known), said)

    @property
    def _computes_in(self) -> str:
        return "int64" if self.compute_dtype == "None" else self.compute_dtype

    @property
    def _halves_up(self) -> bool:
        return self.rounding != "TONEAREST"

    def infer(
        self,
        data: TensorType,
        input_scale: TensorType,
        input_zero_point: TensorType,
        output_scale: TensorType,
        output_zero_point: TensorType,
    ) -> TensorType:
        require_quantised(self.name, "data", data)
        require_parameters(self.name, "input", input_scale, input_zero_point, data, self.axis)
        require_scalar_parameters(self.name, "output", output_scale, output_zero_point)
        return TensorType(data.shape, self.out_dtype)

    def decompose(
        self,
        data: Expr,
        input_scale: Expr,
        input_zero_point: Expr,
        output_scale: Expr,
        output_zero_point: Expr,
    ) -> Expr:
        rank = data.tensor_type.rank
        zero, out_zero = (
            broadcast_parameter(input_zero_point, self.axis, rank),
            broadcast_parameter(output_zero_point, 0, 1),
        )
        x = subtract_zero_point(data, zero)
        known = constant_elements(input_scale), constant_elements(output_scale)
        if self._computes_in != "int64" or None in known:
            moved = self._by_floats(x, input_scale, output_scale, out_zero)
            return saturated(moved, self.out_dtype)
        if not are_known_equal(input_scale, output_scale):
            x = self._by_integers(x, input_scale, output_scale)
        return saturated(x if is_zero(out_zero) else add(x, out_zero), self.out_dtype)

    def _by_floats(self, x: Expr, input_scale: Expr, output_scale: Expr, zero: Expr) -> Expr:
        """Return int32 numbers scaled by a float ratio; the zero point is added before rounding."""
        of = float32 if self._computes_in == "float32" else float64
        rank = x.tensor_type.rank
        ratio = divide(cast(input_scale, of), cast(broadcast_parameter(output_scale, 0, 1), of))
        moved = add(
            multiply(cast(x, of), broadcast_parameter(ratio, self.axis, rank)), cast(zero, of)
        )
        if self._halves_up:
            return cast(Call(Floor(), (add(moved, number(0.5, moved)),)), int32)
        return cast(Call(Round(), (moved,)), int32)

    def _by_integers(self, x: Expr, input_scale: Expr, output_scale: Expr) -> Expr:
        """Return numbers multiplied by the ratio of the scales as a fixed-point number."""
        (target,) = constant_elements(output_scale) or (1.0,)
        pairs = [fixed_point(scale / target) for scale in constant_elements(input_scale) or ()]
        return (
            multiply_by_fixed_point(x, pairs, self.axis)
            if self._halves_up
            else self._nearest(x, pairs)
        )

    def _nearest(self, x: Expr, pairs: list[tuple[int, int]]) -> Expr:
        """Return the fixed-point product, rounded with halves away from zero."""
        rank = x.tensor_type.rank

        def vector(of: list[int]) -> Expr:
            array = np.array(of if len(of) > 1 else of[0], np.int64)
            return broadcast_parameter(Constant(array), self.axis, rank)

        factor = vector([m << max(e, 0) for m, e in pairs])
        shift = vector([31 + max(-e, 0) for _, e in pairs])
        half = vector([1 << (30 + max(-e, 0)) for _, e in pairs])
        wide = multiply(cast(x, int64), factor)
        below = where(less(wide, number(0, wide)), subtract(half, number(1, wide)), half)
        return cast(Call(RightShift(), (add(wide, below), shift)), int32)

    def reference(
        self, data: Array, input_scale: Array, input_zero_point: Array, output_scale: Array,
        output_zero_point: Array,
    ) -> Array:  # fmt: skip
        zero = broadcast_parameter_array(input_zero_point, self.axis, data.ndim)
        x = np.asarray(data.astype(np.int32) - zero)  # in 32 bits, as all that follows
        out_zero, target = output_zero_point.reshape(()), float(output_scale.reshape(()))
        scales = input_scale.astype(np.float64) / target
        if self._computes_in == "int64":
            per = np.broadcast_to(
                broadcast_parameter_array(scales, self.axis, data.ndim), data.shape
            )
            moved = np.vectorize(self._exact, otypes=[np.int64])(x, per) if x.size else x
            return saturated_array(moved.astype(np.int32) + out_zero, self.out_dtype)
        of = np.dtype(self._computes_in).type
        ratio = of(1) * input_scale.astype(of) / of(target)
        real = x.astype(of) * broadcast_parameter_array(
            np.asarray(ratio), self.axis, data.ndim
        ) + of(out_zero)
        near = np.floor(real + of(0.5))
        if not self._halves_up:
            near = np.sign(real) * np.floor(np.abs(real) + of(0.5))
        return saturated_array(convert(near, int32), self.out_dtype)

    def _exact(self, x: int, ratio: float) -> int:
        """Return one fixed-point product, computed with Python's integers."""
        if ratio == 1:
            return int(x)
        multiplier, power = fixed_point(ratio)
        doubled, places = int(x) * multiplier << max(power, 0), 31 + max(-power, 0)
        half = 1 << (places - 1)
        away = not self._halves_up and doubled < 0
        return (doubled + half - away) >> places
