"""Products of matrices: the operators `nn.dense`, `nn.matmul`, and `nn.batch_matmul`."""

from collections.abc import Sequence

from relay.ir.dims import Dim, product
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.batched_call import Batched, aligned_shapes
from relay.opdef.broadcast_axes import BroadcastAxes, aligned_at_right
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.broadcasting import sum_to_shape_of
from relay.ops.cast import cast_like
from relay.ops.families import broadcast_index, extents, type_of
from relay.ops.nn.accumulation_dtype import narrow, product_dtype, sum_of_products, widen
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import DType, dtype
from relay.support.node import set_field


class MatrixProduct(OperatorDef):
    """The base of products `A · B` of the last two axes; either matrix may be transposed.

    Leading axes broadcast. Takes numbers; `out_dtype` is the element type of the result and of
    the sum. An element that is a sum of n products of floats differs from the exact one by at most
    (8193 + n / 8192) · u · Σ|a · b|, where u is the unit roundoff.
    """

    __slots__ = ()
    out_dtype: DType | None

    @property
    def transposes(self) -> tuple[bool, bool]:
        """Return whether the first and the second matrix are transposed."""
        raise AssertionError(f"{self.name} does not say what it transposes")

    def infer(self, tensor_a: TensorType, tensor_b: TensorType) -> TensorType:
        """Return the type of the product.

        Raises `T100` for wrong ranks, `T102` for element types, `T104` for scalars, `T105` for
        sizes that differ.
        """
        to = product_dtype(self.name, self.out_dtype, tensor_a=tensor_a, tensor_b=tensor_b)
        for name, ty in (("tensor_a", tensor_a), ("tensor_b", tensor_b)):
            checks.attribute(self.name, ty.rank >= 2, f"{name} must be a matrix, not {ty!r}")
        rows, inner = _oriented(tensor_a.shape, self.transposes[0])
        other, columns = _oriented(tensor_b.shape, self.transposes[1])
        fits = columns == inner and columns != other
        help_ = (
            "set transpose_b=True, or transpose the second matrix: then the sizes match"
            if fits
            else _INNER
        )
        checks.size(self.name, "rows of the second matrix", inner, other, help_)
        batch = checks.broadcast(self.name, tensor_a.shape[:-2], tensor_b.shape[:-2], trailing=2)
        return TensorType((*batch, rows, columns), to)

    def reference(self, tensor_a: Array, tensor_b: Array) -> Array:
        """Return the product by NumPy, computed in a wider type."""
        a, b = (
            widen(x.swapaxes(-1, -2) if flip else x)
            for x, flip in zip((tensor_a, tensor_b), self.transposes, strict=True)
        )
        return narrow(a @ b, self.out_dtype.numpy if self.out_dtype else tensor_a.dtype)

    def compute(self, tensor_a: te.Tensor, tensor_b: te.Tensor) -> te.Tensor:
        """Return the formula: a sum of products over the inner axis."""
        result = self.infer(type_of(tensor_a), type_of(tensor_b))
        flip_a, flip_b = self.transposes
        sizes_a, sizes_b = extents(tensor_a), extents(tensor_b)
        k = te.reduce_axis(sizes_a[-2 if flip_a else -1], "k")

        def element(*i: te.Scalar) -> te.Scalar:
            *batch, row, column = i
            left = (k, row) if flip_a else (row, k)
            right = (column, k) if flip_b else (k, column)
            a = tensor_a[(*broadcast_index(sizes_a[:-2], batch), *left)]
            b = tensor_b[(*broadcast_index(sizes_b[:-2], batch), *right)]
            return sum_of_products(a, b, k, result.dtype)

        return te.compute(result.shape, element, name=self.name)

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return the operator for a batch: one product of all rows if `tensor_b` is not batched."""
        a, b = (ty for ty in types if isinstance(ty, TensorType))
        flip_a, flip_b = self.transposes
        if mapped[1] or b.rank > 2 or flip_a:
            product_of_each = BatchMatmul(self.out_dtype, flip_a, flip_b)
            return Batched(
                product_of_each, aligned_shapes(types, mapped, size, max(a.rank, b.rank))
            )
        rows = product((size, *a.shape[:-1]))
        result = self.infer(a, b).shape
        return Batched(self, ((rows, a.shape[-1]),), (size, *result))

    def broadcast_axes(self, types: Sequence[TensorType]) -> Sequence[BroadcastAxes]:
        """Return the groups of leading axes that broadcast: they are aligned at the right."""
        return aligned_at_right([ty.rank for ty in types], trailing=2)

    def flops(self, tensor_a: TensorType, tensor_b: TensorType) -> Dim:
        """Return the number of operations: two for each product that is summed."""
        inner = _oriented(tensor_a.shape, self.transposes[0])[1]
        return 2 * product((*self.infer(tensor_a, tensor_b).shape, inner))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the products of the derivative with the other matrix, summed over broadcast axes.

        Products are summed in the result's element type, and then converted to that of the operand.
        """
        a, b = call.args
        flip_a, flip_b = self.transposes
        d_a = (b, d_out, flip_b, True) if flip_a else (d_out, b, False, not flip_b)
        d_b = (d_out, a, True, flip_a) if flip_b else (a, d_out, not flip_a, False)
        parts = [
            Call(BatchMatmul(self.out_dtype, flip, flop), (left, right))
            for left, right, flip, flop in (d_a, d_b)
        ]
        return tuple(
            sum_to_shape_of(cast_like(d, x), x) for d, x in zip(parts, (a, b), strict=True)
        )


