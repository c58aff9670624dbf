"""Convolutions and matrix products of quantised numbers; results are int32 by default.

A sum of products of `a - za` and `b - zb` is computed as four terms, `Σ a·b - zb·Σ a - za·Σ b +
n·za·zb`, unless the zero points are known to be 0. So only small integers are multiplied.
"""

from abc import abstractmethod
from collections.abc import Sequence
from math import prod
from typing import Any, cast

import numpy as np

from relay.ir.dims import Dim, is_static, static
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.broadcast_axes import BroadcastAxes
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import multiply, subtract
from relay.ops.nn import windows
from relay.ops.nn.conv_base import ConvBase
from relay.ops.nn.conv_operators import Conv2D, Conv2DTranspose
from relay.ops.nn.dense_pack import DensePack
from relay.ops.nn.matmul import BatchMatmul, Dense
from relay.ops.nn.pad import Pad
from relay.ops.nn.separable_gradient import spatial_axes
from relay.ops.qnn.scale_and_zero_point import (
    broadcast_parameter,
    broadcast_parameter_array,
    constant_elements,
    is_zero,
    require_parameters,
    require_quantised,
    subtract_zero_point,
)
from relay.ops.qnn.scale_and_zero_point import cast as cast_to
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.reshape import ExpandDims
from relay.support.dtype import DType, dtype, int32
from relay.support.node import replace, set_field, value

_ARGUMENTS = ("i32[]", "i32[]", "f32[]", "f32[]")
_VALUES: dict[int, Any] = {2: 3, 3: -2, 4: 0.5, 5: 0.25}


def _typed(
    op: OperatorDef, data: TensorType, weight: TensorType, zeros: tuple[TensorType, TensorType],
    scales: tuple[TensorType, TensorType], axis: int,
) -> None:  # fmt: skip
    """Check the types of both operands, and of their scales and zero points.

    Those of the weight may be vectors along `axis`.
    """
    require_quantised(op.name, "data", data)
    require_quantised(op.name, "weight", weight)
    require_parameters(op.name, "input", scales[0], zeros[0], TensorType((1,), int32), 0)
    require_parameters(op.name, "kernel", scales[1], zeros[1], weight, axis)


def _wide(array: Array, zero: Array, axis: int) -> Array:
    return array.astype(np.int32) - broadcast_parameter_array(zero, axis, array.ndim)


def _scalar(zero: Expr, to: DType) -> Expr:
    """Return a zero point as a vector of one element of the type `to`."""
    return cast_to(broadcast_parameter(zero, 0, 1), to)


def _of(name: str, default: int, op: Any) -> DType:
    found = dtype(op.out_dtype) if op.out_dtype else int32
    wide = found.is_integer and found.bits >= default
    checks.attribute(
        name, wide, f"out_dtype must be an integer type of at least {default} bits, not {found}"
    )
    return found


@value
class QuantisedConvolution(ConvBase):
    """The base of convolutions of quantised images; the result is int32 by default."""

    quantised = True
    precision = Precision.KEEP
    spatial = "HW"

    def __post_init__(self) -> None:
        super(QuantisedConvolution, self).__post_init__()
        set_field(self, "out_dtype", _of(self.name, 32, self))

    @property
    @abstractmethod
    def _plain(self) -> Conv2D | Conv2DTranspose:
        """Return the convolution of numbers with the same attributes."""

    def infer(
        self, data: TensorType, weight: TensorType, input_zero_point: TensorType,
        kernel_zero_point: TensorType, input_scale: TensorType, kernel_scale: TensorType,
    ) -> TensorType:  # fmt: skip
        """Return the type of the result, after checking scales and zero points."""
        axis = self.layouts[1].position("O")
        zeros = (input_zero_point, kernel_zero_point)
        _typed(self, data, weight, zeros, (input_scale, kernel_scale), axis)
        return self._plain.infer(data, weight)

    def _of_differences(self, data: Expr, weight: Expr, zero: Expr, kernel_zero: Expr) -> Expr:
        """Return the convolution of data and weight, whose zero points are subtracted first."""
        axis = self.layouts[1].position("O")
        points = broadcast_parameter(kernel_zero, axis, weight.tensor_type.rank)
        operands = subtract_zero_point(data, zero), subtract_zero_point(weight, points)
        return Call(self._plain, operands)

    def reference(
        self, data: Array, weight: Array, input_zero_point: Array, kernel_zero_point: Array,
        input_scale: Array, kernel_scale: Array,
    ) -> Array:  # fmt: skip
        """Return the result by NumPy, of data and weight without their zero points."""
        del input_scale, kernel_scale
        kernel = _wide(weight, kernel_zero_point, self.layouts[1].position("O"))
        return self._plain.reference(_wide(data, input_zero_point, 0), kernel)


