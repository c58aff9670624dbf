"""Translate PyTorch's quantise and dequantise operators, of PT2E programs and TorchScript."""

from collections.abc import Sequence

from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.torch.dtypes import relay_dtype
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.quantised_tensor import STORED, QuantisedTensor, quantised
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.quantized_functions import scale_and_zero_point
from relay.frontend.torch.translate.type_promotion import operand
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import Maximum, Minimum, divide, multiply, subtract
from relay.ops.creation import Zeros
from relay.ops.elementwise import Clip, Rint
from relay.ops.max_min_reductions import Max, Min
from relay.ops.qnn.quantize import Dequantize, Quantize
from relay.ops.qnn.scale_and_zero_point import SMALL
from relay.support.dtype import DType, float32, float64, int32, int64, uint8
from relay.support.error_codes import ErrorCode

PT2E = "quantized_decomposed"
"""The namespace of the operators that `convert_pt2e` inserts."""


@torch_operator("quantize_per_tensor", "quantize_per_channel", namespace=PT2E)
def quantize(node: TorchNode) -> Expr:
    """Translate quantisation: nearest integers, limited to `quant_min` … `quant_max`."""
    dtype = _stored(node)
    x = converted(node.tensor("input"), float32)
    data = Call(Quantize(dtype, _axis(node)), (x, *_parameters(node)), span=node.span)
    limits = node.number("quant_min"), node.number("quant_max")
    return data if limits == dtype.limits else Call(Clip(*limits), (data,))


@torch_operator("dequantize_per_tensor", "dequantize_per_channel", namespace=PT2E)
def dequantize(node: TorchNode) -> Expr:
    """Translate dequantisation: the real numbers that integers represent."""
    node.ignore("quant_min", "quant_max", "dtype")
    x = node.tensor("input")
    op = Dequantize(node.dtype("out_dtype") or float32, _axis(node))
    return Call(op, (x, *_parameters(node)), span=node.span)


@torch_operator("choose_qparams", "choose_qparams_symmetric", namespace=PT2E)
def parameters_of_range(node: TorchNode) -> Sequence[Expr]:
    """Translate `choose_qparams`: scale (float64) and zero point (int64) for a tensor's range.

    The range always includes zero.
    """
    x = converted(node.tensor("input"), float32)
    least, most = node.number("quant_min"), node.number("quant_max")
    zero = constant(0.0, float32)
    low = Call(Minimum(), (Call(Min(), (x,)), zero))
    high = Call(Maximum(), (Call(Max(), (x,)), zero))
    is_symmetric = node.operator == "choose_qparams_symmetric"
    width = subtract(high, low)
    if is_symmetric:
        high = Call(Maximum(), (subtract(zero, low), high))
        width = multiply(high, constant(2.0, float32))
    scale = divide(width, constant(most - least, float32))
    scale = Call(Maximum(), (scale, constant(node.number("eps"), float32)))
    if is_symmetric:
        point: Expr = constant(128.0 if _stored(node) is uint8 else 0.0, float32)
    else:
        point = subtract(constant(least, float32), Call(Rint(), (divide(low, scale),)))
        point = Call(Clip(least, most), (point,))
    node.ignore("dtype")
    return reshape(converted(scale, float64), (1,)), reshape(converted(point, int64), (1,))


def _stored(node: TorchNode) -> DType:
    """Return the element type of the integers; raises `F030` if it is unsupported."""
    dtype = relay_dtype(node.value("dtype"), node.span)
    if dtype.name not in SMALL:
        message = f"tensors quantised to the type {dtype} are not supported"
        raise node.error(ErrorCode.F030, message, help=f"quantise to one of {', '.join(SMALL)}")
    return dtype


def _axis(node: TorchNode) -> int:
    return node.integer("axis") if "axis" in node else -1


def _parameters(node: TorchNode) -> tuple[Expr, Expr]:
    """Return scale and zero point: scalars, or vectors along the channel axis."""
    if "scale" in node.arguments:
        scale = operand(node, node.value("scale"), float32)
        zero = operand(node, node.value("zero_point"), int32)
        return reshape(scale, ()), reshape(zero, ())
    scales = node.tensor("scales")
    zeros = node.optional("zero_points")
    if zeros is None:
        zeros = Call(Zeros(scales.tensor_type.shape, int32), ())
    return _as(scales, float32), _as(zeros, int32)


def _as(x: Expr, dtype: DType) -> Expr:
    """Return a parameter converted to an element type; constants are converted at import."""
    if isinstance(x, Constant):
        return Constant(x.array.astype(dtype.numpy), span=x.span)
    return converted(x, dtype)


@torch_operator("quantize_per_tensor")
def quantize_per_tensor(node: TorchNode) -> QuantisedTensor:
    """Translate `quantize_per_tensor`, whose scale and zero point may be computed at run time."""
    scale, zero = scale_and_zero_point(node, "scale", "zero_point")
    return quantised(node.tensor("self"), scale, zero, stored_dtype(node))


def stored_dtype(node: TorchNode) -> DType:
    """Return the integer type that the quantised element type of a node stores."""
    return STORED[node.value("dtype")]


@torch_operator("dequantize")
def dequantize_tensor(node: TorchNode) -> Expr:
    """Translate `dequantize` of TorchScript; tensors that are not quantised are unchanged."""
    x = node.value("self")
    return x.real if isinstance(x, QuantisedTensor) else node.tensor("self")


@torch_operator("int_repr", "q_scale", "q_zero_point")
def part(node: TorchNode) -> object:
    """Translate accessors of a quantised tensor: its integers, scale or zero point."""
    x = node.value("self")
    assert isinstance(x, QuantisedTensor), "PyTorch requires a quantised tensor"
    return {"int_repr": x.data, "q_scale": x.scale, "q_zero_point": x.zero}[node.operator]