def _oriented(shape: Sequence[Dim], flip: bool) -> tuple[Dim, Dim]:
    rows, columns = shape[-2:]
    return (columns, rows) if flip else (rows, columns)


_INNER = "give the first matrix as many columns as the second one has rows"


@operator("nn.matmul", "@")
class Matmul(MatrixProduct):
    """Multiply `tensor_a`, of any rank from 2, by the matrix `tensor_b`; either may be transposed.

    `units`, the number of columns of the result, determines an unknown type of `tensor_b`.
    """

    units: Dim | None = None
    out_dtype: DType | None = None
    transpose_a: bool = False
    transpose_b: bool = False

    result_dtype = "out_dtype"
    examples = (
        Example("f32[4, 5]", "f32[5, 3]"),
        Example("f32[5, 4]", "f32[3, 5]", transpose_a=True, transpose_b=True),
        Example("f32[2, 3, 5]", "f32[5, 7]"),
        Example("i8[4, 5]", "i8[5, 3]", out_dtype="int32", domain=(-100, 100)),
        Example("f64[1, 9]", "f64[9, 1]"),
        Example("f32[0, 4]", "f32[4, 2]"),
    )

    def __post_init__(self) -> None:
        set_field(self, "out_dtype", dtype(self.out_dtype) if self.out_dtype else None)

    @property
    def transposes(self) -> tuple[bool, bool]:
        """Return the attributes `transpose_a` and `transpose_b`."""
        return self.transpose_a, self.transpose_b

    def relate(self, types: Sequence[Type | None]) -> Sequence[Type | None]:
        """Return the type of the second matrix, inferred from the first's and `units`."""
        a, b = types
        if b is not None or self.units is None or not isinstance(a, TensorType) or a.rank < 2:
            return types
        inner = _oriented(a.shape, self.transpose_a)[1]
        shape = (self.units, inner) if self.transpose_b else (inner, self.units)
        return a, TensorType(shape, a.dtype)


@operator("nn.batch_matmul")
class BatchMatmul(MatrixProduct):
    """Multiply matrices along leading axes, which broadcast; either may be transposed.

    There may be any number of leading axes; in TVM's Relay there is one. The default of the
    attribute `transpose_b` is False, but that of the function `batch_matmul` is True, as in TVM's
    Relay.
    """

    out_dtype: DType | None = None
    transpose_a: bool = False
    transpose_b: bool = False

    result_dtype = "out_dtype"
    precision = Precision.ALWAYS
    examples = (
        Example("f32[3, 4, 5]", "f32[3, 5, 2]"),
        Example("f32[3, 4, 5]", "f32[3, 2, 5]", transpose_b=True),
        Example("f32[3, 5, 4]", "f32[1, 5, 2]", transpose_a=True),
        Example("f32[1, 5, 4]", "f32[3, 2, 5]", transpose_a=True, transpose_b=True),
        Example("f32[2, 1, 3, 4]", "f32[3, 4, 2]"),
        Example("i8[2, 3, 4]", "i8[2, 4, 3]", out_dtype="int32", domain=(-100, 100)),
        Example("f32[0, 3, 4]", "f32[0, 4, 2]"),
    )

    def __post_init__(self) -> None:
        set_field(self, "out_dtype", dtype(self.out_dtype) if self.out_dtype else None)

    @property
    def transposes(self) -> tuple[bool, bool]:
        """Return the attributes `transpose_a` and `transpose_b`."""
        return self.transpose_a, self.transpose_b