@operator("qnn.conv2d")
class QuantisedConv2D(QuantisedConvolution):
    """Convolve quantised images with a quantised weight; the result is int32 by default.

    The result's scale is the product of both scales. The attributes are those of `nn.conv2d`;
    padding is the data's zero point. The data's zero point (int32) and scale (float32) are scalars;
    those of the kernel may be vectors along its output channels. The scales do not affect the
    result.
    """

    data_layout: str = "NCHW"
    kernel_layout: str = "OIHW"

    examples = (
        Example("u8[1, 3, 5, 6]", "i8[2, 3, 3, 3]", *_ARGUMENTS, padding=1, domain=(-90, 90),
                kernel_size=(3, 3), values=_VALUES),
        Example("i8[1, 6, 5, 4]", "i8[3, 2, 4, 1]", *_ARGUMENTS, groups=4, strides=2,
                data_layout="NHWC", kernel_layout="HWOI", kernel_size=(3, 2), domain=(-90, 90),
                values=_VALUES),
        Example("i8[1, 2, 5, 6]", "i8[3, 2, 3, 2]", "i32[]", "i32[3]", "f32[]", "f32[3]",
                domain=(-90, 90), dilation=2, values={2: -4, 3: [1, 0, 2], 4: 0.5, 5: [1, 2, 3]}),
        Example("i8[1, 2, 5, 6]", "i8[3, 2, 3, 2]", *_ARGUMENTS, domain=(-90, 90),
                values={**_VALUES, 2: 0, 3: 0}),
        Example("i8[1, 2, 5, 6]", "i8[3, 2, 3, 2]", *_ARGUMENTS, out_dtype="int64",
                domain=(-90, 90), values=_VALUES),
    )  # fmt: skip

    @property
    def _plain(self) -> Conv2D:
        return Conv2D(**attributes(self))

    def decompose(
        self, data: Expr, weight: Expr, input_zero_point: Expr, kernel_zero_point: Expr,
        input_scale: Expr, kernel_scale: Expr,
    ) -> Expr:  # fmt: skip
        del input_scale, kernel_scale
        zero, kernel_zero = broadcast_parameter(input_zero_point, 0, 1), kernel_zero_point
        known = is_zero(kernel_zero)
        op = self._plain if is_zero(zero) else replace(self._plain, padding=(0,))
        is_plain = self.groups == 1 and max(self.dilation) == 1 and not any(op.padding)
        sums = known or (is_plain and is_static(weight.tensor_type.shape))
        if not sums or self._multiplies(data, weight) or not _may_hold(data, zero):
            return self._of_differences(data, weight, zero, kernel_zero)
        if op is not self._plain:
            data = Call(Pad(self._frame), (data, zero))
        result, to = Call(op, (data, weight)), self.out_dtype or int32
        if not known:
            windows_ = self._window_sums(op, data, weight)
            place = self.layouts[2].position("C")
            points = broadcast_parameter(kernel_zero, place, result.tensor_type.rank)
            wide = cast_to(zero, to)
            count = windows_ if is_zero(zero) else subtract(windows_, self._whole(weight, wide))
            result = subtract(result, multiply(count, cast_to(points, to)))
        if is_zero(zero):
            return result
        return subtract(result, self._kernel_sums(weight, cast_to(zero, to)))

    def _multiplies(self, data: Expr, weight: Expr) -> bool:
        """Whether a depthwise weight has several output channels for each channel of the data."""
        sizes = self.plain_data(data.tensor_type), self.plain_weight(weight.tensor_type)
        return self._plain.is_multiplier(*sizes)

    def is_depthwise(self, data: TensorType, weight: TensorType) -> bool:
        """Whether each channel of the result depends on only one channel of the data."""
        return self.groups > 1 and self.plain_data(data)["C"] == self.groups

    @property
    def _frame(self) -> tuple[tuple[int, int], ...]:
        layout = self.layouts[0]
        places = dict(zip(spatial_axes(self.data_layout, self.spatial), self.pads, strict=True))
        return tuple(places.get(axis, (0, 0)) for axis in range(layout.rank))

    def _window_sums(self, op: Conv2D, data: Expr, weight: Expr) -> Expr:
        """Return the sum of the data in each window, over all channels."""
        channel = self.layouts[0].position("C")
        to = self.out_dtype or int32
        total = Call(Sum((channel,), keepdims=True), (cast_to(data, to),))
        sizes = {**self.plain_weight(weight.tensor_type), "O": 1, "I": 1}
        shape = self.layouts[1].shape(sizes)
        assert is_static(shape), "kernels have sizes that are known"
        ones = Constant(np.ones(static(shape), to.numpy))
        return Call(replace(op, channels=None, out_dtype=to), (total, ones))

    def _whole(self, weight: Expr, zero: Expr) -> Expr:
        """Return the term `zero · n`, where `n` is the number of elements of a window."""
        sizes = self.plain_weight(weight.tensor_type)
        window = static((sizes["I"], *(sizes[letter] for letter in self.spatial)))
        elements = Constant(np.asarray(prod(window), zero.tensor_type.dtype.numpy))
        return multiply(zero, elements)

    def _kernel_sums(self, weight: Expr, zero: Expr) -> Expr:
        """Return a zero point times the sum of the weights of each output channel."""
        axis = self.layouts[1].position("O")
        others = tuple(n for n in range(weight.tensor_type.rank) if n != axis)
        sums = Call(Sum(others), (cast_to(weight, zero.tensor_type.dtype),))
        place = self.layouts[2].position("C")
        return multiply(zero, broadcast_parameter(sums, place, self.layouts[2].rank))


