"""Convert NumPy arrays to PyTorch tensors that share their memory."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import torch

from relay.support.dtype import bfloat16, dtype


def as_tensor(array: Any) -> torch.Tensor:
    """Return an array as a tensor that shares its memory.

    >>> import numpy as np
    >>> x = np.zeros(3, np.float32)
    >>> as_tensor(x)[0] = 1
    >>> x.tolist()
    [1.0, 0.0, 0.0]
    """
    given = np.asarray(array)
    element = dtype(given.dtype)
    if element is bfloat16:  # which PyTorch does not take from NumPy
        return torch.from_numpy(given.view(np.int16)).view(torch.bfloat16)
    if element.is_minifloat:
        return torch.from_numpy(given.view(np.uint8)).view(getattr(torch, element.name))
    return torch.from_numpy(given)


def as_tensors(result: Any) -> Any:
    """Return a result with arrays, also those in tuples, converted to tensors."""
    if isinstance(result, tuple | list):
        return tuple(map(as_tensors, cast("Sequence[Any]", result)))
    return as_tensor(result)
