"""Special functions of floats: complementary error functions, gamma functions, and an inverse.

Elements are computed in float64, and rounded once. Errors of float64 are a few units in the last
place, near zeros of the functions a few units of 1e-15.
"""

from collections.abc import Callable, Sequence
from math import erfc, factorial, inf, isnan, lgamma, log, nan, pi, sqrt
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.kernels import te
from relay.kernels.scalar import Scalar
from relay.opdef import checks
from relay.opdef.definition import Precision
from relay.opdef.example import elementwise_examples
from relay.opdef.table import operator
from relay.ops.binary import multiply, opposite, scaled, square, subtract
from relay.ops.creation import number
from relay.ops.families import FLOATS, Elementwise
from relay.ops.transcendental import Exp
from relay.support.dtype import float64

Number: TypeAlias = np.float64

_ELEMENTS = ("f32", "f64", "f16")


class Special(Elementwise):
    """The base of functions with a formula and a scalar reference in double precision.

    `slope` is the derivative as an expression of the argument `x` and the result `y`.
    """

    __slots__ = ()
    kinds = FLOATS
    precision = Precision.NEVER
    examples = elementwise_examples(*_ELEMENTS)

    def scalar(self, x: Scalar) -> Scalar:
        """Return the formula's value at an element, computed in float64."""
        return te.cast(self.formula(te.cast(x, float64)), x.dtype)

    def reference(self, data: Array) -> Array:
        """Return an array with the value of `of_number` at each element."""
        wide = data.astype(np.float64)
        with np.errstate(all="ignore"):
            found = [self.of_number(each) for each in wide.ravel()]
            return np.array(found, np.float64).reshape(data.shape).astype(data.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative of the result, multiplied by the slope."""
        return (multiply(d_out, self.slope(call.args[0], call)),)

    def formula(self, x: Scalar) -> Scalar:
        """Return the function's value at a float64 number, as an expression of a kernel."""
        raise AssertionError(f"{self.name} has no formula")

    def of_number(self, x: Number) -> float:
        """Return the function's value at a number, for the reference."""
        raise AssertionError(f"{self.name} has no reference")

    def slope(self, x: Expr, y: Expr) -> Expr:
        """Return the derivative at `x`, where the value is `y`."""
        raise AssertionError(f"{self.name} has no derivative")


def _polynomial(x: Scalar, coefficients: Sequence[float]) -> Scalar:
    """Return a polynomial whose coefficients begin with that of the highest power."""
    first, *rest = coefficients
    found = te.const(first, float64)
    for each in rest:
        found = found * x + each
    return found


_NEAR = (
    (1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2,
     3.20937758913846947e3),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
     2.84423683343917062e3),
)  # fmt: skip
_MIDDLE = (
    (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1,
     2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
     1.23033935479799725e3),
    (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
     1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3,
     1.23033935480374942e3),
)  # fmt: skip
_FAR = (
    (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
     1.60837851487422766e-2, 6.58749161529837803e-4),
    (1.0, 2.56852019228982242, 1.87295284992346047, 5.27905102951428412e-1, 6.05183413124413191e-2,
     2.33520497626869185e-3),
)  # fmt: skip
"""Numerators and denominators of `erf` near 0, and of `exp(x²) erfc(x)` (Cody, 1969)."""


def _ratio(x: Scalar, parts: tuple[Sequence[float], Sequence[float]]) -> Scalar:
    return _polynomial(x, parts[0]) / _polynomial(x, parts[1])


def _scaled_tail(y: Scalar) -> Scalar:
    """Return `exp(y²) erfc(y)` for `y` from 0.46875 on."""
    inverse = 1.0 / (y * y)
    far = (1 / sqrt(pi) - inverse * _ratio(inverse, _FAR)) / y
    return te.select(y <= 4.0, _ratio(te.minimum(y, te.const(4.0, float64)), _MIDDLE), far)


def _small_exponential(y: Scalar) -> Scalar:
    """Return `exp(-y²)`, whose exponent is split so that its rounding does not count."""
    y = te.select(y > 30.0, te.const(30.0, float64), y)  # the result is 0 there
    rough = te.trunc(y * 16.0) * 0.0625
    return te.exp(-rough * rough) * te.exp((rough - y) * (rough + y))


@operator("erfc")
class Erfc(Special):
    """`1 - erf(x)`, without cancellation where that is small. Takes floats of any shape."""

    examples = elementwise_examples(*_ELEMENTS, domain=(-3.0, 6.0))

    def formula(self, x: Scalar) -> Scalar:
        y = te.abs(x)
        near = 1.0 - x * _ratio(te.minimum(x * x, te.const(1.0, float64)), _NEAR)
        tail = _small_exponential(y) * _scaled_tail(y)
        return te.select(y <= 0.46875, near, te.select(x < 0.0, 2.0 - tail, tail))

    def of_number(self, x: Number) -> float:
        return erfc(x)

    def slope(self, x: Expr, y: Expr) -> Expr:
        return scaled(Call(Exp(), (opposite(square(x)),)), -2 / sqrt(pi))