def _may_hold(data: Expr, zero: Expr) -> bool:
    """Whether an element of the data may be equal to the zero point, as far as is known."""
    return all(map(data.tensor_type.dtype.holds, constant_elements(zero) or ()))


def attributes(op: ConvBase) -> dict[str, Any]:
    """Return the attributes of a convolution by name."""
    names = cast("tuple[str, ...]", op.__match_args__)
    return {name: getattr(op, name) for name in names}


@operator("qnn.conv2d_transpose")
class QuantisedConv2DTranspose(QuantisedConvolution):
    """Convolve quantised images, transposed, with a quantised weight; the result is int32.

    The result's scale is the product of both scales. The attributes are those of
    `nn.conv2d_transpose`, the arguments those of `qnn.conv2d`.
    """

    data_layout: str = "NCHW"
    kernel_layout: str = "IOHW"
    output_padding: tuple[int, ...] = (0, 0)

    examples = (
        Example("u8[1, 3, 4, 3]", "i8[3, 2, 3, 3]", *_ARGUMENTS, padding=1, strides=2,
                domain=(-90, 90), values=_VALUES),
    )  # fmt: skip

    def __post_init__(self) -> None:
        super(QuantisedConv2DTranspose, self).__post_init__()
        extra = windows.per_axis(self.name, "output_padding", self.output_padding, 2, lowest=0)
        set_field(self, "output_padding", extra)

    @property
    def _plain(self) -> Conv2DTranspose:
        return Conv2DTranspose(**attributes(self))

    def decompose(
        self, data: Expr, weight: Expr, input_zero_point: Expr, kernel_zero_point: Expr,
        input_scale: Expr, kernel_scale: Expr,
    ) -> Expr:  # fmt: skip
        del input_scale, kernel_scale
        zero = broadcast_parameter(input_zero_point, 0, 1)
        return self._of_differences(data, weight, zero, kernel_zero_point)


