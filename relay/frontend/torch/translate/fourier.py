"""Translate Fourier transforms of real and complex tensors."""

from collections.abc import Mapping

from relay.frontend.builders.fourier import fourier, reals_of_spectrum, spectrum_of_reals
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.type_promotion import operand
from relay.ir.dims import product
from relay.ir.expr import Call, Expr
from relay.ops.binary import divide
from relay.ops.transcendental import Sqrt

_ROOTS: Mapping[int, float] = {0: 0.0, 1: 0.5, 2: 1.0}
"""The power of the number of elements by which PyTorch's modes of normalisation divide."""


@torch_operator("_fft_r2c")
@torch_operator("fft_r2c", namespace="prims")
def of_reals(node: TorchNode) -> Expr:
    """Transform real numbers; `onesided` keeps the lower frequencies of the last axis."""
    x, axes = node.tensor("self"), node.ints("dim")
    found = spectrum_of_reals(x, axes) if node.flag("onesided") else fourier(x, axes)
    return _normalised(node, found, x)


@torch_operator("_fft_c2c")
@torch_operator("fft_c2c", namespace="prims")
def of_complex(node: TorchNode) -> Expr:
    """Translate `fft_c2c`: transform complex numbers, forward or back."""
    x = node.tensor("self")
    return _normalised(node, fourier(x, node.ints("dim"), inverse=not node.flag("forward")), x)


@torch_operator("_fft_c2r")
@torch_operator("fft_c2r", namespace="prims")
def to_reals(node: TorchNode) -> Expr:
    """Translate `fft_c2r`: the real signal, given the lower frequencies of the last axis."""
    x, axes = node.tensor("self"), node.ints("dim")
    found = reals_of_spectrum(x, axes, node.dim("last_dim_size"), factor=1.0)
    return _normalised(node, found, found)


def _normalised(node: TorchNode, x: Expr, signal: Expr) -> Expr:
    """Divide by a power of the number of elements that were transformed."""
    power = _ROOTS[node.integer("normalization")] if "normalization" in node else 0.0
    if not power:
        return x
    count = product([signal.tensor_type.shape[axis] for axis in node.ints("dim")])
    dtype = signal.tensor_type.dtype.part
    factor = operand(node, node.as_tensor(count, "a size"), dtype)
    factor = factor if power == 1.0 else Call(Sqrt(), (factor,))
    return divide(x, operand(node, factor, x.tensor_type.dtype))
