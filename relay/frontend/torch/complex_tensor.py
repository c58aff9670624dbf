"""The element types of PyTorch's complex tensors, and complex constants."""

from collections.abc import Mapping

import torch

from relay.frontend.torch.dtypes import shared_array
from relay.ir.expr import Constant
from relay.opdef.complex_rules import ComplexTensor
from relay.support.span import Span

PART_TYPES: Mapping[torch.dtype, torch.dtype] = {
    torch.complex32: torch.float16,
    torch.complex64: torch.float32,
    torch.complex128: torch.float64,
}
"""The element types of the parts of complex numbers."""


def complex_constant(tensor: torch.Tensor, span: Span | None = None) -> ComplexTensor:
    """Return a complex PyTorch tensor of a model as two constants."""
    pairs = shared_array(torch.view_as_real(tensor.detach().resolve_conj()), span)
    real, imaginary = (Constant(pairs[..., part], span=span) for part in (0, 1))
    return ComplexTensor(real, imaginary)
