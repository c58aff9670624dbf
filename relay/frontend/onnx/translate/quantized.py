"""Translate ONNX quantised operators: dequantise, compute with floats, quantise again."""

from collections.abc import Sequence

from relay.frontend.builders.matrix_products import multiplied
from relay.frontend.builders.quantization import dynamically_quantised, nearest
from relay.frontend.builders.tensor_helpers import (
    channels_first,
    channels_last,
    constant,
    reshape,
)
from relay.frontend.onnx.dtypes import tensor_dtype
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import MICROSOFT, onnx_operator
from relay.frontend.onnx.translate.casts import converted
from relay.frontend.onnx.translate.convolution import convolution, pooled_average
from relay.frontend.onnx.translate.normalization import normalised
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.nn.activations import LeakyRelu
from relay.ops.nn.softmax import Softmax
from relay.ops.qnn.quantize import Dequantize
from relay.ops.qnn.scale_and_zero_point import cast
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Mean, Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.tile_and_repeat import Repeat
from relay.ops.transcendental import Sigmoid
from relay.support.dtype import DType, dtype, float32, int8, int32, uint8


@onnx_operator("DequantizeLinear")
@onnx_operator("DequantizeLinear", domain=MICROSOFT)
def dequantize_linear(node: OnnxNode) -> Expr:
    """Translate `DequantizeLinear`: `(x - zero_point) · scale`, per tensor, axis or block."""
    wanted = node.attribute("output_dtype", 0)
    real = _real(node, 0, node.attribute("axis", 1))
    return Call(Cast(tensor_dtype(wanted, node.span)), (real,)) if wanted else real


@onnx_operator("QuantizeLinear")
@onnx_operator("QuantizeLinear", domain=MICROSOFT)
def quantize_linear(node: OnnxNode) -> Expr:
    """Translate `QuantizeLinear`: round `x / scale + zero_point`, saturated to the type."""
    x, axis = node.expr(0), node.attribute("axis", 1)
    wanted, precise = node.attribute("output_dtype", 0), node.attribute("precision", 0)
    default = tensor_dtype(wanted, node.span) if wanted else dtype("uint8")
    target = node.type(2).dtype if node.has(2) else default
    scale = _along(node, node.expr(1), x, axis)
    zero = _along(node, node.expr(2), x, axis) if node.has(2) else None
    if precise:
        of = tensor_dtype(precise, node.span)
        x, scale = (Call(Cast(of), (each,)) for each in (x, scale))
    return _integers(node, divide(x, _like(scale, x)), zero, target)


@onnx_operator("DynamicQuantizeLinear")
def dynamic_quantize_linear(node: OnnxNode) -> Sequence[Expr]:
    """Translate `DynamicQuantizeLinear`: scale and zero point follow from the data's range."""
    return dynamically_quantised(node.expr(0))


@onnx_operator("MatMulInteger")
def matmul_integer(node: OnnxNode) -> Expr:
    """Translate `MatMulInteger`: multiply integers minus zero points into int32."""
    a, b = (_centred(node, index, index + 2, int32) for index in (0, 1))
    return multiplied(a, b)


@onnx_operator("ConvInteger")
def conv_integer(node: OnnxNode) -> Expr:
    """Translate `ConvInteger`: convolve integers minus zero points into int32."""
    x, w = (_centred(node, index, index + 2, int32) for index in (0, 1))
    return convolution(node, x, w)


def _centred(node: OnnxNode, index: int, zero_at: int, to: DType) -> Expr:
    x = Call(Cast(to), (node.expr(index),))
    if not node.has(zero_at):
        return x
    zero = Call(Cast(to), (node.expr(zero_at),))
    is_rows = index == 0 and zero.tensor_type.rank == 1 and node.op == "MatMulInteger"
    if is_rows:
        zero = reshape(zero, (*zero.tensor_type.shape, 1))
    if node.op == "ConvInteger" and zero.tensor_type.rank == 1:
        zero = reshape(zero, (*zero.tensor_type.shape, *((1,) * (x.tensor_type.rank - 1))))
    return subtract(x, zero)


