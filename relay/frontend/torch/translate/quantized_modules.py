"""Translate quantised linear layers of TorchScript."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from relay.frontend.builders.quantization import DynamicLinear
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
from relay.ops.nn.matmul import Dense
from relay.ops.qnn.conv_and_matmul import QuantisedDense
from relay.ops.qnn.quantize import Requantize
from relay.support.dtype import float32, int32

PackedWeight = Any
"""A weight and a bias as PyTorch's kernels need them: an object of TorchScript."""


@torch_operator("linear", "linear_relu", namespace=MODULES)
def linear(node: TorchNode) -> QuantisedTensor:
    """Translate quantised `linear`, for any number of leading axes."""
    x = quantised_operand(node, "X")
    weight, bias = _linear_weight(node.value("W_prepack"))
    kernel, (*leading, inner) = weight_of(weight), x.tensor_type.shape
    rows = replace(x, data=reshape(x.data, (product(leading), inner)))
    sums = Call(QuantisedDense(), (rows.data, kernel.data, *zeros_and_scales(x, kernel)))
    result = requantised(node, x, sums, kernel, bias)
    units = kernel.data.tensor_type.shape[0]
    return replace(result, data=reshape(result.data, (*leading, units)))


def _linear_weight(packed: PackedWeight) -> Sequence[Any]:
    operators: Any = torch.ops
    return operators.quantized.linear_unpack(packed)


def zeros_and_scales(x: QuantisedTensor, kernel: QuantisedWeight) -> tuple[Expr, ...]:
    """Return the zero points of data and weight, then their scales."""
    scale, zero = parameters(x.scale, x.zero)
    return zero, Constant(kernel.zero), scale, Constant(kernel.scale)


def requantised(
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
        return Constant(np.rint(bias / step.array).astype(np.int32))
    return converted(Call(Rint(), (divide(Constant(bias), step),)), int32)


@torch_operator("linear_dynamic", "linear_relu_dynamic", namespace=MODULES)
def linear_dynamic(node: TorchNode) -> Expr:
    """Translate dynamically quantised `linear`: the data is quantised by its range."""
    layer = dynamic_linear(node.value("W_prepack"), node.flag("reduce_range"))
    result = layer(node.tensor("X"))
    return Call(Relu(), (result,)) if node.operator == "linear_relu_dynamic" else result


def dynamic_linear(packed: PackedWeight, reduce_range: bool) -> DynamicLinear:
    """Return the layer of a packed weight that multiplies data quantised by its range."""
    weight, bias = _linear_weight(packed)
    kernel = weight_of(weight)
    levels = 127.0 if reduce_range else 255.0
    numbers = None if bias is None else bias.detach().numpy()
    return DynamicLinear(kernel.data.array, kernel.scale, kernel.zero, numbers, levels)


@torch_operator("linear_dynamic_fp16", "linear_relu_dynamic_fp16", namespace=MODULES)
def linear_float16(node: TorchNode) -> Expr:
    """Translate `linear` with a weight that is stored as float16."""
    x, (weight, bias) = node.tensor("X"), float16_weight(node.value("W_prepack"))
    *leading, inner = x.tensor_type.shape
    result: Expr = Call(Dense(), (reshape(x, (product(leading), inner)), weight), span=node.span)
    result = result if bias is None else add(result, bias)
    if node.operator == "linear_relu_dynamic_fp16":
        result = Call(Relu(), (result,))
    return reshape(result, (*leading, weight.tensor_type.shape[0]))


def float16_weight(packed: PackedWeight) -> tuple[Expr, Expr | None]:
    """Return the weight and the bias of a packed weight that is stored as float16."""
    operators: Any = torch.ops
    weight, bias = operators.quantized.linear_unpack_fp16(packed)
    numbers = [x if x is None else Constant(x.detach().float().numpy()) for x in (weight, bias)]
    assert numbers[0] is not None, "a layer has a weight"
    return numbers[0], numbers[1]
