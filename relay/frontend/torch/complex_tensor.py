"""Complex tensors: Relay has no complex numbers, so they are two tensors of real ones.

A program takes and returns them as PyTorch's `view_as_real` gives them, with a last axis of size 2.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from relay.frontend.builders.tensors import constant
from relay.frontend.torch.dtypes import shared_array
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ir.types import TensorType
from relay.ops.creation import ZerosLike
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.gather import Take
from relay.support.dtype import int64
from relay.support.span import Span

PART_TYPES: Mapping[torch.dtype, torch.dtype] = {
    torch.complex32: torch.float16,
    torch.complex64: torch.float32,
    torch.complex128: torch.float64,
}
"""The element types of the parts of complex numbers."""


@dataclass(frozen=True, eq=False)
class ComplexTensor:
    """A tensor of complex numbers, as a tensor of real parts and a tensor of imaginary parts."""

    real: Expr
    imaginary: Expr

    @property
    def parts(self) -> tuple[Expr, Expr]:
        """Return both parts."""
        return self.real, self.imaginary

    @property
    def tensor_type(self) -> TensorType:
        """Return the type of each part."""
        return self.real.tensor_type

    @property
    def pairs(self) -> Expr:
        """Return one real tensor, with the parts along a new last axis of size 2."""
        return Call(Stack(-1), (Tuple(self.parts),), span=self.real.span)


def of_pairs(x: Expr) -> ComplexTensor:
    """Return the complex tensor whose parts are along the last axis of `x`, of size 2."""
    real, imaginary = (Call(Take(axis=-1), (x, constant(part, int64))) for part in (0, 1))
    return ComplexTensor(real, imaginary)


def of_real(x: Expr) -> ComplexTensor:
    """Return a real tensor as a complex one, whose imaginary part is zero."""
    return ComplexTensor(x, Call(ZerosLike(), (x,)))


def complex_constant(tensor: torch.Tensor, span: Span | None = None) -> ComplexTensor:
    """Return a complex PyTorch tensor of a model as two constants."""
    pairs = shared_array(torch.view_as_real(tensor.detach().resolve_conj()), span)
    real, imaginary = (Constant(pairs[..., part], span=span) for part in (0, 1))
    return ComplexTensor(real, imaginary)
