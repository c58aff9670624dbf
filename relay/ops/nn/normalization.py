"""Normalisation operators: of layers, instances and groups, by the 2-norm, and by neighbours (LRN).

Mean and variance are computed in two passes (the variance from differences to the mean), which
preserves precision if the mean is large. A *row* is a set of elements that are normalised together;
one kernel processes a whole row.
"""

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from relay.ir.dims import Dim, Shape, static
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.kernels.scalar import lift
from relay.opdef import checks
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.dim_constraints import constrain
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import Maximum, add, divide, multiply, scaled, square, subtract
from relay.ops.creation import number
from relay.ops.families import FLOATS, extents
from relay.ops.nn import windows
from relay.ops.nn.accumulation_dtype import narrow, widen
from relay.ops.nn.bias_add import broadcast_along, require_vector_along_axis, vectors_from_data
from relay.ops.nn.pad import Pad
from relay.ops.nn.row_reductions import Rows
from relay.ops.sum_and_mean_reductions import Mean, summed
from relay.ops.tensor.reshape import ExpandDims, Reshape
from relay.ops.tensor.slice import StridedSlice
from relay.ops.transcendental import Power, Rsqrt
from relay.support.node import set_field, value


@value
class Normalisation(OperatorDef):
    """The base of `(x - mean) / sqrt(variance + epsilon) · gamma + beta`.

    Subclasses define which elements form a row.

    `gamma` and `beta` are vectors along `axis`; without `scale`, gamma is ignored, and without
    `center`, beta.
    """

    axis: int = 1
    epsilon: float = 1e-5
    center: bool = True
    scale: bool = True

    def __post_init__(self) -> None:
        set_field(self, "epsilon", float(self.epsilon))

    def infer(self, data: TensorType, gamma: TensorType, beta: TensorType) -> TensorType:
        """Return the type of the data, whose elements must be floats (`T102`)."""
        checks.kind(self.name, "data", data, *FLOATS)
        require_vector_along_axis(self.name, "gamma", data, gamma, self.axis)
        require_vector_along_axis(self.name, "beta", data, beta, self.axis)
        return data

    def relate(self, types: Sequence[Type | None]) -> Sequence[Type | None]:
        """Return the types of gamma and beta, inferred from the type of the data."""
        return vectors_from_data(self.name, types, self.axis)

    def row_shape_and_axes(self, shape: Shape) -> tuple[list[Dim], tuple[int, ...]]:
        """Return a shape to which the data is reshaped, and its axes that form a row."""
        raise AssertionError(f"{self.name} does not say what a row is")

    def reference(self, data: Array, gamma: Array, beta: Array) -> Array:
        """Return the result by NumPy, computed in a wider type."""
        shape, axes = self.row_shape_and_axes(data.shape)
        x = widen(data).reshape(static(tuple(shape)))
        centred = x - x.mean(axis=axes, keepdims=True)
        variance = np.square(centred).mean(axis=axes, keepdims=True)
        result = (centred / np.sqrt(variance + self.epsilon)).reshape(data.shape)
        if self.scale:
            result = result * broadcast_along(widen(gamma), self.axis, data.ndim)
        if self.center:
            result = result + broadcast_along(widen(beta), self.axis, data.ndim)
        return narrow(result, data.dtype)

    def decompose(self, data: Expr, gamma: Expr, beta: Expr) -> Expr:
        """Return an equivalent expression of reshapes and means, which is differentiated."""
        shape = data.tensor_type.shape
        split, axes = self.row_shape_and_axes(shape)
        x = Call(Reshape(tuple(split), allowzero=True), (data,))
        centred = subtract(x, Call(Mean(axes, keepdims=True), (x,)))
        variance = Call(Mean(axes, keepdims=True), (square(centred),))
        factor = Call(Rsqrt(), (add(variance, number(self.epsilon, variance)),))
        result: Expr = Call(Reshape(shape, allowzero=True), (multiply(centred, factor),))
        behind = len(shape) - 1 - self.axis % len(shape)
        if self.scale:
            result = multiply(result, Call(ExpandDims(1, behind), (gamma,)))
        return add(result, Call(ExpandDims(1, behind), (beta,))) if self.center else result

    def scale_and_shift(
        self, normal: te.Scalar, gamma: te.Scalar, beta: te.Scalar, rows: Rows, data: te.Tensor
    ) -> te.Scalar:
        """Return the element `normal · gamma + beta`, in the element type of `data`."""
        scaled = normal * rows.widen(gamma) if self.scale else normal
        shifted = scaled + rows.widen(beta) if self.center else scaled
        return te.cast(shifted, data.dtype)


