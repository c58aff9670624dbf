"""Accumulation: the element type of sums of products; references add in a wide type."""

import numpy as np

from relay.ir.expr import Array
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.ops.cast import convert
from relay.ops.families import FLOATS, NUMBERS
from relay.support.dtype import DType
from relay.support.dtype import dtype as element_type


def product_dtype(operator: str, out_dtype: DType | None, **operands: TensorType) -> DType:
    """Return the element type of sums of products, `out_dtype` if it is given.

    Raises `T102` for operands that are not numbers, for different ones without `out_dtype`, and for
    one that cannot hold the products: of floats, integers cannot.
    """
    first, *_ = types = [*operands.values()]
    for name, ty in operands.items():
        checks.kind(operator, name, ty, *NUMBERS)
    if out_dtype is None:
        checks.same_dtype(operator, *types)
        return first.dtype
    is_float = any(ty.dtype.is_float for ty in types)
    allowed = FLOATS if is_float else NUMBERS
    checks.kind(operator, "the result (out_dtype)", TensorType((), out_dtype), *allowed)
    return out_dtype


def widen(array: Array) -> Array:
    """Convert to float64, or int64 for integers and bool."""
    is_whole = array.dtype.kind in "biu"
    return array.astype(np.int64 if is_whole else np.float64)


def narrow(array: Array, dtype: np.dtype[np.generic]) -> Array:
    """Round to a float type; integers wrap around, and floats that become integers saturate."""
    return convert(np.asarray(array), element_type(dtype))