@value
class QuantisedProduct(OperatorDef):
    """The base of matrix products, which sum over the last axis of both operands."""

    quantised = True
    precision = Precision.KEEP

    def four_terms(self, plain: OperatorDef, x: Expr, y: Expr, zero: Expr, other: Expr) -> Expr:
        """Return the product of the operands, after subtraction of their zero points.

        It is computed as four terms; if the length of the sums is unknown, zero points are
        subtracted first.
        """
        inner = y.tensor_type.shape[-1]
        if not (isinstance(inner, int) or is_zero(zero) or is_zero(other)):
            kernel = subtract_zero_point(y, broadcast_parameter(other, 0, y.tensor_type.rank))
            return Call(plain, (subtract_zero_point(x, broadcast_parameter(zero, 0, 1)), kernel))
        result: Expr = Call(plain, (x, y))
        to = result.tensor_type.dtype
        if not is_zero(other):
            sums = Call(Sum((-1,), keepdims=True), (cast_to(x, to),))
            if isinstance(inner, int) and not is_zero(zero):
                count = Constant(np.asarray(inner, to.numpy))
                sums = subtract(sums, multiply(_scalar(zero, to), count))
            result = subtract(result, multiply(sums, cast_to(broadcast_parameter(other, 0, 1), to)))
        if not is_zero(zero):
            sums = Call(Sum((-1,)), (cast_to(y, to),))
            result = subtract(result, multiply(_scalar(zero, to), self.aligned(sums)))
        return result

    def aligned(self, sums: Expr) -> Expr:
        """Return the row sums of the second operand, reshaped to broadcast over the result."""
        return sums


@operator("qnn.dense")
class QuantisedDense(QuantisedProduct):
    """Multiply quantised data by the transpose of a quantised weight `(units, inner)`.

    The result is int32 by default; its scale is the product of both scales. The data's zero point
    (int32) and scale (float32) are scalars; those of the kernel may be vectors along its units. The
    scales do not affect the result.
    """

    units: Dim | None = None
    out_dtype: DType | None = None

    examples = (
        Example("u8[2, 4]", "i8[3, 4]", *_ARGUMENTS, domain=(-90, 90), values=_VALUES),
        Example("i8[2, 4]", "i8[3, 4]", "i32[]", "i32[3]", "f32[]", "f32[3]", domain=(-90, 90),
                values={2: 2, 3: [1, 0, -2], 4: 0.5, 5: [1, 2, 3]}),
        Example("u8[2, 4]", "i8[3, 4]", *_ARGUMENTS, out_dtype="int64", domain=(-90, 90),
                values=_VALUES),
    )  # fmt: skip

    def __post_init__(self) -> None:
        set_field(self, "out_dtype", _of(self.name, 32, self))

    def infer(
        self, data: TensorType, weight: TensorType, input_zero_point: TensorType,
        kernel_zero_point: TensorType, input_scale: TensorType, kernel_scale: TensorType,
    ) -> TensorType:  # fmt: skip
        zeros = (input_zero_point, kernel_zero_point)
        _typed(self, data, weight, zeros, (input_scale, kernel_scale), 0)
        return Dense(self.units, self.out_dtype).infer(data, weight)

    def decompose(
        self, data: Expr, weight: Expr, input_zero_point: Expr, kernel_zero_point: Expr,
        input_scale: Expr, kernel_scale: Expr,
    ) -> Expr:  # fmt: skip
        del input_scale, kernel_scale
        plain = Dense(self.units, self.out_dtype)
        return self.four_terms(plain, data, weight, input_zero_point, kernel_zero_point)

    def reference(
        self, data: Array, weight: Array, input_zero_point: Array, kernel_zero_point: Array,
        input_scale: Array, kernel_scale: Array,
    ) -> Array:  # fmt: skip
        del input_scale, kernel_scale
        kernel = _wide(weight, kernel_zero_point, 0)
        return Dense(out_dtype=self.out_dtype).reference(_wide(data, input_zero_point, 0), kernel)


