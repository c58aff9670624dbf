"""Bessel functions of the first and second kind, and modified ones of the second kind.

Sums over equidistant angles are exact integrals of periodic functions (to rounding), and so are
those of functions that fall to zero at both ends.
"""

from math import pi

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.tensor_helpers import constant
from relay.ir.expr import Array, Constant, Expr
from relay.support.dtype import float64

_FAR = 25.0
"""From this size on, series of `1 / x` are used."""

_FAR_TERMS = 16
_ANGLES = 128
_TERMS = 40  # of Neumann's series: the function of order 80 is below 1e-30 here
_STEP = 0.125
_RANGE = 90.0  # cosh of it times the smallest float64 is large
_EULER = 0.5772156649015329


def bessel_j(x: Expr, order: int) -> Expr:
    """Return the Bessel function of the first kind, of order 0 or 1; `x` is of float64."""
    size = rnp.absolute(x)
    near, far = _means(size, _cosines(order), order), _far_waves(size, order)[0]
    found = rnp.where(rnp.less(size, _FAR), near, far)
    return rnp.multiply(found, rnp.sign(x)) if order else found


def bessel_y(x: Expr, order: int) -> Expr:
    """Return the Bessel function of the second kind, of order 0 or 1; `x` is of float64.

    It is minus infinity at 0, and NaN below.
    """
    is_positive = rnp.greater(x, 0.0)
    safe = rnp.where(is_positive, x, 1.0)
    logs = rnp.add(rnp.log(rnp.multiply(safe, 0.5)), _EULER - order)
    near = rnp.multiply(rnp.multiply(logs, _means(safe, _cosines(order), order)), 2 / pi)
    near = rnp.add(near, _means(safe, _neumann(order), order))
    if order:
        near = rnp.subtract(near, rnp.divide(rnp.multiply(bessel_j(safe, 0), 2 / pi), safe))
    found = rnp.where(rnp.less(safe, _FAR), near, _far_waves(safe, order)[1])
    outside = rnp.where(rnp.equal(x, 0.0), -np.inf, np.nan)
    return rnp.where(is_positive, found, outside)


def bessel_k(x: Expr, order: int, *, is_scaled: bool) -> Expr:
    """Return the modified Bessel function of the second kind, of order 0 or 1; `x` is of float64.

    It is infinity at 0, and NaN below. With `is_scaled`, it is multiplied by `exp(x)`.
    """
    nodes = np.arange(0.0, _RANGE, _STEP)
    weights = np.full(len(nodes), _STEP)
    weights[0] /= 2
    is_positive = rnp.greater(x, 0.0)
    safe = rnp.expand_dims(rnp.where(is_positive, x, 1.0), -1)
    growth = nodes if order else np.zeros(1)
    rates = rnp.add(rnp.negative(rnp.multiply(safe, Constant(np.cosh(nodes) - 1))), growth)
    shares = weights * (0.5 + 0.5 * np.exp(-2 * nodes)) if order else weights
    near = rnp.sum(rnp.multiply(rnp.exp(rates), Constant(shares)), axis=-1)
    positive = rnp.where(is_positive, x, 1.0)
    inverse, parts = _hankel(positive, order, (1.0, 1.0))
    far = rnp.multiply(rnp.sqrt(rnp.multiply(inverse, pi / 2)), rnp.add(*parts))
    found = rnp.where(rnp.less(positive, _FAR), near, far)
    if not is_scaled:
        found = rnp.multiply(found, rnp.exp(rnp.negative(positive)))
    return rnp.where(is_positive, found, rnp.where(rnp.equal(x, 0.0), np.inf, np.nan))


def _angles() -> Array:
    return (np.arange(_ANGLES) + 0.5) * (2 * pi / _ANGLES)


def _cosines(order: int) -> Array:
    """Return the weights of angles by which means become the function of the first kind."""
    return np.sin(_angles()) if order else np.ones(_ANGLES)


def _neumann(order: int) -> Array:
    """Return the weights by which means become the series of the function of the second kind."""
    k = np.arange(1, _TERMS)[:, None]
    signs = (-1.0) ** k
    if order:
        terms = signs * (1 + 2 * k) / (k * (1 + k)) * np.sin((2 * k + 1) * _angles())
        return -2 / pi * terms.sum(0)
    return -4 / pi * (signs / k * np.cos(2 * k * _angles())).sum(0)


def _means(x: Expr, weights: Array, order: int) -> Expr:
    """Return the mean over angles `t` of the weights times the cosine, or sine, of `x sin t`."""
    places = rnp.multiply(rnp.expand_dims(x, -1), Constant(np.sin(_angles())))
    waves = rnp.sin(places) if order else rnp.cos(places)
    return rnp.mean(rnp.multiply(waves, Constant(weights)), axis=-1)


def _far_waves(x: Expr, order: int) -> tuple[Expr, Expr]:
    """Return both functions for large `x`, by Hankel's expansion."""
    inverse, parts = _hankel(x, order, (1.0, -1.0))
    turn = rnp.subtract(x, pi * (order / 2 + 0.25))
    size = rnp.sqrt(rnp.multiply(inverse, 2 / pi))
    cosine, sine = rnp.cos(turn), rnp.sin(turn)
    first = rnp.subtract(rnp.multiply(parts[0], cosine), rnp.multiply(parts[1], sine))
    second = rnp.add(rnp.multiply(parts[0], sine), rnp.multiply(parts[1], cosine))
    return rnp.multiply(size, first), rnp.multiply(size, second)


def _hankel(x: Expr, order: int, signs: tuple[float, float]) -> tuple[Expr, list[Expr]]:
    """Return `1 / x`, and the even and odd terms of Hankel's expansion, signs of pairs in turn."""
    square, factor = 4.0 * order * order, 1.0
    inverse = rnp.divide(1.0, rnp.maximum(x, _FAR))
    parts: list[Expr] = [constant(0.0, float64), constant(0.0, float64)]
    power: Expr = rnp.ones_like(inverse)
    for k in range(_FAR_TERMS):
        term = rnp.multiply(power, signs[k // 2 % 2] * factor)
        parts[k % 2] = rnp.add(parts[k % 2], term)
        factor *= (square - (2 * k + 1) ** 2) / ((k + 1) * 8)
        power = rnp.multiply(power, inverse)
    return inverse, parts