def normalised_element(rows: Rows, data: te.Tensor, epsilon: float) -> Callable[..., te.Scalar]:
    """Return a function from an index of `data` to its element, normalised within its row."""
    count = lift(rows.length, rows.dtype)
    total = rows.reduce(te.sum, data, "sum")
    mean = te.compute(total.shape, lambda *i: total[i] / count, "mean")

    def squared(i: Sequence[te.Scalar]) -> te.Scalar:
        centred = rows.widen(data[tuple(i)]) - rows.value_of_row(mean, i)
        return centred * centred

    squares = rows.reduce_elements(te.sum, squared, "squares")
    factor = te.compute(
        squares.shape, lambda *i: te.rsqrt(squares[i] / count + epsilon), "inverse_deviation"
    )
    return lambda *i: (
        (rows.widen(data[i]) - rows.value_of_row(mean, i)) * rows.value_of_row(factor, i)
    )


class PlainRows(Normalisation):
    """The base of normalisations whose rows consist of whole axes of the data."""

    __slots__ = ()

    def compute(self, data: te.Tensor, gamma: te.Tensor, beta: te.Tensor) -> te.Tensor:
        """Return the formula: mean and variance of each row, then the normalised elements."""
        rows = Rows(data, self.row_shape_and_axes(extents(data))[1])
        normalised = normalised_element(rows, data, self.epsilon)
        axis = self.axis % len(data.shape)

        def element(*i: te.Scalar) -> te.Scalar:
            return self.scale_and_shift(normalised(*i), gamma[i[axis]], beta[i[axis]], rows, data)

        return te.compute(data.shape, element, name=self.name)


@operator("nn.layer_norm")
class LayerNorm(PlainRows):
    """Normalise the elements along one axis. Takes floats of rank 1 or more."""

    axis: int = -1

    precision = Precision.NEVER
    examples = (
        Example("f32[4, 10]", "f32[10]", "f32[10]"),
        Example("f32[2, 3, 5]", "f32[3]", "f32[3]", axis=1, epsilon=1e-3),
        Example("f32[2, 7]", "f32[7]", "f32[7]", center=False, scale=False),
        Example("f64[3, 4]", "f64[4]", "f64[4]", domain=(1000.0, 1001.0)),
        Example("f16[3, 16]", "f16[16]", "f16[16]", tolerance=1e-2),
    )

    def row_shape_and_axes(self, shape: Shape) -> tuple[list[Dim], tuple[int, ...]]:
        """Return the shape of the data, and the axis that forms a row."""
        return list(shape), (self.axis % len(shape),)


@operator("nn.instance_norm")
class InstanceNorm(PlainRows):
    """Normalise each channel of each sample; the batch is axis 0.

    Takes floats of rank 3 or more.
    """

    examples = (
        Example("f32[2, 3, 4, 5]", "f32[3]", "f32[3]"),
        Example("f32[2, 4, 5, 3]", "f32[3]", "f32[3]", axis=-1, epsilon=1e-2),
    )

    def row_shape_and_axes(self, shape: Shape) -> tuple[list[Dim], tuple[int, ...]]:
        """Return the shape of the data, and all axes except the batch and the channels."""
        kept = (0, self.axis % len(shape))
        return list(shape), tuple(axis for axis in range(len(shape)) if axis not in kept)


