"""Modules of PyTorch beside their imported programs: both must give the same."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

import relay
from relay.frontend.import_result import Imported
from relay.frontend.pytorch import import_torch_model


class Function(torch.nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: torch.Tensor) -> object:
        """Call the function."""
        return self.function(*args)


def agrees(
    model: torch.nn.Module,
    inputs: Sequence[Any],
    *others: Sequence[Any],
    dynamic_shapes: Any = None,
    tolerance: float = 1e-5,
) -> Imported:
    """Import a module, and compare it with itself on its inputs and on others; return the import.

    Arguments that are not tensors are part of the program.
    """
    model.eval()
    imported = import_torch_model(model, inputs, dynamic_shapes)
    compiled = relay.compile(imported, threads=1)
    for args in (inputs, *others):
        tensors = [x for x in pytree.tree_leaves(args) if isinstance(x, torch.Tensor)]
        with torch.no_grad():
            expected = [x for x in pytree.tree_leaves(model(*args)) if x is not None]
        found = compiled(*tensors)
        listed = found if isinstance(found, tuple | list) else [found]
        for one, other in zip(listed, expected, strict=False):
            same(np.asarray(one), other, tolerance)
    return imported


def same(found: np.ndarray, expected: Any, tolerance: float = 1e-5) -> None:
    """Assert that an array is what PyTorch gives, up to rounding relative to its largest value."""
    if isinstance(expected, torch.Tensor):
        expected = expected.detach().resolve_conj().resolve_neg().numpy()
    assert found.dtype == np.asarray(expected).dtype
    finite = np.abs(np.where(np.isfinite(expected), expected, 0)).max(initial=1)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * float(finite))