@operator("nn.dense")
class Dense(OperatorDef):
    """Multiply the last axis of `data` by the transpose of `weight`, which is `(units, inner)`.

    `data` has any rank from 1. `units` determines an unknown type of the weight. Any number dtype;
    `out_dtype` is the element type of the result. Floats are summed as by `nn.matmul`: the error of
    n products is at most (8193 + n / 8192) · u · Σ|a · b|, where u is the unit roundoff.
    """

    units: Dim | None = None
    out_dtype: DType | None = None

    result_dtype = "out_dtype"
    precision = Precision.ALWAYS
    examples = (
        Example("f32[4, 5]", "f32[3, 5]"),
        Example("f32[2, 3, 5]", "f32[7, 5]", units=7),
        Example("f32[5]", "f32[3, 5]"),
        Example("f32[1, 64]", "f32[10, 64]"),
        Example("u8[4, 5]", "i8[3, 5]", out_dtype="int32", domain=(0, 100)),
        Example("f32[0, 5]", "f32[3, 5]"),
    )

    def __post_init__(self) -> None:
        set_field(self, "out_dtype", dtype(self.out_dtype) if self.out_dtype else None)

    def infer(self, data: TensorType, weight: TensorType) -> TensorType:
        """Return the type of the product; raises `T100`, `T102` or `T105`."""
        to = product_dtype(self.name, self.out_dtype, data=data, weight=weight)
        checks.rank(self.name, "weight", weight, 2)
        checks.attribute(self.name, data.rank > 0, "data must not be a scalar")
        help_ = "a weight has the shape (units, inputs): transpose one of shape (inputs, units)"
        checks.size(
            self.name,
            "number of inputs of the weight",
            data.shape[-1],
            weight.shape[1],
            help_,
        )
        if self.units is not None:
            checks.size(self.name, "units", self.units, weight.shape[0])
        return TensorType((*data.shape[:-1], weight.shape[0]), to)

    def relate(self, types: Sequence[Type | None]) -> Sequence[Type | None]:
        """Return the type of the weight, inferred from the data's type and `units`."""
        data, weight = types
        if weight is not None or self.units is None or not isinstance(data, TensorType):
            return types
        return data, TensorType((self.units, *data.shape[-1:]), data.dtype)

    def reference(self, data: Array, weight: Array) -> Array:
        """Return the product by NumPy, computed in a wider type."""
        result = widen(data) @ widen(weight).T
        return narrow(result, self.out_dtype.numpy if self.out_dtype else data.dtype)

    def compute(self, data: te.Tensor, weight: te.Tensor) -> te.Tensor:
        """Return the formula: a sum of products over the last axis of both."""
        result = self.infer(type_of(data), type_of(weight))
        k = te.reduce_axis(weight.shape[1], "k")

        def element(*i: te.Scalar) -> te.Scalar:
            x, w = data[(*i[:-1], k)], weight[i[-1], k]
            return sum_of_products(x, w, k, result.dtype)

        return te.compute(result.shape, element, name=self.name)

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return the operator for a batch: one product of all rows if `weight` is not batched."""
        data, weight = (ty for ty in types if isinstance(ty, TensorType))
        lead = (size,) if mapped[0] else ()
        result = (size, *self.infer(data, weight).shape)
        rows, inner = product(data.shape[:-1]), data.shape[-1]
        if mapped[1]:
            each = BatchMatmul(self.out_dtype, transpose_b=True)
            return Batched(each, ((*(lead or (1,)), rows, inner),), result)
        return Batched(self, ((product((*lead, rows)), inner),), result)

    def flops(self, data: TensorType, weight: TensorType) -> Dim:
        """Return the number of operations: two for each product that is summed."""
        return 2 * product((*data.shape, weight.shape[0]))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the products with the weight and, for the weight, with the data."""
        data, weight = call.args
        units, inner = weight.tensor_type.shape
        rows = Call(Reshape((-1, inner)), (data,))
        d_rows = Call(Reshape((-1, units)), (d_out,))
        turned = Call(Transpose((1, 0)), (weight,))
        d_data = Call(Dense(out_dtype=self.out_dtype), (d_out, turned))
        d_weight = Call(Matmul(out_dtype=self.out_dtype, transpose_a=True), (d_rows, rows))
        return cast_like(d_data, data), cast_like(d_weight, weight)
