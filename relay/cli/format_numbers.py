"""Format numbers, times and arrays as text, for all commands."""

from typing import Any

import numpy as np
import numpy.typing as npt


def type_text(array: npt.NDArray[Any]) -> str:
    """Return the element type and the shape of an array as text.

    >>> type_text(np.zeros((2, 3), "float32"))
    'float32[2, 3]'
    """
    return f"{array.dtype}[{', '.join(map(str, array.shape))}]"


def values_text(array: npt.NDArray[Any]) -> str:
    """Return the range of an array's elements and their mean, or all elements if they are few.

    >>> values_text(np.array([1, 2, 3, 4, 5, 6])), values_text(np.array([1.5, np.nan]))
    ('1 … 6, mean 3.5', '1.5 nan')
    """
    if array.size <= 4:
        return " ".join(f"{each:.4g}" for each in array.reshape(-1).tolist()) or "none"
    values = array.astype(np.float64)
    finite = values[np.isfinite(values)]
    odd = f", {values.size - finite.size} not finite" if finite.size < values.size else ""
    if not finite.size:
        return odd.removeprefix(", ")
    return f"{finite.min():.4g} … {finite.max():.4g}, mean {finite.mean():.4g}{odd}"


def milliseconds(seconds: float) -> str:
    """Return a time in seconds as text, with three digits and a unit.

    >>> milliseconds(0.0000123), milliseconds(0.0123), milliseconds(12.3)
    ('0.0123 ms', '12.3 ms', '12.3 s')
    """
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1e3:.3g} ms"


def count_text(number: float, unit: str = "") -> str:
    """Return a large number as text, with three digits and an SI prefix.

    >>> count_text(25_557_032), count_text(4.1e9, "FLOP"), count_text(12)
    ('25.6 M', '4.1 GFLOP', '12')
    """
    for prefix, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.3g} {prefix}{unit}"
    return f"{number:.3g} {unit}".rstrip()