@operator("nn.group_norm")
class GroupNorm(Normalisation):
    """Normalise groups of adjacent channels of each sample; the batch is axis 0."""

    num_groups: int = 1

    examples = (
        Example("f32[2, 6, 4, 5]", "f32[6]", "f32[6]", num_groups=3),
        Example("f32[2, 4, 5, 6]", "f32[6]", "f32[6]", num_groups=2, axis=3),
        Example("f32[2, 4]", "f32[4]", "f32[4]", num_groups=2),
    )

    def infer(self, data: TensorType, gamma: TensorType, beta: TensorType) -> TensorType:
        """Return the type of the data; raises `T104` if the groups do not divide the channels."""
        result = super(GroupNorm, self).infer(data, gamma, beta)
        channels = data.shape[self.axis]
        divides = self.num_groups > 0
        rest = channels % self.num_groups if divides else 0
        constrain(self.name, 0, rest)
        checks.attribute(
            self.name,
            divides and (rest == 0 or not isinstance(rest, int)),
            f"the number of channels, {channels}, must be a multiple of num_groups, "
            f"{self.num_groups}",
        )
        return result

    def row_shape_and_axes(self, shape: Shape) -> tuple[list[Dim], tuple[int, ...]]:
        """Return the shape with channels split into groups, and the axes of a group."""
        axis = self.axis % len(shape)
        split = [*shape[:axis], self.num_groups, shape[axis] // self.num_groups, *shape[axis + 1 :]]
        return split, tuple(n for n in range(len(split)) if n not in (0, axis))

    def compute(self, data: te.Tensor, gamma: te.Tensor, beta: te.Tensor) -> te.Tensor:
        """Return the formula: the mean and variance of each group, then the normalised elements."""
        split, axes = self.row_shape_and_axes(extents(data))
        axis = self.axis % len(data.shape)
        size = split[axis + 1]

        def merged(*i: te.Scalar) -> te.Scalar:
            return data[(*i[:axis], i[axis] * size + i[axis + 1], *i[axis + 2 :])]

        view = te.compute(split, merged, "groups")
        rows = Rows(view, axes)
        normalised = normalised_element(rows, view, self.epsilon)

        def element(*i: te.Scalar) -> te.Scalar:
            place = (*i[:axis], i[axis] // size, i[axis] % size, *i[axis + 1 :])
            return self.scale_and_shift(
                normalised(*place), gamma[i[axis]], beta[i[axis]], rows, data
            )

        return te.compute(data.shape, element, name=self.name)


@operator("nn.l2_normalize")
class L2Normalize(OperatorDef):
    """`x / sqrt(max(Σ x², eps))`, summed over `axis` (None: all axes). Takes floats."""

    eps: float
    axis: tuple[int, ...] | None = None

    precision = Precision.NEVER
    examples = (
        Example("f32[3, 5]", eps=1e-6, axis=(1,)),
        Example("f32[2, 3, 4]", eps=1e-6, axis=(0, 2)),
        Example("f32[2, 3]", eps=100.0),
    )

    def __post_init__(self) -> None:
        set_field(self, "eps", float(self.eps))
        if self.axis is not None:
            set_field(self, "axis", windows.integers(self.axis))

    def infer(self, data: TensorType) -> TensorType:
        """Return the type of the data, whose elements must be floats (`T102`)."""
        checks.kind(self.name, "data", data, *FLOATS)
        checks.axes(self.name, self.axis, data.rank)
        return data

    def compute(self, data: te.Tensor) -> te.Tensor:
        """Return the formula: the sum of squares of each row, then the quotients."""
        rows = Rows(data, checks.axes(self.name, self.axis, len(data.shape)))
        squares = rows.reduce_elements(
            te.sum, lambda i: rows.widen(data[tuple(i)]) * rows.widen(data[tuple(i)]), "squares"
        )
        norm = te.compute(
            squares.shape, lambda *i: te.sqrt(te.maximum(squares[i], self.eps)), "norm"
        )
        return te.compute(
            data.shape,
            lambda *i: te.cast(rows.widen(data[i]) / rows.value_of_row(norm, i), data.dtype),
            name=self.name,
        )

    def decompose(self, data: Expr) -> Expr:
        """Return an equivalent expression with a sum of squares, which is differentiated."""
        axes = checks.axes(self.name, self.axis, data.tensor_type.rank)
        squares = summed(square(data), axes)
        most = Call(Maximum(), (squares, number(self.eps, squares)))
        return multiply(data, Call(Rsqrt(), (most,)))

    def reference(self, data: Array) -> Array:
        """Return the result by NumPy, computed in a wider type."""
        x = widen(data)
        axes = checks.axes(self.name, self.axis, data.ndim)
        squares = np.square(x).sum(axis=axes, keepdims=True)
        return narrow(x / np.sqrt(np.maximum(squares, self.eps)), data.dtype)


@operator("nn.lrn")
class LRN(OperatorDef):
    """`x / (bias + alpha / size · Σ x²)^beta`, summed over `size` neighbours along `axis`.

    `size` is odd; neighbours outside of the data are zeros. The default of the attribute `alpha` is
    1e-4, but that of the function `lrn` is 1e-5, as in TVM's Relay.
    """

    size: int = 5
    axis: int = 1
    bias: float = 2.0
    alpha: float = 0.0001
    beta: float = 0.75

    examples = (
        Example("f32[1, 7, 4, 5]", size=3, alpha=0.5),
        Example("f32[1, 4, 5, 7]", axis=3, alpha=1.0, bias=1.0),
    )

    def __post_init__(self) -> None:
        checks.attribute(self.name, self.size % 2 == 1, f"size must be odd, not {self.size}")
        for field in ("bias", "alpha", "beta"):
            set_field(self, field, float(getattr(self, field)))

    def infer(self, data: TensorType) -> TensorType:
        """Return the type of the data, whose elements must be floats (`T102`)."""
        checks.kind(self.name, "data", data, *FLOATS)
        checks.axis(self.name, self.axis, data.rank)
        return data

    def compute(self, data: te.Tensor) -> te.Tensor:
        """Return the formula: the sum of squares of the existing neighbours, then the quotient."""
        axis, half = self.axis % len(data.shape), self.size // 2
        k = te.reduce_axis(self.size, "k")

        def squared(*i: te.Scalar) -> te.Scalar:
            position = i[axis] + k - half
            near = data[(*i[:axis], position, *i[axis + 1 :])]
            return te.sum(near * near, k, where=(position >= 0) & (position < data.shape[axis]))

        squares = te.compute(data.shape, squared, "squares")

        def element(*i: te.Scalar) -> te.Scalar:
            return data[i] / te.pow(squares[i] * (self.alpha / self.size) + self.bias, self.beta)

        return te.compute(data.shape, element, name=self.name)

    def decompose(self, data: Expr) -> Expr:
        """Return an equivalent expression with sums of shifted squares, which is differentiated."""
        shape = data.tensor_type.shape
        axis, half = self.axis % len(shape), self.size // 2
        widths = tuple((half, half) if n == axis else (0, 0) for n in range(len(shape)))
        squares = Call(Pad(widths), (square(data), number(0, data)))
        near = [
            Call(StridedSlice((k,), (k + shape[axis],), axes=(axis,)), (squares,))
            for k in range(self.size)
        ]
        total = scaled(reduce(add, near), self.alpha / self.size)
        powers = (add(total, number(self.bias, data)), number(self.beta, data))
        return divide(data, Call(Power(), powers))

    def reference(self, data: Array) -> Array:
        """Return the result by NumPy: a sum of shifted squares, in a wider type."""
        axis, half = self.axis % data.ndim, self.size // 2
        x = np.moveaxis(widen(data), axis, -1)
        padded = np.pad(np.square(x), [(0, 0)] * (data.ndim - 1) + [(half, half)])
        total = sum(padded[..., k : k + x.shape[-1]] for k in range(self.size))
        result = x / (self.bias + self.alpha / self.size * total) ** self.beta
        return narrow(np.moveaxis(result, -1, axis), data.dtype)
