"""Translate quantised convolutions and linear layers of TorchScript."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from relay.frontend.builders.quantization import dynamically_quantised
from relay.frontend.builders.tensor_helpers import converted, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.quantised_tensor import (
    QuantisedTensor,
    QuantisedWeight,
    parameters,
    scalar,
    weight_of,
)
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.quantized_functions import (
    MODULES,
    quantised_operand,
    result_parameters,
)
from relay.ir.dims import product
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.binary import Maximum, add, divide, multiply
from relay.ops.elementwise import Rint
from relay.ops.nn.activations import Relu
from relay.ops.qnn.conv_and_matmul import QuantisedConv2D, QuantisedDense
from relay.ops.qnn.quantize import Requantize
from relay.support.dtype import float32, int32

_Packed = Any
"""A weight and a bias as PyTorch's kernels need them: an object of TorchScript."""


@torch_operator("conv1d", "conv1d_relu", "conv2d", "conv2d_relu", namespace=MODULES)
def convolution(node: TorchNode) -> QuantisedTensor:
    """Translate quantised convolution."""
    x, packed = quantised_operand(node, "qx"), node.value("packed_weight")
    weight, bias = packed.unpack()
    kernel, shape = weight_of(weight), x.tensor_type.shape
    is_signal = node.operator.startswith("conv1d")
    data = reshape(x.data, (*shape[:2], 1, *shape[2:])) if is_signal else x.data
    op = QuantisedConv2D(
        strides=tuple(packed.stride()),
        padding=tuple(packed.padding()) * 2,
        dilation=tuple(packed.dilation()),
        groups=packed.groups(),
        channels=kernel.data.tensor_type.shape[0],
        kernel_size=kernel.data.tensor_type.shape[2:],
    )
    sums = Call(op, (data, kernel.data, *_zeros_and_scales(x, kernel)), span=node.span)
    result = _requantised(node, x, sums, kernel, bias)
    if not is_signal:
        return result
    batch, channels, _, length = result.tensor_type.shape
    return replace(result, data=reshape(result.data, (batch, channels, length)))


@torch_operator("linear", "linear_relu", namespace=MODULES)
def linear(node: TorchNode) -> QuantisedTensor:
    """Translate quantised `linear`, for any number of leading axes."""
    x = quantised_operand(node, "X")
    weight, bias = _linear_weight(node.value("W_prepack"))
    kernel, (*leading, inner) = weight_of(weight), x.tensor_type.shape
    rows = replace(x, data=reshape(x.data, (product(leading), inner)))
    sums = Call(QuantisedDense(), (rows.data, kernel.data, *_zeros_and_scales(x, kernel)))
    result = _requantised(node, x, sums, kernel, bias)
    units = kernel.data.tensor_type.shape[0]
    return replace(result, data=reshape(result.data, (*leading, units)))


def _linear_weight(packed: _Packed) -> Sequence[Any]:
    operators: Any = torch.ops
    return operators.quantized.linear_unpack(packed)


def _zeros_and_scales(x: QuantisedTensor, kernel: QuantisedWeight) -> tuple[Expr, ...]:
    scale, zero = parameters(x.scale, x.zero)
    return zero, Constant(kernel.zero), scale, Constant(kernel.scale)


def _requantised(
    node: TorchNode, x: QuantisedTensor, sums: Expr, kernel: QuantisedWeight, bias: Any
) -> QuantisedTensor:
    """Return integer sums of products in the result's scale, with bias and activation."""
    step = _steps(x, kernel)
    if bias is not None:
        spatial = (1,) * (sums.tensor_type.rank - 2)
        sums = add(sums, reshape(_whole(bias.detach().numpy(), step), (bias.numel(), *spatial)))
    scale, zero = result_parameters(node)
    dtype = x.tensor_type.dtype
    op = Requantize(1, rounding="TONEAREST", compute_dtype="float32", out_dtype=dtype)
    none = Constant(np.zeros(kernel.scale.shape, np.int32))
    data: Expr = Call(op, (sums, step, none, *parameters(scale, zero)))
    if node.operator.endswith("_relu"):
        least = max(zero, dtype.limits[0]) if isinstance(zero, int) else zero
        data = Call(Maximum(), (data, scalar(least, dtype)))
    return QuantisedTensor(data, scale, zero)


def _steps(x: QuantisedTensor, kernel: QuantisedWeight) -> Expr:
    """Return the scales of integer sums of products: a scalar, or one per channel."""
    if isinstance(x.scale, Expr):
        return multiply(scalar(x.scale, float32), Constant(kernel.scale))
    return Constant(np.float32(x.scale) * kernel.scale)


def _whole(bias: Array, step: Expr) -> Expr:
    """Return a bias as integers of the scales `step`."""
    if isinstance(step, Constant):
        return Constant(np.rint(bias / step.data).astype(np.int32))
    return converted(Call(Rint(), (divide(Constant(bias), step),)), int32)


@torch_operator("linear_dynamic", "linear_relu_dynamic", namespace=MODULES)
def linear_dynamic(node: TorchNode) -> Expr:
    """Translate dynamically quantised `linear`: the data is quantised by its range."""
    x = node.tensor("X")
    weight, bias = _linear_weight(node.value("W_prepack"))
    kernel, (*leading, inner) = weight_of(weight), x.tensor_type.shape
    rows = reshape(x, (product(leading), inner))
    data, scale, point = dynamically_quantised(rows, 127.0 if node.flag("reduce_range") else 255.0)
    numbers = converted(point, int32), Constant(kernel.zero), scale, Constant(kernel.scale)
    sums = Call(QuantisedDense(), (data, kernel.data, *numbers), span=node.span)
    result = multiply(converted(sums, float32), multiply(scale, Constant(kernel.scale)))
    if bias is not None:
        result = add(result, Constant(bias.detach().numpy()))
    if node.operator == "linear_relu_dynamic":
        result = Call(Relu(), (result,))
    return reshape(result, (*leading, kernel.data.tensor_type.shape[0]))
