"""Translate quantised operators as arithmetic on the real numbers they represent."""

from collections.abc import Sequence

from relay.frontend.builders.products import multiplied
from relay.frontend.builders.quantization import dynamically_quantised, nearest
from relay.frontend.builders.tensors import channels_first, channels_last, constant, reshape
from relay.frontend.onnx.dtypes import tensor_dtype
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import MICROSOFT, onnx_operator
from relay.frontend.onnx.translate.conversions import converted
from relay.frontend.onnx.translate.convolution import convolution, pooled_average
from relay.frontend.onnx.translate.normalization import normalised
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.nn.activations import LeakyRelu
from relay.ops.nn.softmax import Softmax
from relay.ops.qnn.parameters import cast
from relay.ops.qnn.quantize import Dequantize
from relay.ops.reduction import Mean, Sum
from relay.ops.selection import where
from relay.ops.tensor.join import Concatenate
from relay.ops.tensor.repeat import Repeat
from relay.ops.tensor.slice import StridedSlice
from relay.ops.transcendental import Sigmoid
from relay.support.dtype import DType, dtype, float32, int8, int32, uint8


@onnx_operator("DequantizeLinear")
@onnx_operator("DequantizeLinear", domain=MICROSOFT)
def dequantize_linear(node: OnnxNode) -> Expr:
    """Return the real numbers: `(x - zero_point) · scale`, per tensor, per axis, or per block."""
    wanted = node.attribute("output_dtype", 0)
    real = _real(node, 0, node.attribute("axis", 1))
    return Call(Cast(tensor_dtype(wanted, node.span)), (real,)) if wanted else real


@onnx_operator("QuantizeLinear")
@onnx_operator("QuantizeLinear", domain=MICROSOFT)
def quantize_linear(node: OnnxNode) -> Expr:
    """Return the integers nearest to `x / scale + zero_point`, saturated to their type."""
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
    """Choose scale and zero point by the range of the data, which includes zero."""
    return dynamically_quantised(node.expr(0))


@onnx_operator("MatMulInteger")
def matmul_integer(node: OnnxNode) -> Expr:
    """Multiply integers without their zero points; the result is int32."""
    a, b = (_centred(node, index, index + 2, int32) for index in (0, 1))
    return multiplied(a, b)


@onnx_operator("ConvInteger")
def conv_integer(node: OnnxNode) -> Expr:
    """Convolve integers without their zero points; the result is int32."""
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
    """Multiply quantised matrices."""
    a, b = _real(node, 0, -2), _real(node, 3, -1)
    return quantised(node, multiplied(a, b), 6)


@onnx_operator("QLinearConv")
@onnx_operator("QLinearConv", domain=MICROSOFT)
def qlinear_conv(node: OnnxNode) -> Expr:
    """Convolve quantised images; the bias is int32 in steps of both scales' product.

    Channels may come last.
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
    """Add or multiply quantised tensors."""
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
    """Compute a function of one quantised tensor; channels may come last."""
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
        case "QLinearAveragePool":
            result = pooled_average(node, x)
        case "QLinearReduceMean":
            axes = tuple(node.required("axes"))
            result = Call(Mean(axis=axes, keepdims=bool(node.attribute("keepdims", 1))), (x,))
        case _:
            axes = tuple(range(2, x.tensor_type.rank))
            result = Call(Mean(axis=axes, keepdims=True), (x,))
    return quantised(node, result, 3)


@onnx_operator("MulInteger", domain=MICROSOFT)
def mul_integer(node: OnnxNode) -> Expr:
    """Multiply bytes without their zero points; the result is int32."""
    return multiply(_centred(node, 0, 1, int32), _centred(node, 2, 3, int32))


@onnx_operator("ReduceSumInteger", domain=MICROSOFT)
def reduce_sum_integer(node: OnnxNode) -> Expr:
    """Add up bytes as int32 numbers along axes."""
    axes = tuple(node.required("axes"))
    whole = Call(Cast(int32), (node.expr(0),))
    return Call(Sum(axis=axes, keepdims=bool(node.attribute("keepdims", 1))), (whole,))


@onnx_operator("QLinearConcat", domain=MICROSOFT)
def qlinear_concat(node: OnnxNode) -> Expr:
    """Concatenate quantised tensors, each with its own scale."""
    parts = tuple(_real(node, index, 1) for index in range(2, len(node.inputs), 3))
    joined = Call(Concatenate(node.required("axis")), (Tuple(parts),))
    return quantised(node, joined, 0)


@onnx_operator("QLinearWhere", domain=MICROSOFT)
def qlinear_where(node: OnnxNode) -> Expr:
    """Choose between quantised tensors, each with its own scale."""
    return quantised(node, where(node.expr(0), _real(node, 1, 1), _real(node, 4, 1)), 7)


def _real(node: OnnxNode, index: int, axis: int) -> Expr:
    """Return the real numbers of a quantised input; its scale and zero point follow it."""
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
    """Whether a quantised input has 8-bit integers, and one scale or one for each index."""
    x, *parameters = (node.type(at) for at in range(index, index + 3) if node.has(at))
    size = x.shape[axis] if -x.rank <= axis < x.rank else 1
    fits = all(each.shape in ((), (1,), (size,)) for each in parameters)
    is_plain = not node.attribute("block_size", 0) and parameters[0].dtype is float32
    return fits and is_plain and x.dtype in (int8, uint8)


def quantised(node: OnnxNode, real: Expr, index: int) -> Expr:
    """Quantise a result by the scale and the zero point in the inputs from `index` on."""
    zero = node.expr(index + 1)
    return _integers(node, divide(real, node.expr(index)), zero, zero.tensor_type.dtype)


def _along(node: OnnxNode, parameter: Expr, x: Expr, axis: int) -> Expr:
    """Return a scale or zero point in a shape that broadcasts to the tensor.

    The last block may extend past the tensor's end.
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
    """Return a scale in the element type of its dividend."""
    to = x.tensor_type.dtype
    return scale if scale.tensor_type.dtype is to else Call(Cast(to), (scale,))


def _integers(node: OnnxNode, real: Expr, zero: Expr | None, target: DType) -> Expr:
    """Return numbers in steps of a scale in their stored type: integers or minifloats."""
    return nearest(real, zero, target) if target.is_integer else converted(node, real, target)
