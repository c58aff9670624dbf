"""Quantised tensors of PyTorch: integers with a scale and a zero point."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch

from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.ops.qnn.quantize import Dequantize, Quantize
from relay.support.dtype import DType, float32, int8, int32, uint8

STORED: Mapping[torch.dtype, DType] = {
    torch.quint8: uint8,
    torch.qint8: int8,
    torch.qint32: int32,
}
"""The integers that PyTorch's quantised element types store."""


Scale: TypeAlias = float | Expr
"""A scale: a number if it is known, else an expression, such as a buffer of a compiled module."""

ZeroPoint: TypeAlias = int | Expr
"""A zero point: a number if it is known, else an expression."""


@dataclass(frozen=True, eq=False)
class QuantisedTensor:
    """Integers `q` that represent the real numbers `(q - zero) · scale`."""

    data: Expr
    scale: Scale
    zero: ZeroPoint

    @property
    def tensor_type(self) -> TensorType:
        """Return the type of the tensor of integers."""
        return self.data.tensor_type

    @property
    def real(self) -> Expr:
        """Return the real numbers that the integers represent, as float32."""
        return Call(Dequantize(), (self.data, *parameters(self.scale, self.zero)))

    def of_reals(self, real: Expr) -> "QuantisedTensor":
        """Quantise real numbers with the scale and zero point of this tensor."""
        return quantised(real, self.scale, self.zero, self.tensor_type.dtype)


def quantised(real: Expr, scale: Scale, zero: ZeroPoint, dtype: DType) -> QuantisedTensor:
    """Quantise real numbers: round to the nearest integers, and saturate."""
    data = Call(Quantize(dtype), (real, *parameters(scale, zero)))
    return QuantisedTensor(data, scale, zero)


def parameters(scale: Scale, zero: ZeroPoint) -> tuple[Expr, Expr]:
    """Return a scale and a zero point as operands of a quantised operator."""
    return scalar(scale, float32), scalar(zero, int32)


def scalar(number: float | Expr, dtype: DType) -> Expr:
    """Return a number, or a tensor with one element, as a scalar."""
    if isinstance(number, Expr):
        return reshape(converted(number, dtype), ())
    return constant(number, dtype)


@dataclass(frozen=True, eq=False)
class QuantisedWeight:
    """The integers of a weight, with scale and zero point: scalars, or one per channel."""

    data: Constant
    scale: Array
    zero: Array


def weight_of(tensor: torch.Tensor) -> QuantisedWeight:
    """Return a quantised PyTorch weight: with one scale, or one per output channel."""
    whole: Any = tensor
    if whole.qscheme() in (torch.per_channel_affine, torch.per_channel_symmetric):
        scale, zero = whole.q_per_channel_scales().numpy(), whole.q_per_channel_zero_points()
    else:
        scale, zero = np.asarray(whole.q_scale()), torch.tensor(whole.q_zero_point())
    data = Constant(whole.int_repr().numpy())
    return QuantisedWeight(data, scale.astype(np.float32), zero.numpy().astype(np.int32))


def quantised_constant(tensor: torch.Tensor) -> QuantisedTensor:
    """Return a quantised PyTorch tensor with one scale as a constant."""
    whole: Any = tensor
    return QuantisedTensor(
        Constant(whole.int_repr().numpy()), whole.q_scale(), whole.q_zero_point()
    )
