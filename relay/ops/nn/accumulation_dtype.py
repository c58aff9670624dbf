"""Element types of sums of products, and the wide types in which references add."""

import numpy as np

from relay.ir.expr import Array
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef import checks
from relay.ops.cast import convert
from relay.ops.families import FLOATS, NUMBERS, accumulator_dtype, wide_type
from relay.support.dtype import DType
from relay.support.dtype import dtype as element_type


def product_dtype(operator: str, out_dtype: DType | None, **operands: TensorType) -> DType:
    """Return the element type of sums of products: `out_dtype`, or that of the operands.

    Raises `T102` if operands are not numbers, if they differ and there is no `out_dtype`, or if
    `out_dtype` is an integer type and they are floats, or real and they are complex.
    """
    first, *_ = types = [*operands.values()]
    for name, ty in operands.items():
        checks.kind(operator, name, ty, *NUMBERS)
    if out_dtype is None:
        checks.same_dtype(operator, *types)
        return first.dtype
    is_float = any(ty.dtype.is_float or ty.dtype.is_complex for ty in types)
    allowed = FLOATS if is_float else NUMBERS
    checks.kind(operator, "the result (out_dtype)", TensorType((), out_dtype), *allowed)
    if any(ty.dtype.is_complex for ty in types):
        checks.complex_result(operator, out_dtype)
    return out_dtype


def sum_of_products(a: te.Scalar, b: te.Scalar, axis: te.Axis, dtype: DType) -> te.Scalar:
    """Return the sum of `a * b` over an axis, in the element type of the result.

    Operands of other types, which may exceed half precision, are multiplied in float32.
    """
    is_own = a.dtype is dtype and b.dtype is dtype
    wide = dtype if is_own else accumulator_dtype(dtype)
    return te.cast(te.sum(te.cast(a, wide) * te.cast(b, wide), axis), dtype)


def widen(array: Array) -> Array:
    """Convert an array to float64, complex128, or to int64 if its elements are integers or bool."""
    return array.astype(wide_type(array.dtype))


def narrow(array: Array, dtype: np.dtype[np.generic]) -> Array:
    """Convert an array to a narrower element type.

    Floats are rounded, integers wrap around, and floats that become integers saturate.
    """
    return convert(np.asarray(array), element_type(dtype))
