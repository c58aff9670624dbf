"""Conversion of complex arrays at the border of a program, which computes on their parts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from relay.runtime.aligned_memory import is_dense
from relay.runtime.program import Signature, TensorSpec

Array = npt.NDArray[np.generic]

_Type = np.dtype[np.generic]
_PARTS: Mapping[_Type, _Type] = {
    np.dtype("complex64"): np.dtype("float32"),
    np.dtype("complex128"): np.dtype("float64"),
}
_WHOLE: Mapping[_Type, _Type] = {part: whole for whole, part in _PARTS.items()}


def parts_of(array: Array) -> Array:
    """Return a dense complex array as a real one with a last axis of size 2, without a copy.

    >>> parts_of(np.array([1 + 2j]))
    array([[1., 2.]])
    """
    return array.reshape(*array.shape, 1).view(_PARTS[array.dtype])


def of_parts(array: Array) -> Array:
    """Return the complex array of a dense real one with a last axis of size 2, without a copy.

    >>> of_parts(np.array([[1.0, 2.0]]))
    array([1.+2.j])
    """
    return array.view(_WHOLE[array.dtype])[..., 0]


def inner_arrays(arrays: Sequence[Array], specs: Sequence[TensorSpec]) -> list[Array]:
    """Return the arrays that a program takes for the dense arrays of a caller."""
    pairs = zip(arrays, specs, strict=True)
    return [parts_of(array) if spec.is_complex else array for array, spec in pairs]


def cross_with_parts(cross: Callable[..., Any], signature: Signature) -> Callable[..., Any]:
    """Return a function that passes complex arrays to the native call `cross` as their parts.

    It returns what `cross` returns: None for arguments that native code does not support, the
    number of a trap, or results, of which the complex ones are complex arrays.
    """

    def crossed(call: int, *given: Any) -> Any:
        inner = _known_parts(given, signature.inputs)
        found = None if inner is None else cross(call, *inner)
        if found is None or isinstance(found, int):
            return found
        if signature.is_tuple:
            return tuple(outer_arrays(found, signature.outputs))
        return of_parts(found) if signature.outputs[0].is_complex else found

    return crossed


def _known_parts(given: Sequence[Any], specs: Sequence[TensorSpec]) -> list[Any] | None:
    """Return the arguments of a caller with the parts of dense complex arrays in their place.

    None if another number of arguments is given, or another value than such an array.
    """
    if len(given) != len(specs):
        return None
    inner: list[Any] = []
    for x, spec in zip(given, specs, strict=True):
        if not spec.is_complex:
            inner.append(x)
        elif type(x) is np.ndarray and _PARTS.get(x.dtype) is spec.dtype.numpy and is_dense(x):
            inner.append(parts_of(x))
        else:
            return None
    return inner


def outer_arrays(results: Sequence[Any], specs: Sequence[TensorSpec]) -> list[Any]:
    """Return the results of a program as the caller gets them."""
    pairs = zip(results, specs, strict=True)
    return [of_parts(cast("Array", r)) if spec.is_complex else r for r, spec in pairs]
