"""Conditions under which combining floating-point constants changes results by rounding only.

Floating-point arithmetic is not associative. Intermediate values may overflow, vanish or lose
digits, and a program may rely on that: `(x + 1e8) - 1e8` rounds `x`.
"""

from typing import Any, cast

import ml_dtypes
import numpy as np

from relay.ir.expr import Array


def is_moderate(factor: Array) -> bool:
    """Whether products with a floating-point factor overflow or vanish for extreme operands only.

    Each element is 0, or at least as far from both ends of its dtype's range as from 1.

    >>> [is_moderate(np.float32(each)) for each in (0, 1e-6, -3e5, 1e30, 1e-30, np.nan)]
    [True, True, True, False, False, False]
    """
    most = 2.0 ** (_facts(factor).maxexp // 2)
    size = np.abs(factor.astype(np.float64))
    return not np.any((size != 0) & ~((size >= 1 / most) & (size <= most)))


def has_exact_inverse(divisor: Array) -> bool:
    """Whether multiplying by the inverses of floating-point divisors is exact division.

    Each element is a moderate power of two.

    >>> [has_exact_inverse(np.float32(each)) for each in (8, -0.25, 10, 0, 2.0**100)]
    [True, True, False, False, False]
    """
    mantissas, _ = np.frexp(divisor.astype(np.float64))
    return bool((np.abs(mantissas) == 0.5).all()) and is_moderate(divisor)


def has_integer_quotient(dividend: Array, divisor: Array) -> bool:
    """Whether quotients of floating-point numbers are integers that need no rounding.

    >>> [has_integer_quotient(np.float32(6), np.float32(each)) for each in (3, 0.5, 4, 0)]
    [True, True, False, False]
    """
    a, b = dividend.astype(np.float64), divisor.astype(np.float64)
    if not b.all():
        return False
    with np.errstate(all="ignore"):
        is_exact = (np.fmod(a, b) == 0) & (np.abs(a / b) * float(_facts(dividend).eps) <= 2)
    return bool(np.all(is_exact))


def keeps_digits(a: Array, b: Array) -> bool:
    """Whether adding `a`, then `b` loses no more digits than adding their sum.

    Terms that cancel one another cost digits of the value that they are added to.

    >>> one, large = np.float32(1), np.float32(1e8)
    >>> [keeps_digits(*pair) for pair in ((one, large), (large, -large), (large, one - large))]
    [True, False, False]
    """
    lost = float(_facts(a).eps) ** 0.5
    a, b = a.astype(np.float64), b.astype(np.float64)
    kept = np.abs(a + b) >= np.maximum(np.abs(a), np.abs(b)) * lost
    return bool((kept & np.isfinite(a) & np.isfinite(b)).all())


def _facts(array: Array) -> "np.finfo[Any]":
    return cast("np.finfo[Any]", ml_dtypes.finfo(array.dtype))
