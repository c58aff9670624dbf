"""Compare results of operators with expected values, within the precision of their types."""

import numpy as np

from relay.ir.expr import Array
from relay.semantics.apply_operator import TensorValue
from relay.support.dtype import DType, Kind, dtype, float64

_RELATIVE_ERRORS = {
    16: 500.0,
    float64.bits: 1e-6,
}  # rounding errors by width, relative to that of float32


def assert_close(actual: TensorValue, expected: TensorValue, tolerance: float) -> None:
    """Assert that values agree: integers exactly, floats within `tolerance`, NaN with NaN.

    `tolerance` is that of float32; it grows with the rounding error of the type.
    """
    for found, wanted in zip(flat(actual), flat(expected), strict=True):
        assert found.dtype == wanted.dtype
        assert found.shape == wanted.shape
        of = dtype(wanted.dtype)
        if of.is_complex:
            for part in (np.real, np.imag):
                assert_close(part(found), part(wanted), tolerance)
            continue
        if not of.is_float:
            exact = np.float32 if of.is_minifloat else found.dtype  # NumPy can test NaN in these
            np.testing.assert_array_equal(found.astype(exact), wanted.astype(exact))
            continue
        bound = tolerance * precision(of)
        wide = np.float64
        np.testing.assert_allclose(found.astype(wide), wanted.astype(wide), rtol=bound, atol=bound)


def precision(of: DType) -> float:
    """Return the rounding error of a float type, divided by that of float32.

    >>> precision(dtype("float16")) > 1 > precision(float64)
    True
    """
    return _RELATIVE_ERRORS.get(of.bits, 1.0) * (8 if of.kind is Kind.BFLOAT else 1)


def flat(value: TensorValue) -> tuple[Array, ...]:
    """Return the arrays in a value, an array or a tuple of arrays, as a tuple."""
    return value if isinstance(value, tuple) else (value,)