@onnx_operator("QLinearMatMul")
def qlinear_matmul(node: OnnxNode) -> Expr:
    """Translate `QLinearMatMul`: multiply quantised matrices."""
    a, b = _real(node, 0, -2), _real(node, 3, -1)
    return quantised(node, multiplied(a, b), 6)


@onnx_operator("QLinearConv")
@onnx_operator("QLinearConv", domain=MICROSOFT)
def qlinear_conv(node: OnnxNode) -> Expr:
    """Translate `QLinearConv`; the scale of its int32 bias is the product of both scales.

    Channels may be the last axis.
    """
    if node.attribute("channels_last", 0):
        first = node.with_inputs({0: channels_first(node.expr(0))})
        return channels_last(_convolved(first))
    return _convolved(node)


def _convolved(node: OnnxNode) -> Expr:
    x, w = _real(node, 0, 1), _real(node, 3, 0)
    result = convolution(node, x, w)
    if node.has(8):
        step = multiply(node.expr(1), node.expr(4))
        bias = multiply(Call(Cast(float32), (node.expr(8),)), step)
        spatial = (1,) * (node.rank(0) - 2)
        result = add(result, reshape(bias, (*bias.tensor_type.shape, *spatial)))
    return quantised(node, result, 6)


@onnx_operator("QLinearAdd", "QLinearMul", domain=MICROSOFT)
def qlinear_binary(node: OnnxNode) -> Expr:
    """Translate `QLinearAdd` and `QLinearMul`."""
    join = add if node.op == "QLinearAdd" else multiply
    return quantised(node, join(_real(node, 0, 1), _real(node, 3, 1)), 6)


@onnx_operator(
    "QLinearAveragePool",
    "QLinearGlobalAveragePool",
    "QLinearLeakyRelu",
    "QLinearReduceMean",
    "QLinearSigmoid",
    "QLinearSoftmax",
    domain=MICROSOFT,
)
def qlinear_unary(node: OnnxNode) -> Expr:
    """Translate operators of one quantised tensor; channels may be the last axis."""
    if node.attribute("channels_last", 0):
        first = node.with_inputs({0: channels_first(node.expr(0))})
        return channels_last(_of_one(first))
    return _of_one(node)


def _of_one(node: OnnxNode) -> Expr:
    x = _real(node, 0, 1)
    match node.op:
        case "QLinearSigmoid":
            result = Call(Sigmoid(), (x,))
        case "QLinearLeakyRelu":
            result = Call(LeakyRelu(node.attribute("alpha", 0.01)), (x,))
        case "QLinearSoftmax":
            is_joined = node.attribute("opset", 13) < 13
            result = normalised(node, Softmax, x, node.attribute("axis", -1), is_joined)
            zero = node.expr(4)
            stored = divide(result, node.expr(3))
            return nearest(stored, zero, zero.tensor_type.dtype, nan_is_lowest=False)
        case "QLinearAveragePool":
            # ONNX Runtime divides by the whole window even past the end, unlike for floats
            result = pooled_average(node, x, whole=bool(node.attribute("count_include_pad", 0)))
        case "QLinearReduceMean":
            axes = tuple(node.required("axes"))
            result = Call(Mean(axis=axes, keepdims=bool(node.attribute("keepdims", 1))), (x,))
        case _:
            axes = tuple(range(2, x.tensor_type.rank))
            result = Call(Mean(axis=axes, keepdims=True), (x,))
    return quantised(node, result, 3)


@onnx_operator("MulInteger", domain=MICROSOFT)
def mul_integer(node: OnnxNode) -> Expr:
    """Translate `MulInteger`: multiply 8-bit integers minus zero points into int32."""
    return multiply(_centred(node, 0, 1, int32), _centred(node, 2, 3, int32))