@operator("qnn.batch_matmul")
class QuantisedBatchMatmul(QuantisedProduct):
    """Multiply quantised matrices `(…, M, K)` by the transposes of `(…, N, K)`.

    Leading axes broadcast; in TVM's Relay there is one. The result is int32; its scale is the
    product of both scales. All zero points (int32) and scales (float32) are scalars.
    """

    out_dtype: DType | None = None

    examples = (
        Example("i8[2, 3, 4]", "i8[2, 2, 4]", *_ARGUMENTS, domain=(-90, 90), values=_VALUES),
        Example("u8[2, 1, 3, 4]", "i8[3, 2, 4]", *_ARGUMENTS, domain=(-90, 90), values=_VALUES),
    )

    def __post_init__(self) -> None:
        set_field(self, "out_dtype", _of(self.name, 32, self))

    def infer(
        self, x: TensorType, y: TensorType, x_zero_point: TensorType, y_zero_point: TensorType,
        x_scale: TensorType, y_scale: TensorType,
    ) -> TensorType:  # fmt: skip
        none = TensorType((1,), int32)
        require_parameters(self.name, "the second", y_scale, y_zero_point, none, 0)
        _typed(self, x, y, (x_zero_point, y_zero_point), (x_scale, y_scale), 0)
        return self._plain.infer(x, y)

    @property
    def _plain(self) -> BatchMatmul:
        return BatchMatmul(self.out_dtype, transpose_b=True)

    def broadcast_axes(self, types: Sequence[TensorType]) -> Sequence[BroadcastAxes]:
        """Return the groups of batch axes of both operands, which broadcast."""
        return self._plain.broadcast_axes(types[:2])

    def aligned(self, sums: Expr) -> Expr:
        """Return the sums with an axis for the result's rows inserted before them."""
        return Call(ExpandDims(sums.tensor_type.rank - 1), (sums,))

    def decompose(
        self, x: Expr, y: Expr, x_zero_point: Expr, y_zero_point: Expr, x_scale: Expr,
        y_scale: Expr,
    ) -> Expr:  # fmt: skip
        del x_scale, y_scale
        return self.four_terms(self._plain, x, y, x_zero_point, y_zero_point)

    def reference(
        self, x: Array, y: Array, x_zero_point: Array, y_zero_point: Array, x_scale: Array,
        y_scale: Array,
    ) -> Array:  # fmt: skip
        del x_scale, y_scale
        return self._plain.reference(_wide(x, x_zero_point, 0), _wide(y, y_zero_point, 0))


@operator("qnn.contrib_dense_pack")
class QuantisedDensePack(OperatorDef):
    """Multiply by a blocked weight, as `nn.contrib_dense_pack` does, but quantised.

    Zero points are scalars. See `qnn.dense`.
    """

    weight_layout: str = "NC"
    units: Dim | None = None
    out_dtype: DType | None = None

    quantised = True
    precision = Precision.KEEP
    examples = (
        Example("u8[2, 4]", "i8[2, 4, 2]", *_ARGUMENTS, weight_layout="NC2n", domain=(-90, 90),
                values=_VALUES),
    )  # fmt: skip

    def __post_init__(self) -> None:
        set_field(self, "out_dtype", _of(self.name, 32, self))
        DensePack(self.weight_layout)  # this call checks the layout

    @property
    def _plain(self) -> DensePack:
        return DensePack(self.weight_layout, self.units, self.out_dtype)

    def infer(
        self, data: TensorType, weight: TensorType, input_zero_point: TensorType,
        kernel_zero_point: TensorType, input_scale: TensorType, kernel_scale: TensorType,
    ) -> TensorType:  # fmt: skip
        zeros, scales = (input_zero_point, kernel_zero_point), (input_scale, kernel_scale)
        _typed(self, data, weight, zeros, scales, 0)
        checks.rank(self.name, "kernel zero point", kernel_zero_point, 0)
        return self._plain.infer(data, weight)

    def decompose(
        self, data: Expr, weight: Expr, input_zero_point: Expr, kernel_zero_point: Expr,
        input_scale: Expr, kernel_scale: Expr,
    ) -> Expr:  # fmt: skip
        del input_scale, kernel_scale
        left = subtract_zero_point(data, broadcast_parameter(input_zero_point, 0, 1))
        return Call(self._plain, (left, subtract_zero_point(weight, kernel_zero_point)))

    def reference(
        self, data: Array, weight: Array, input_zero_point: Array, kernel_zero_point: Array,
        input_scale: Array, kernel_scale: Array,
    ) -> Array:  # fmt: skip
        del input_scale, kernel_scale
        return self._plain.reference(_wide(data, input_zero_point, 0), weight - kernel_zero_point)
