"""What stands in JSON, as an argument of a program."""

from typing import Any

import numpy as np

from relay.runtime.arguments import Array, as_array, unfit_number
from relay.runtime.program import TensorSpec


def written_tensor(written: Any, spec: TensorSpec) -> Array:
    """Return a number, or a list of them, with the element type of an input.

    It takes what `as_array` does, but for numbers that are too large for floats of that type: who
    calls from Python is warned and gets infinity, here that is `R006`, too.

    >>> written_tensor([1, 2.5], TensorSpec("x", (2,), "float32"))
    array([1. , 2.5], dtype=float32)
    """
    with np.errstate(over="ignore"):
        array = as_array(written, spec)
    if not spec.dtype.is_integer and np.any(np.isinf(array) & ~np.isinf(np.asarray(written))):
        raise unfit_number("a number that it cannot hold", spec)
    return array
