"""Products of dequantised numbers as products of the integers that they are made of."""

from relay.ir.dataflow import Found, operators, wildcard
from relay.ir.expr import Call, Expr
from relay.ops.binary import multiply
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.matmul import BatchMatmul, Dense, Matmul
from relay.ops.qnn.parameters import cast, spread
from relay.ops.qnn.products import (
    QuantisedBatchMatmul,
    QuantisedConv2D,
    QuantisedDense,
    attributes,
)
from relay.ops.qnn.quantize import Dequantize
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import float32, int8, uint8
from relay.support.node import node, value
from relay.transform.rewriting import RewritePass, Rule

numbers, scale, zero = wildcard(), wildcard(), wildcard()
weight, weight_scale, weight_zero = wildcard(), wildcard(), wildcard()
data_real, weight_real = operators(Dequantize), operators(Dequantize)
real = data_real(numbers, scale, zero)
product = operators(Conv2D, Dense, Matmul, BatchMatmul)
call = product(real, weight_real(weight, weight_scale, weight_zero))
reshape = operators(Reshape)
reshaped = reshape(real)


@value
class MultiplyQuantised(RewritePass):
    """Multiply 8-bit integers instead of the real numbers that they stand for.

    The integers of a product are exact; their sum times both scales differs from the sum of real
    numbers by rounding only. The product is of two dequantised tensors, in float32:

    1. `nn.conv2d`, whose weight may have a scale for each output channel.
    2. `nn.dense`, and `nn.matmul` by a matrix, which may have one for each column of the result.
    3. `nn.batch_matmul`.
    4. A reshaped dequantised tensor is a dequantised reshaped one, if it has one scale.

    The data has one scale. This pass runs before constants are folded, which would leave no
    integers of a constant weight.
    """

    def rules(self) -> tuple[Rule, ...]:
        """Return the table."""
        return (Rule(reshaped, _reshaped), Rule(call, _multiplied))


@node
class _Operand:
    """Integers, their scale and zero point, and the axis along which these lie, if any."""

    integers: Expr
    scale: Expr
    zero: Expr
    axis: int | None

    @property
    def is_small(self) -> bool:
        """Whether the integers have 8 bits."""
        return self.integers.tensor_type.dtype in (int8, uint8)


def _operand(op: Dequantize, integers: Expr, factor: Expr, point: Expr) -> _Operand:
    is_one = all(each.tensor_type.shape in ((), (1,)) for each in (factor, point))
    axis = None if is_one else op.axis % integers.tensor_type.rank
    return _Operand(integers, factor, point, axis)


def _reshaped(found: Found) -> Expr | None:
    """Return case 4."""
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
    if data.axis is not None or kinds != {float32} or not (data.is_small and other.is_small):
        return None
    match found[product]:
        case Conv2D() as op:  # case 1
            axis, place = op.layouts[1].position("O"), op.layouts[2].position("C")
            integral = QuantisedConv2D(**{**attributes(op), "out_dtype": None})
        case Dense() as op:  # case 2
            axis, place, integral = 0, -1, QuantisedDense(op.units)
        case Matmul(transpose_a=False, transpose_b=turned) if other.integers.tensor_type.rank == 2:
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
    sums = Call(integral, operands, span=whole.span)
    factor = spread(multiply(data.scale, other.scale), place, whole.tensor_type.rank)
    return multiply(cast(sums, float32), factor)


def _turned(matrix: _Operand) -> _Operand:
    """Return matrices transposed."""
    rank = matrix.integers.tensor_type.rank
    order = (*range(rank - 2), rank - 1, rank - 2)
    axis = None if matrix.axis is None else order.index(matrix.axis)
    return _Operand(Call(Transpose(order), (matrix.integers,)), matrix.scale, matrix.zero, axis)
