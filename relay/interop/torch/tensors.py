"""Convert NumPy arrays to PyTorch tensors that share their memory."""

from collections.abc import Sequence
from typing import Any, cast

import ml_dtypes
import numpy as np
import torch


def as_tensor(array: Any) -> torch.Tensor:
    """Return an array as a tensor that shares its memory.

    >>> import numpy as np
    >>> x = np.zeros(3, np.float32)
    >>> as_tensor(x)[0] = 1
    >>> x.tolist()
    [1.0, 0.0, 0.0]
    """
    given = np.asarray(array)
    if given.dtype == ml_dtypes.bfloat16:  # which PyTorch does not take from NumPy
        return torch.from_numpy(given.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(given)


def as_tensors(result: Any) -> Any:
    """Return a result with arrays, also those in tuples, converted to tensors."""
    if isinstance(result, tuple | list):
        return tuple(map(as_tensors, cast("Sequence[Any]", result)))
    return as_tensor(result)