@onnx_operator("ReduceSumInteger", domain=MICROSOFT)
def reduce_sum_integer(node: OnnxNode) -> Expr:
    """Translate `ReduceSumInteger`: sum 8-bit integers along axes into int32."""
    axes = tuple(node.required("axes"))
    whole = Call(Cast(int32), (node.expr(0),))
    return Call(Sum(axis=axes, keepdims=bool(node.attribute("keepdims", 1))), (whole,))


@onnx_operator("QLinearConcat", domain=MICROSOFT)
def qlinear_concat(node: OnnxNode) -> Expr:
    """Translate `QLinearConcat` of quantised tensors with different scales."""
    parts = tuple(_real(node, index, 1) for index in range(2, len(node.inputs), 3))
    joined = Call(Concatenate(node.required("axis")), (Tuple(parts),))
    return quantised(node, joined, 0)


@onnx_operator("QLinearWhere", domain=MICROSOFT)
def qlinear_where(node: OnnxNode) -> Expr:
    """Translate `QLinearWhere` of quantised tensors with different scales."""
    return quantised(node, where(node.expr(0), _real(node, 1, 1), _real(node, 4, 1)), 7)


def _real(node: OnnxNode, index: int, axis: int) -> Expr:
    """Dequantise input `index`; its scale and zero point are the two inputs after it."""
    x, scale = node.expr(index), node.expr(index + 1)
    if _is_of_bytes(node, index, axis):
        zero = node.expr(index + 2) if node.has(index + 2) else constant(0, int32)
        return Call(Dequantize(axis=axis), (x, scale, cast(zero, int32)))
    to = scale.tensor_type.dtype
    real = Call(Cast(to), (x,))
    if node.has(index + 2):
        zero = Call(Cast(to), (_along(node, node.expr(index + 2), x, axis),))
        real = subtract(real, zero)
    return multiply(real, _along(node, scale, x, axis))


def _is_of_bytes(node: OnnxNode, index: int, axis: int) -> bool:
    """Whether an input has 8-bit integers, and one scale, or one per index of the axis."""
    x, *parameters = (node.type(at) for at in range(index, index + 3) if node.has(at))
    size = x.shape[axis] if -x.rank <= axis < x.rank else 1
    fits = all(each.shape in ((), (1,), (size,)) for each in parameters)
    is_plain = not node.attribute("block_size", 0) and parameters[0].dtype is float32
    return fits and is_plain and x.dtype in (int8, uint8)


def quantised(node: OnnxNode, real: Expr, index: int) -> Expr:
    """Quantise the floats `real`; inputs `index` and `index + 1` are scale and zero point."""
    zero = node.expr(index + 1)
    return _integers(node, divide(real, node.expr(index)), zero, zero.tensor_type.dtype)


def _along(node: OnnxNode, parameter: Expr, x: Expr, axis: int) -> Expr:
    """Return a scale or zero point in a shape that broadcasts to `x`.

    With blocks, the last block may extend past the end of the axis.
    """
    shape, rank = parameter.tensor_type.shape, x.tensor_type.rank
    block = node.attribute("block_size", 0)
    if block:
        repeated = Call(Repeat(block, axis), (parameter,))
        size = x.tensor_type.shape[axis]
        if repeated.tensor_type.shape[axis] == size:
            return repeated
        return Call(StridedSlice((0,), (size,), axes=(axis,)), (repeated,))
    if len(shape) != 1 or shape == (1,):
        return reshape(parameter, ()) if shape == (1,) else parameter
    at = axis % max(rank, 1)
    return reshape(parameter, (*shape, *((1,) * (rank - at - 1))))


def _like(scale: Expr, x: Expr) -> Expr:
    """Return a scale in the element type of the tensor that it divides."""
    to = x.tensor_type.dtype
    return scale if scale.tensor_type.dtype is to else Call(Cast(to), (scale,))


def _integers(node: OnnxNode, real: Expr, zero: Expr | None, target: DType) -> Expr:
    """Round scaled numbers to their stored type: integers or 8-bit floats."""
    return nearest(real, zero, target) if target.is_integer else converted(node, real, target)
