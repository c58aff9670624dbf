"""Reduction operators along axes: sums, products, means and variances."""

from collections.abc import Sequence
from math import prod

import numpy as np

from relay.ir.dims import is_static, static
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.scalar import Scalar, lift
from relay.opdef import checks
from relay.opdef.definition import Precision
from relay.opdef.example import Example, reduction_examples
from relay.opdef.table import operator
from relay.ops.binary import divide, multiply, opposite, scaled, subtract
from relay.ops.broadcasting import (
    BroadcastToLike,
    read_broadcast,
    require_broadcastable,
    sum_to_shape_of,
)
from relay.ops.creation import OnesLike, number
from relay.ops.families import (
    ANYTHING,
    FLOATS,
    Reduction,
    accumulator_dtype,
    extents,
    reduction_reader,
    total,
)
from relay.ops.tensor.leave_one_out_product import LeaveOneOutProduct
from relay.ops.tensor.reshape import ExpandDims
from relay.support.dtype import DType, Kind, complex128, dtype, float64, int64, uint64
from relay.support.node import set_field


def restored(reduced: Expr, data: Expr, axes: Sequence[int]) -> Expr:
    """Return a reduced tensor with its reduced axes inserted again, with size 1."""
    if reduced.tensor_type.rank == data.tensor_type.rank:
        return reduced
    for axis in axes:
        reduced = Call(ExpandDims(axis), (reduced,))
    return reduced


def like(small: Expr, data: Expr) -> Expr:
    """Return a tensor broadcast to the shape of `data`, as an expression."""
    return Call(BroadcastToLike(), (small, data))


def summed(x: Expr, axes: Sequence[int]) -> Expr:
    """Return the sum over axes, which are kept with size 1, as an expression.

    Here, an empty list means no axes, although as an attribute of `sum` it means all.
    """
    return Call(Sum(tuple(axes), keepdims=True), (x,)) if axes else x


def shared(x: Expr, data: Expr, axes: Sequence[int], less: int = 0) -> Expr:
    """Return `x` divided by the number of reduced elements minus `less`.

    If that number is not static, the elements are counted by a sum of ones.
    """
    sizes = tuple(data.tensor_type.shape[axis] for axis in axes)
    if is_static(sizes):
        return scaled(x, 1 / max(prod(static(sizes)) - less, 1))
    counted = summed(Call(OnesLike(), (data,)), axes)
    return divide(x, subtract(counted, number(less, x)) if less else counted)