@operator("erfcx")
class Erfcx(Special):
    """`exp(x²) erfc(x)`, which decreases like `1 / x`. Takes floats of any shape."""

    examples = elementwise_examples(*_ELEMENTS, domain=(-2.0, 9.0))

    def formula(self, x: Scalar) -> Scalar:
        y = te.abs(x)
        near = te.exp(x * x) * (1.0 - x * _ratio(te.minimum(x * x, te.const(1.0, float64)), _NEAR))
        tail = _scaled_tail(y)
        return te.select(y <= 0.46875, near, te.select(x < 0.0, 2.0 * te.exp(x * x) - tail, tail))

    def of_number(self, x: Number) -> float:
        """Return `exp(x²) erfc(x)`, computed by Laplace's continued fraction for large numbers."""
        if x < 5 or isnan(x):
            return np.exp(x * x) * erfc(x)
        found = x
        for k in range(60, 0, -1):
            found = x + k / 2 / found
        return 1 / found / sqrt(pi)

    def slope(self, x: Expr, y: Expr) -> Expr:
        return subtract(scaled(multiply(x, y), 2.0), number(2 / sqrt(pi), x))


@operator("erfinv")
class Erfinv(Special):
    """The number whose `erf` is the element: ±∞ at ±1, and NaN beyond.

    Takes floats of any shape.
    """

    examples = elementwise_examples(*_ELEMENTS, domain=(-0.99, 0.99))

    def formula(self, x: Scalar) -> Scalar:
        """Return Winitzki's approximation, refined by two steps of Halley's method."""
        rest = 1.0 - te.abs(x)
        size = te.log(te.maximum(rest * (1.0 + te.abs(x)), te.const(1e-300, float64)))
        half = 2 / (pi * _GUESS) + size * 0.5
        guess = te.sqrt(half * half - size * (1 / _GUESS)) - half
        y = te.sqrt(te.maximum(guess, te.const(0.0, float64)))
        for _ in range(2):
            tail = te.exp(-y * y)
            error = te.select(te.abs(x) < 0.5, te.abs(x) - te.erf(y), Erfc().formula(y) - rest)
            y = y + error / (tail * (2 / sqrt(pi)) - y * error)
        signed = te.select(x < 0.0, -y, y)
        ends = te.select(te.equal(rest, 0.0), x * inf, te.const(nan, float64))
        return te.select(rest > 0.0, signed, ends)

    def of_number(self, x: Number) -> float:
        if not abs(x) < 1:
            return x * inf if abs(x) == 1 else nan
        return NormalDist().inv_cdf((x + 1) / 2) / sqrt(2)

    def slope(self, x: Expr, y: Expr) -> Expr:
        return scaled(Call(Exp(), (square(y),)), sqrt(pi) / 2)


_GUESS = 0.147

_STIRLING = (
    -3617 / 122400,
    1 / 156,
    -691 / 360360,
    1 / 1188,
    -1 / 1680,
    1 / 1260,
    -1 / 360,
    1 / 12,
)
"""Coefficients of the series of `lgamma` in `1 / x²`, times `1 / x`."""

_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)

_STEPS = 10
"""How far a small argument is moved up, to where the asymptotic series are accurate."""


def _shift_to_asymptotic_range(z: Scalar) -> tuple[Scalar, Callable[[int], Scalar]]:
    """Return `z`, increased by `_STEPS` if it is smaller, and a function of `k < _STEPS`.

    That function returns the factor `z + k` of the recurrence, or 1 if `z` was not increased.
    """
    is_small = z < float(_STEPS)
    return te.select(is_small, z + float(_STEPS), z), lambda k: te.select(
        is_small, z + float(k), te.const(1.0, float64)
    )


