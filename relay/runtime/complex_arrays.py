"""Conversion of complex arrays at the border of a program, which computes on their parts."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from relay.runtime.program import TensorSpec
from relay.support.dtype import dtype

Array = npt.NDArray[np.generic]


def parts_of(array: Array) -> Array:
    """Return a dense complex array as a real one with a last axis of size 2, without a copy.

    >>> parts_of(np.array([1 + 2j]))
    array([[1., 2.]])
    """
    column = array.reshape(*array.shape, 1)
    return column.view(dtype(array.dtype).part.numpy).reshape(*array.shape, 2)


def of_parts(array: Array) -> Array:
    """Return the complex array of a dense real one with a last axis of size 2, without a copy.

    >>> of_parts(np.array([[1.0, 2.0]]))
    array([1.+2.j])
    """
    return array.view(dtype(array.dtype).as_complex.numpy).reshape(array.shape[:-1])


def inner_arrays(arrays: Sequence[Array], specs: Sequence[TensorSpec]) -> list[Array]:
    """Return the arrays that a program takes for the dense arrays of a caller."""
    pairs = zip(arrays, specs, strict=True)
    return [parts_of(array) if spec.is_complex else array for array, spec in pairs]


def outer_arrays(results: Sequence[Any], specs: Sequence[TensorSpec]) -> list[Any]:
    """Return the results of a program as the caller gets them."""
    pairs = zip(results, specs, strict=True)
    return [of_parts(cast("Array", r)) if spec.is_complex else r for r, spec in pairs]
