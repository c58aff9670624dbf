"""An ONNX value during import: its expression, and its elements if it is a small shape.

ONNX computes shapes with tensors (`Shape`, `Gather`, `Concat`, then `Reshape`). The importer
evaluates these operators symbolically: `known` has the elements as dimensions, so that a `Reshape`
to `(batch, 12, sequence, 64)` becomes an operator with symbolic attributes instead of a shape that
is computed at run time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from relay.ir.dims import ANY, Dim, Symbolic
from relay.ir.expr import Constant, Expr
from relay.support.dtype import DType

Known: TypeAlias = npt.NDArray[np.object_]
"""An array of dimensions: Python integers and symbolic ones."""

LARGEST_KNOWN = 1024  # elements: more than shapes and indices have, fewer than weights


@dataclass(frozen=True)
class OnnxValue:
    """An expression, and its elements as dimensions if they are known at import."""

    expr: Expr
    known: Known | None = None

    def with_expr(self, given: Mapping[Expr, Expr]) -> "OnnxValue":
        """Return the value with its expression replaced, if `given` has a replacement for it."""
        return OnnxValue(given.get(self.expr, self.expr), self.known)


def of_array(array: npt.NDArray[Any], expr: Expr) -> OnnxValue:
    """Return the value of a constant; small integer tensors have known elements."""
    is_small_integer = array.dtype.kind in "iu" and array.size <= LARGEST_KNOWN
    return OnnxValue(expr, as_known(array) if is_small_integer else None)


def as_known(array: npt.NDArray[Any]) -> Known:
    """Return an integer array as an array of Python integers."""
    result = np.empty(array.shape, object)
    result[...] = array.astype(object)
    return result


def is_static(known: Known) -> bool:
    """Whether all elements are integers rather than symbolic dimensions."""
    elements: list[Dim] = known.ravel().tolist()
    return not any(isinstance(each, Symbolic) for each in elements)


def is_certain(known: Known) -> bool:
    """Whether all elements are known, that is, different from `Any`."""
    return all(each is not ANY for each in known.flat)


def is_size(element: object) -> bool:
    """Whether an element of a shape is a known size, not a code such as 0 or -1."""
    if isinstance(element, int):
        return element > 0
    return isinstance(element, Symbolic) and element is not ANY


def as_constant(known: Known, dtype: DType) -> Constant:
    """Return known integers as a constant tensor."""
    return Constant(np.array(known.tolist(), dtype.numpy).reshape(known.shape))


def as_dims(known: Known) -> tuple[Dim, ...]:
    """Return the known elements as a tuple of dimensions."""
    return tuple(known.ravel().tolist())
