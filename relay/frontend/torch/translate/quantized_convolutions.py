"""Translate quantised convolutions of TorchScript."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.quantised_tensor import QuantisedTensor, QuantisedWeight, weight_of
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.quantized_functions import MODULES, quantised_operand
from relay.frontend.torch.translate.quantized_modules import (
    PackedWeight,
    requantised,
    zeros_and_scales,
)
from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.nn.conv_operators import Conv3D, Conv3DTranspose
from relay.ops.qnn.conv_and_matmul import QuantisedConv2D, QuantisedConv2DTranspose
from relay.ops.qnn.scale_and_zero_point import broadcast_parameter, subtract_zero_point

_NAMES = [
    *(f"conv{rank}d{suffix}" for rank in (1, 2, 3) for suffix in ("", "_relu")),
    *(f"conv_transpose{rank}d" for rank in (1, 2, 3)),
]


@torch_operator(*_NAMES, namespace=MODULES)
def convolution(node: TorchNode) -> QuantisedTensor:
    """Translate quantised convolution, which may be transposed.

    The weights of signals (`conv1d`) are those of images of height 1.
    """
    x = quantised_operand(node, "qx")
    packed: PackedWeight = node.value("packed_weight")
    weight, bias = packed.unpack()
    shape = x.tensor_type.shape
    is_signal = "1d" in node.operator
    image = replace(x, data=reshape(x.data, (*shape[:2], 1, *shape[2:]))) if is_signal else x
    kernel = weight_of(weight)
    result = requantised(node, x, _sums(node, image, kernel, packed), kernel, bias)
    if not is_signal:
        return result
    batch, channels, _, length = result.tensor_type.shape
    return replace(result, data=reshape(result.data, (batch, channels, length)))


def _sums(
    node: TorchNode, x: QuantisedTensor, kernel: QuantisedWeight, packed: PackedWeight
) -> Expr:
    """Return the integer sums of products; volumes are convolved without their zero points."""
    is_volume, transposed = kernel.data.tensor_type.rank == 5, packed.transpose()
    op = _CLASSES[is_volume, transposed](**_attributes(packed))
    zeros = zeros_and_scales(x, kernel)
    if not is_volume:
        return Call(op, (x.data, kernel.data, *zeros), span=node.span)
    outputs = broadcast_parameter(zeros[1], 1 if transposed else 0, 5)
    centred = subtract_zero_point(x.data, zeros[0]), subtract_zero_point(kernel.data, outputs)
    return Call(op, centred, span=node.span)


_CLASSES: Mapping[tuple[bool, bool], type[OperatorDef]] = {
    (False, False): QuantisedConv2D,
    (False, True): QuantisedConv2DTranspose,
    (True, False): Conv3D,
    (True, True): Conv3DTranspose,
}
"""The operators of images and volumes, not transposed and transposed."""


def _attributes(packed: PackedWeight) -> Mapping[str, Any]:
    """Return the attributes of the convolution of a packed weight."""
    numbers = {
        "strides": tuple(packed.stride()),
        "padding": tuple(packed.padding()) * 2,
        "dilation": tuple(packed.dilation()),
        "groups": packed.groups(),
    }
    if packed.transpose():
        numbers["output_padding"] = tuple(packed.output_padding())
    return numbers