def _reflect_below_half(x: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Return whether `x < 0.5`; `1 - x` if so, else `x`; and `x` minus its nearest integer."""
    turns = x < 0.5
    return turns, te.select(turns, 1.0 - x, x), x - te.round_even(x)


_LARGEST = 2.5e305
"""Beyond it `lgamma` is not finite in float64."""


@operator("lgamma")
class LGamma(Special):
    """The logarithm of the absolute value of the gamma function. Takes floats of any shape."""

    examples = elementwise_examples(*_ELEMENTS, domain=(0.25, 12.0))

    def formula(self, x: Scalar) -> Scalar:
        turns, z, part = _reflect_below_half(x)
        w, step = _shift_to_asymptotic_range(z)
        product = step(0)
        for k in range(1, _STEPS):
            product = product * step(k)
        inverse = 1.0 / w
        series = inverse * _polynomial(inverse * inverse, _STIRLING)
        upper = (w - 0.5) * (te.log(w) - 1.0) + (0.5 * log(2 * pi) - 0.5) + series
        found = upper - te.log(product)
        mirrored = log(pi) - te.log(te.abs(te.sin(pi * part))) - found
        mirrored = te.select(te.equal(x, -inf), te.const(inf, float64), mirrored)
        return te.select(turns, mirrored, found)

    def of_number(self, x: Number) -> float:
        is_pole = x <= 0 and x == np.floor(x)
        return inf if is_pole or x > _LARGEST else lgamma(x)

    def slope(self, x: Expr, y: Expr) -> Expr:
        return Call(Polygamma(), (x,))


@operator("polygamma")
class Polygamma(Special):
    """The polygamma function of order `n`: the derivative of order `n + 1` of `lgamma`.

    Order 0 is the digamma function. Takes floats of any shape. The result is infinite at 0 and at
    negative integers, except that digamma is NaN at negative integers.
    """

    n: int = 0

    examples = (
        *elementwise_examples(*_ELEMENTS, domain=(0.25, 12.0)),
        *elementwise_examples("f64", domain=(-2.9, -2.1)),
        *elementwise_examples("f64", domain=(-1.9, 3.0), n=1, differentiable=False),
        *elementwise_examples("f32", domain=(0.5, 5.0), n=3),
    )

    def __post_init__(self) -> None:
        checks.attribute(self.name, 0 <= self.n <= 20, "n must be from 0 to 20")

    def formula(self, x: Scalar) -> Scalar:
        turns, z, part = _reflect_below_half(x)
        sign = 1.0 if self.n % 2 else -1.0
        w, step = _shift_to_asymptotic_range(z)
        total = sign * self._series(w)
        for k in range(_STEPS):
            term = _power(1.0 / step(k), self.n + 1) * (sign * factorial(self.n))
            total = total + te.select(z < float(_STEPS), term, te.const(0.0, float64))
        cotangent = te.cos(pi * part) / te.sin(pi * part)
        slope = _polynomial(cotangent, _cotangent_slopes(self.n)) * pi ** (self.n + 1)
        found = te.select(turns, (-1.0) ** self.n * total - slope, total)
        if self.n:
            return found
        return te.select((x < 0.0) & te.equal(part, 0.0), te.const(nan, float64), found)

    def _series(self, w: Scalar) -> Scalar:
        """Return the asymptotic series of the absolute value (Euler and Maclaurin)."""
        n, inverse = self.n, 1.0 / w
        first = -te.log(w) if n == 0 else factorial(n - 1) * _power(inverse, n)
        coefficients = [
            each * factorial(2 * k + n - 1) / factorial(2 * k)
            for k, each in enumerate(_BERNOULLI, 1)
        ]
        rest = _polynomial(inverse * inverse, (*reversed(coefficients), 0.0)) * _power(inverse, n)
        return first + factorial(n) * 0.5 * _power(inverse, n + 1) + rest

    def of_number(self, x: Number) -> float:
        """Return the asymptotic series at 30 or more, and recurrences from there to `x`."""
        if isnan(x) or x == -inf:
            return nan
        if x <= 0 and x == np.floor(x):
            return nan if self.n == 0 and x < 0 else (inf if self.n % 2 else -inf)
        if x < -1000:  # too many steps: the formula of the operator
            return nan
        sign, n, total = (1.0 if self.n % 2 else -1.0), self.n, 0.0
        while x < 30:
            total += factorial(n) / x ** (n + 1)
            x += 1
        total += -np.log(x) if n == 0 else factorial(n - 1) / x**n
        total += factorial(n) / (2 * x ** (n + 1))
        for k, each in enumerate(_BERNOULLI[:6], 1):
            total += each * factorial(2 * k + n - 1) / factorial(2 * k) / x ** (2 * k + n)
        return sign * total

    def slope(self, x: Expr, y: Expr) -> Expr:
        return Call(Polygamma(self.n + 1), (x,))


def _power(x: Scalar, exponent: int) -> Scalar:
    found = te.const(1.0, float64)
    for _ in range(exponent):
        found = found * x
    return found


def _cotangent_slopes(order: int) -> list[float]:
    """Return the derivative of the cotangent as a polynomial of it, from the highest power."""
    found = np.poly1d([1.0, 0.0])
    for _ in range(order):
        found = -np.poly1d([1.0, 0.0, 1.0]) * found.deriv()
    return [float(each) for each in found.coeffs]
