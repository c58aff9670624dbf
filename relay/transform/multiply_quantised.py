"""The pass that computes products of dequantised tensors from their 8-bit integers."""

import numpy as np

from relay.ir.dataflow import Found, operators, wildcard
from relay.ir.dims import product as product_of
from relay.ir.expr import Call, Constant, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Subtract, multiply
from relay.ops.cast import Cast
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.matmul import BatchMatmul, Dense, Matmul
from relay.ops.qnn.conv_and_matmul import (
    QuantisedBatchMatmul,
    QuantisedConv2D,
    QuantisedDense,
    attributes,
)
from relay.ops.qnn.quantize import Dequantize
from relay.ops.qnn.scale_and_zero_point import broadcast_parameter, cast
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import float32, int8, int32, uint8
from relay.support.node import node, value
from relay.transform.rewriting import RewritePass, Rule

numbers, scale, zero = wildcard(), wildcard(), wildcard()
weight, weight_scale, weight_zero = wildcard(), wildcard(), wildcard()
data_real, weight_real = operators(Dequantize), operators(Dequantize)
real = data_real(numbers, scale, zero)
product = operators(Conv2D, Dense, Matmul, BatchMatmul)
call = product(real, weight_real(weight, weight_scale, weight_zero))
wide, weight_wide = wildcard(), wildcard()
wide_call = product(wide, weight_wide)
reshape = operators(Reshape)
reshaped = reshape(real)


@value
class MultiplyQuantised(RewritePass):
    """Multiply the 8-bit integers of dequantised tensors instead of the real numbers.

    The integers of a product are exact; their sum times both scales differs from the sum of real
    numbers by rounding only. Cases 1 to 3 are products of two dequantised tensors, in float32:

    1. `nn.conv2d`, whose weight may have a scale for each output channel.
    2. `nn.dense`, and `nn.matmul` and `nn.batch_matmul` by a matrix, whose weight may have a scale
       for each column of the result.
    3. `nn.batch_matmul` by several matrices.
    4. A reshape of a dequantised tensor that has a single scale moves before the dequantisation.
    5. The same products of 8-bit integers that are widened to int32, with or without subtraction of
       a zero point, become products of the narrow integers with equal results. A cast from signed
       to unsigned bytes is not a widening, because it changes numbers.

    The data has one scale. This pass runs before constants are folded, which would leave no
    integers of a constant weight.
    """

    def rules(self) -> tuple[Rule, ...]:
        """Return the rules for reshaped operands, for real products and for integer products."""
        return (Rule(reshaped, _reshaped), Rule(call, _multiplied), Rule(wide_call, _narrowed))


@node
class _Operand:
    """A quantised tensor: integers, scale and zero point, and the axis along which scales vary.

    The axis is None for a single scale.
    """

    integers: Expr
    scale: Expr
    zero: Expr
    axis: int | None

    @property
    def is_small(self) -> bool:
        """Whether the integers are of type int8 or uint8."""
        return self.integers.tensor_type.dtype in (int8, uint8)


def _operand(op: Dequantize, integers: Expr, factor: Expr, point: Expr) -> _Operand:
    is_one = all(each.tensor_type.shape in ((), (1,)) for each in (factor, point))
    axis = None if is_one else op.axis % integers.tensor_type.rank
    return _Operand(integers, factor, point, axis)


def _reshaped(found: Found) -> Expr | None:
    """Return a reshape of a dequantised tensor as the dequantisation of reshaped integers."""
    data = _operand(found[data_real], found[numbers], found[scale], found[zero])
    if data.axis is not None:
        return None
    moved = Call(found[reshape], (data.integers,), span=found[reshaped].span)
    return Call(found[data_real], (moved, data.scale, data.zero))


def _multiplied(found: Found) -> Expr | None:
    data = _operand(found[data_real], found[numbers], found[scale], found[zero])
    other = _operand(found[weight_real], found[weight], found[weight_scale], found[weight_zero])
    whole = found[call]
    kinds = {found[data_real].out_dtype, found[weight_real].out_dtype, whole.tensor_type.dtype}
    made = _sums(found[product], data, other, whole) if kinds == {float32} else None
    if made is None:
        return None
    sums, place = made
    factor = broadcast_parameter(multiply(data.scale, other.scale), place, whole.tensor_type.rank)
    return multiply(cast(sums, float32), factor)


def _narrowed(found: Found) -> Expr | None:
    """Return a product of integers that casts widen to int32 as a product of the 8-bit integers."""
    data, other, whole = _widened(found[wide]), _widened(found[weight_wide]), found[wide_call]
    if data is None or other is None or whole.tensor_type.dtype is not int32:
        return None
    made = _sums(found[product], data, other, whole)
    return None if made is None else made[0]


def _widened(expr: Expr) -> _Operand | None:
    """Return the 8-bit integers that a tensor widens to int32, and the zero point it subtracts."""
    zero = Constant(np.array(0, np.int32))
    match expr:
        case Call(Subtract(), (Call(Cast(), (integers,)), point)):
            if product_of(point.tensor_type.shape) != 1 or point.tensor_type.dtype is not int32:
                return None
            zero = Call(Reshape(()), (point,)) if point.tensor_type.rank else point
        case Call(Cast(), (integers,)) if expr.tensor_type.dtype is int32:
            pass
        case _:
            return None
    return _Operand(integers, Constant(np.array(1, np.float32)), zero, None)


def _sums(op: OperatorDef, data: _Operand, other: _Operand, whole: Expr) -> tuple[Expr, int] | None:
    """Return the integer product of two operands, and its axis along which the scale may vary.

    The result is None for operators and operands that this pass does not support.
    """
    if data.axis is not None or not (data.is_small and other.is_small):
        return None
    match op:
        case Conv2D():  # case 1
            axis, place = op.layouts[1].position("O"), op.layouts[2].position("C")
            integral = QuantisedConv2D(**{**attributes(op), "out_dtype": None})
        case Dense():  # case 2
            axis, place, integral = 0, -1, QuantisedDense(op.units)
        case (
            Matmul(transpose_a=False, transpose_b=turned)
            | BatchMatmul(transpose_a=False, transpose_b=turned)
        ) if other.integers.tensor_type.rank == 2:
            axis, place, integral = 0, -1, QuantisedDense()
            other = other if turned else _turned(other)
        case BatchMatmul(transpose_a=False, transpose_b=turned):  # case 3
            axis, place, integral = None, -1, QuantisedBatchMatmul()
            other = other if turned else _turned(other)
        case _:
            return None
    if other.axis not in (None, axis):
        return None
    operands = data.integers, other.integers, data.zero, other.zero, data.scale, other.scale
    return Call(integral, operands, span=whole.span), place


def _turned(matrix: _Operand) -> _Operand:
    """Return a quantised matrix, or a batch of them, with the last two axes exchanged."""
    rank = matrix.integers.tensor_type.rank
    order = (*range(rank - 2), rank - 1, rank - 2)
    axis = None if matrix.axis is None else order.index(matrix.axis)
    return _Operand(Call(Transpose(order), (matrix.integers,)), matrix.scale, matrix.zero, axis)
