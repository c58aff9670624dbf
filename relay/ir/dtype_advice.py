"""Advice for error messages about a number literal that has the wrong element type."""

from typing import Any

import numpy as np
import numpy.typing as npt

from relay.support.dtype import DType, Kind


def number_advice(data: npt.NDArray[Any], wanted: DType) -> str | None:
    """Return advice on how to write the number `data` in the element type `wanted`.

    The result is None if `wanted` cannot represent it.

    >>> from relay.support.dtype import float32, int8
    >>> number_advice(np.array(1, "int32"), float32)
    'write the number as float32: 1f'
    >>> number_advice(np.array(1.5, "float32"), int8)
    >>> number_advice(np.array(3, "float16"), int8)
    'write the number as int8: 3i8'
    """
    is_complex = data.dtype.kind == "c" or wanted.is_complex
    if data.ndim or wanted.kind is Kind.BOOL or is_complex or not np.isfinite(data):
        return None
    number: Any = data[()]
    if not wanted.holds(number):
        return None
    size = abs(float(number))  # half floats overflow in the comparison
    whole = size.is_integer() and size < _MANY_DIGITS
    return f"write the number as {wanted}: {int(number) if whole else number}{wanted.suffix}"


_MANY_DIGITS = 1e15