@operator("sum")
class Sum(Reduction):
    """The sum along `axis`, in the dtype of `data`: integers wrap, for bool it is `any`.

    Half precision is summed in float32. Floats are summed in blocks of 8192: the sum of n differs
    from the exact one by at most (8192 + n / 8192) · u · Σ|x|, where u is the unit roundoff of the
    accumulator type, 2**-24 for float32. An empty sum is 0.
    """

    kinds = ANYTHING
    precision = Precision.NEVER
    examples = (*reduction_examples(), Example("bool[3, 4]", axis=1))

    def combine(self, x: Scalar, axes: Sequence[te.Axis]) -> Scalar:
        return te.any(x, axes) if x.dtype.kind is Kind.BOOL else total(x, axes)

    def reference(self, data: Array) -> Array:
        wide = _exact(dtype(data.dtype)).numpy
        result = np.sum(data, axis=self.axes(data.ndim), keepdims=self.keepdims, dtype=wide)
        return np.asarray(result).astype(data.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative of each sum, for each of its summands."""
        (data,) = call.args
        return (like(restored(d_out, data, self.axes(data.tensor_type.rank)), data),)


@operator("prod")
class Prod(Reduction):
    """The product along `axis`, in the dtype of `data`; integers wrap. An empty product is 1.

    Half precision is multiplied in float32.
    """

    examples = (
        *reduction_examples(domain=(0.5, 1.5)),
        Example("i32[5]", domain=(-9.0, 9.0)),
        Example("f64[3]", values={0: [0.0, 2.0, 3.0]}),
        Example("f64[2, 1, 2]", axis=[0, 2], values={0: [[[0.0, 2.0]], [[3.0, 4.0]]]}),
    )

    def combine(self, x: Scalar, axes: Sequence[te.Axis]) -> Scalar:
        return te.cast(te.prod(te.cast(x, accumulator_dtype(x.dtype)), axes), x.dtype)

    def reference(self, data: Array) -> Array:
        wide = accumulator_dtype(dtype(data.dtype)).numpy
        result = np.prod(data, axis=self.axes(data.ndim), keepdims=self.keepdims, dtype=wide)
        return np.asarray(result).astype(data.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative of each product, times the product of the other factors.

        The other factors are found one axis at a time: those of the same line, and the products of
        the other lines.
        """
        (data,) = call.args
        axes = self.axes(data.tensor_type.rank)
        found, products = restored(d_out, data, axes), data
        for axis in axes:
            found = multiply(found, Call(LeaveOneOutProduct(axis), (products,)))
            products = Call(Prod((axis,), keepdims=True), (products,))
        return (found,)


@operator("mean")
class Mean(Reduction):
    """The arithmetic mean along `axis`; the mean of integers is truncated toward zero.

    Half precision is summed in float32, integers in 64 bits. The mean of n floats differs from the
    exact one by at most (8193 + n / 8192) · u · Σ|x| / n, with u as for `sum`. An empty mean is NaN
    for floats and 0 for integers.
    """

    precision = Precision.NEVER
    examples = (
        *reduction_examples(),
        Example("i8[40]", domain=(50.0, 127.0)),
        Example("i32[7]", values={0: [-1, -1, -1, -1, 0, 0, 0]}),
    )

    def combine(self, x: Scalar, axes: Sequence[te.Axis]) -> Scalar:
        wide = _wide(x.dtype)
        by = lift(_count(axes), wide)
        return te.cast(te.sum(te.cast(x, wide), axes) / by, x.dtype)

    def reference(self, data: Array) -> Array:
        axes, of = self.axes(data.ndim), dtype(data.dtype)
        whole = np.sum(data, axis=axes, keepdims=self.keepdims, dtype=_exact(_wide(of)).numpy)
        by = whole.dtype.type(prod(data.shape[axis] for axis in axes))
        if of.is_float or of.is_complex:
            return np.asarray(np.divide(whole, by)).astype(data.dtype)
        return np.asarray((whole - np.fmod(whole, by)) // by).astype(data.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative of each mean, divided by the number of its elements."""
        (data,) = call.args
        axes = self.axes(data.tensor_type.rank)
        return (like(shared(restored(d_out, data, axes), data, axes), data),)


def _wide(of: DType) -> DType:
    """Return the element type in which elements are summed before the division."""
    match of.kind:
        case Kind.INT:
            return int64
        case Kind.UINT:
            return uint64
        case _:
            return accumulator_dtype(of)


def _exact(of: DType) -> DType:
    """Return the element type in which the reference sums; its rounding errors are negligible."""
    return complex128 if of.is_complex else float64 if of.is_float else of


def _count(axes: Sequence[te.Axis]) -> te.Dim:
    """Return the number of elements that a reduction over `axes` combines."""
    total: te.Dim = 1
    for axis in axes:
        total = total * axis.extent
    return total


@operator("variance")
class Variance(Reduction):
    """The mean along `axis` of `(data - mean)²`, given the `mean`; floats.

    The result for complex numbers is real: the mean of the squares of the distances.
    `mean` broadcasts to `data`: it keeps the reduced axes, with size 1. With `unbiased`, the sum is
    divided by the number of elements minus one. Half precision is computed in float32. The squares
    are summed as by `sum`: the error relative to the variance about the given mean is at most (8196
    + n / 8192) · u, in addition to that of the distances.
    """

    unbiased: bool = False

    kinds = FLOATS
    precision = Precision.NEVER
    examples = (
        Example("f32[3, 4]", "f32[1, 1]"),
        Example("f32[3, 4, 5]", "f32[3, 1, 5]", axis=1),
        Example("f64[2, 7]", "f64[2, 1]", axis=-1, keepdims=True, unbiased=True),
        Example("f32[2, 3, 4]", "f32[1, 3, 1]", axis=1, exclude=True),
        Example("f16[3, 30]", "f16[3, 1]", axis=1),
        Example("f64[4]", "f64[]"),
    )

    def __post_init__(self) -> None:
        super(Variance, self).__post_init__()
        set_field(self, "unbiased", bool(self.unbiased))

    def infer(self, data: TensorType, mean: TensorType) -> TensorType:
        checks.same_dtype(self.name, data, mean)
        checks.attribute(
            self.name, mean.rank <= data.rank, f"axis lists more axes than data has: {data!r}"
        )
        require_broadcastable(self.name, mean.shape, data.shape)
        found = super(Variance, self).infer(data)
        return TensorType(found.shape, found.dtype.part)

    def compute(self, data: te.Tensor, mean: te.Tensor) -> te.Tensor:
        positions = self.positions(len(data.shape))
        axes, element = reduction_reader(data, positions)
        wide = accumulator_dtype(data.dtype)
        by = lift(_count(axes) - self.unbiased, wide)

        def spread_over(*i: Scalar) -> Scalar:
            reduced = iter(axes)
            place = [next(reduced) if at is None else i[at] for at in positions]
            apart = te.cast(element(i), wide) - te.cast(
                read_broadcast(mean, place, extents(data)), wide
            )
            return te.cast(te.sum(apart * apart, axes) / by, data.dtype)

        return te.compute(self.shape(extents(data)), spread_over, name=self.name)

    def reference(self, data: Array, mean: Array) -> Array:
        wide = accumulator_dtype(dtype(data.dtype)).numpy
        axes = self.axes(data.ndim)
        apart = np.subtract(data.astype(wide), mean.astype(wide))
        squares = np.square(np.abs(apart), dtype=np.float64)
        whole = np.sum(squares, axis=axes, keepdims=self.keepdims)
        by = prod(data.shape[axis] for axis in axes) - self.unbiased
        return np.asarray(whole / whole.dtype.type(by)).astype(dtype(data.dtype).part.numpy)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives: for the data, a multiple of its distance from the mean.

        The derivative by the mean is the negative sum of these.
        """
        data, mean = call.args
        axes = self.axes(data.tensor_type.rank)
        share = shared(restored(d_out, data, axes), data, axes, less=int(self.unbiased))
        d_data = multiply(scaled(subtract(data, mean), 2.0), share)
        return (d_data, sum_to_shape_of(opposite(d_data), mean))
