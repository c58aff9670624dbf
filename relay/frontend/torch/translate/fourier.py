"""Translate Fourier transforms of real and complex tensors."""

from collections.abc import Mapping

from relay.frontend.builders.fourier import resized, transformed, whole_spectrum
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.complex_numbers import argument, complex_operator
from relay.frontend.torch.translate.type_promotion import operand
from relay.ir.dims import product
from relay.ir.expr import Call, Expr
from relay.opdef.complex_rules import ComplexTensor
from relay.ops.binary import divide
from relay.ops.transcendental import Sqrt

_ROOTS: Mapping[int, float] = {0: 0.0, 1: 0.5, 2: 1.0}
"""The power of the number of elements by which PyTorch's modes of normalisation divide."""


@torch_operator("_fft_r2c")
@torch_operator("fft_r2c", namespace="prims")
def of_reals(node: TorchNode) -> ComplexTensor:
    """Transform real numbers; `onesided` keeps the lower frequencies of the last axis."""
    x, axes = argument(node), node.ints("dim")
    real, imaginary = transformed(x.parts, axes, inverse=False)
    if node.flag("onesided"):
        half = x.tensor_type.shape[axes[-1]] // 2 + 1
        real, imaginary = (resized(each, half, axes[-1]) for each in (real, imaginary))
    return _normalised(node, ComplexTensor(real, imaginary), x.real)


@torch_operator("_fft_c2c")
@torch_operator("fft_c2c", namespace="prims")
@complex_operator("_fft_c2c", "fft_c2c")
def of_complex(node: TorchNode) -> ComplexTensor:
    """Translate `fft_c2c`: transform complex numbers, forward or back."""
    x = argument(node)
    parts = transformed(x.parts, node.ints("dim"), inverse=not node.flag("forward"))
    return _normalised(node, ComplexTensor(*parts), x.real)


@torch_operator("_fft_c2r")
@torch_operator("fft_c2r", namespace="prims")
@complex_operator("_fft_c2r", "fft_c2r")
def to_reals(node: TorchNode) -> Expr:
    """Translate `fft_c2r`: the real signal, given the lower frequencies of the last axis."""
    x, axes = argument(node), node.ints("dim")
    size = node.dim("last_dim_size")
    parts = transformed(x.parts, axes[:-1], inverse=True)
    whole = whole_spectrum(parts, size, axes[-1])
    found = transformed(whole, axes[-1:], inverse=True)
    return _normalised(node, ComplexTensor(*found), found[0]).real


def _normalised(node: TorchNode, x: ComplexTensor, signal: Expr) -> ComplexTensor:
    """Divide by a power of the number of elements that were transformed."""
    power = _ROOTS[node.integer("normalization")] if "normalization" in node else 0.0
    if not power:
        return x
    count = product([signal.tensor_type.shape[axis] for axis in node.ints("dim")])
    factor = operand(node, node.as_tensor(count, "a size"), x.tensor_type.dtype)
    factor = factor if power == 1.0 else Call(Sqrt(), (factor,))
    return ComplexTensor(*(divide(each, factor) for each in x.parts))
