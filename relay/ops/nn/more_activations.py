"""Elementwise activation functions that TVM's Relay does not have.

Each is defined three times: as the formula of the kernel, in NumPy, and as an expression of smaller
operators, which is differentiated.
"""

from math import erf as erf_
from math import pi, sqrt

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import add, divide, multiply, opposite, scaled, square, subtract
from relay.ops.comparison import less
from relay.ops.creation import number
from relay.ops.elementwise import Abs, Clip
from relay.ops.families import FLOATS, Elementwise
from relay.ops.nn.accumulation_dtype import narrow, widen
from relay.ops.selection import where
from relay.ops.transcendental import Erf, Exp, Log, Sigmoid, Tanh
from relay.support.dtype import float32
from relay.support.node import set_field

_EXAMPLES = (
    Example("f32[3, 5]"),
    Example("f64[7]", domain=(-9.0, 9.0)),
    Example("f16[4]", tolerance=1e-2),
)


class Activation(Elementwise):
    """The base of activations in this module; subclasses define `formula`, `wide`, `decompose`."""

    __slots__ = ()
    kinds = FLOATS
    examples = _EXAMPLES

    def formula(self, x: te.Scalar) -> te.Scalar:
        """Return the result for one element, which has at least 32 bits."""
        raise AssertionError(f"{self.name} has no formula")

    def wide(self, x: Array) -> Array:
        """Return the result by NumPy, in the precision of `x`."""
        raise AssertionError(f"{self.name} has no reference")

    def scalar(self, x: te.Scalar) -> te.Scalar:
        """Return the formula's result; half precision is widened, and the result rounded once."""
        wide = x.dtype if x.dtype.bits >= 32 else float32
        return te.cast(self.formula(te.cast(x, wide)), x.dtype)

    def reference(self, data: Array) -> Array:
        """Return the result by NumPy, computed in a wider type."""
        return narrow(self.wide(widen(data)), data.dtype)


@operator("nn.gelu")
class Gelu(Activation):
    """`x · Φ(x)`, where Φ is the normal distribution function or its approximation `"tanh"`."""

    approximate: str = "none"

    examples = (*_EXAMPLES, Example("f32[2, 3]", approximate="tanh"))

    def __post_init__(self) -> None:
        known = self.approximate in ("none", "tanh")
        checks.attribute(
            self.name, known, (f"approximate must be 'none' or 'tanh', not {self.approximate}")
        )

    def formula(self, x: te.Scalar) -> te.Scalar:
        """Return the formula, with erf or with tanh of a cubic polynomial."""
        if self.approximate == "tanh":
            return x * 0.5 * (te.tanh((x * x * x * 0.044715 + x) * sqrt(2 / pi)) + 1.0)
        return x * 0.5 * (te.erf(x * sqrt(0.5)) + 1.0)

    def wide(self, x: Array) -> Array:
        """Return the result by NumPy, with erf or with tanh of a cubic polynomial."""
        if self.approximate == "tanh":
            return 0.5 * x * (1 + np.tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))
        return 0.5 * x * (1 + np.vectorize(erf_, otypes=[np.float64])(x / sqrt(2)))

    def decompose(self, data: Expr) -> Expr:
        """Return an equivalent expression with erf or tanh."""
        if self.approximate == "tanh":
            cubic = add(data, scaled(multiply(data, square(data)), 0.044715))
            bent = Call(Tanh(), (scaled(cubic, sqrt(2 / pi)),))
        else:
            bent = Call(Erf(), (scaled(data, sqrt(0.5)),))
        return multiply(scaled(data, 0.5), add(bent, number(1, data)))


@operator("nn.silu")
class Silu(Activation):
    """`x · sigmoid(x)`, also called swish."""

    def formula(self, x: te.Scalar) -> te.Scalar:
        """Return the element times its sigmoid."""
        return x * te.sigmoid(x)

    def wide(self, x: Array) -> Array:
        """Return `x / (1 + e^-x)` by NumPy."""
        return x / (1 + np.exp(-x))

    def decompose(self, data: Expr) -> Expr:
        """Return the data times its sigmoid, as an expression."""
        return multiply(data, Call(Sigmoid(), (data,)))


@operator("nn.hardsigmoid")
class HardSigmoid(Activation):
    """`clip(alpha · x + beta, 0, 1)`, whose derivative at 0 and 1 is 0."""

    alpha: float = 1 / 6
    beta: float = 0.5

    examples = (*_EXAMPLES, Example("f32[9]", alpha=0.2, domain=(-9.0, 9.0)))

    def formula(self, x: te.Scalar) -> te.Scalar:
        """Return `alpha · x + beta`, limited to 0 and 1."""
        return te.minimum(te.maximum(x * self.alpha + self.beta, 0), 1)

    def wide(self, x: Array) -> Array:
        """Return `alpha · x + beta`, limited to 0 and 1, by NumPy."""
        return np.clip(self.alpha * x + self.beta, 0, 1)

    def decompose(self, data: Expr) -> Expr:
        """Return `alpha · x + beta`, limited to 0 and 1, as an expression."""
        line = add(scaled(data, self.alpha), number(self.beta, data))
        return Call(Clip(0.0, 1.0, strict=True), (line,))


@operator("nn.hardswish")
class HardSwish(Activation):
    """`x · clip(x / 6 + 1/2, 0, 1)`."""

    examples = (*_EXAMPLES, Example("f32[9]", domain=(-9.0, 9.0)))

    def formula(self, x: te.Scalar) -> te.Scalar:
        """Return the element times its hard sigmoid."""
        return x * te.minimum(te.maximum(x * (1 / 6) + 0.5, 0), 1)

    def wide(self, x: Array) -> Array:
        """Return the data times its hard sigmoid, by NumPy."""
        return x * np.clip(x / 6 + 0.5, 0, 1)

    def decompose(self, data: Expr) -> Expr:
        """Return the data times its hard sigmoid, as an expression."""
        return multiply(data, Call(HardSigmoid(), (data,)))


@operator("nn.celu")
class Celu(Activation):
    """`x` where it is positive, else `alpha · (e^(x / alpha) - 1)`."""

    alpha: float = 1.0

    examples = (*_EXAMPLES, Example("f32[9]", alpha=0.5))

    def __post_init__(self) -> None:
        set_field(self, "alpha", float(self.alpha))
        problem = "alpha must not be 0: the data are divided by it"
        checks.attribute(self.name, self.alpha != 0, problem)

    def formula(self, x: te.Scalar) -> te.Scalar:
        """Return `x` if it is positive, else `alpha · (e^(x / alpha) - 1)`."""
        return te.select(
            x > 0.0, x, (te.exp(te.minimum(x, 0) * (1 / self.alpha)) - 1.0) * self.alpha
        )

    def wide(self, x: Array) -> Array:
        """Return the activation by NumPy, in the precision of `x`."""
        return np.where(x > 0, x, self.alpha * np.expm1(np.minimum(x, 0) / self.alpha))

    def decompose(self, data: Expr) -> Expr:
        """Return the activation as an expression of smaller operators."""
        return _exponential_unit(data, 1 / self.alpha, self.alpha, 1.0)


@operator("nn.elu")
class Elu(Activation):
    """`x` where it is positive, else `alpha · (e^x - 1)`."""

    alpha: float = 1.0

    examples = (*_EXAMPLES, Example("f32[9]", alpha=0.5))

    def formula(self, x: te.Scalar) -> te.Scalar:
        """Return `x` if it is positive, else `alpha · (e^x - 1)`."""
        return te.select(x > 0.0, x, (te.exp(te.minimum(x, 0)) - 1.0) * self.alpha)

    def wide(self, x: Array) -> Array:
        """Return the activation by NumPy, in the precision of `x`."""
        return np.where(x > 0, x, self.alpha * np.expm1(np.minimum(x, 0)))

    def decompose(self, data: Expr) -> Expr:
        """Return the activation as an expression of smaller operators."""
        return _exponential_unit(data, 1.0, self.alpha, 1.0)


@operator("nn.selu")
class Selu(Activation):
    """`gamma · elu(x, alpha)`, with constants that preserve mean 0 and variance 1."""

    alpha: float = 1.6732632423543772
    gamma: float = 1.0507009873554805

    examples = (*_EXAMPLES, Example("f32[9]", alpha=0.5, gamma=2.0))

    def formula(self, x: te.Scalar) -> te.Scalar:
        """Return `gamma · x` if `x` is positive, else `gamma · alpha · (e^x - 1)`."""
        bent = (te.exp(te.minimum(x, 0)) - 1.0) * (self.alpha * self.gamma)
        return te.select(x > 0.0, x * self.gamma, bent)

    def wide(self, x: Array) -> Array:
        """Return the activation by NumPy, in the precision of `x`."""
        return self.gamma * np.where(x > 0, x, self.alpha * np.expm1(np.minimum(x, 0)))

    def decompose(self, data: Expr) -> Expr:
        """Return the activation as an expression of smaller operators."""
        return _exponential_unit(data, 1.0, self.alpha, self.gamma)


@operator("nn.softplus")
class Softplus(Activation):
    """`log(1 + e^x)`, without overflow."""

    examples = (*_EXAMPLES, Example("f32[9]", domain=(-90.0, 90.0)))

    def formula(self, x: te.Scalar) -> te.Scalar:
        """Return the formula, in which the larger of `x` and 0 is taken out of the logarithm."""
        return te.maximum(x, 0) + te.log(te.exp(-te.abs(x)) + 1.0)

    def wide(self, x: Array) -> Array:
        """Return the result of NumPy's `logaddexp`."""
        return np.logaddexp(x, 0)

    def decompose(self, data: Expr) -> Expr:
        """Return an expression in which the larger of `x` and 0 is taken out of the logarithm."""
        zero = number(0, data)
        large = where(less(data, zero), zero, data)
        small = Call(Exp(), (opposite(Call(Abs(), (data,))),))
        return add(large, Call(Log(), (add(small, number(1, data)),)))


@operator("nn.softsign")
class Softsign(Activation):
    """`x / (1 + |x|)`."""

    def formula(self, x: te.Scalar) -> te.Scalar:
        """Return `x / (1 + |x|)` for one element."""
        return x / (te.abs(x) + 1.0)

    def wide(self, x: Array) -> Array:
        """Return `x / (1 + |x|)` by NumPy."""
        return x / (1 + np.abs(x))

    def decompose(self, data: Expr) -> Expr:
        """Return `x / (1 + |x|)` as an expression of smaller operators."""
        return divide(data, add(Call(Abs(), (data,)), number(1, data)))


@operator("nn.mish")
class Mish(Activation):
    """`x · tanh(softplus(x))`."""

    def formula(self, x: te.Scalar) -> te.Scalar:
        """Return the element times tanh of its softplus."""
        return x * te.tanh(te.maximum(x, 0) + te.log(te.exp(-te.abs(x)) + 1.0))

    def wide(self, x: Array) -> Array:
        """Return the data times tanh of its softplus, by NumPy."""
        return x * np.tanh(np.logaddexp(x, 0))

    def decompose(self, data: Expr) -> Expr:
        """Return the data times tanh of its softplus, as an expression."""
        return multiply(data, Call(Tanh(), (Call(Softplus(), (data,)),)))


@operator("nn.thresholded_relu")
class ThresholdedRelu(Activation):
    """`x` where it is greater than `alpha`, else 0."""

    alpha: float = 1.0

    examples = (*_EXAMPLES, Example("f32[9]", alpha=0.25))

    def formula(self, x: te.Scalar) -> te.Scalar:
        """Return the element if it is greater than the threshold, else 0."""
        return te.select(x > self.alpha, x, te.const(0, x.dtype))

    def wide(self, x: Array) -> Array:
        """Return `x` where it is greater than the threshold, else 0, by NumPy."""
        return np.where(x > self.alpha, x, 0)

    def decompose(self, data: Expr) -> Expr:
        """Return the data where it is greater than the threshold, else 0, as an expression."""
        return where(less(number(self.alpha, data), data), data, number(0, data))


def _exponential_unit(x: Expr, rate: float, alpha: float, gamma: float) -> Expr:
    """Return `gamma · (x if x > 0 else alpha · (e^(rate · x) - 1))` as an expression.

    No exponential has a positive argument, so none overflows.
    """
    zero = number(0, x)
    positive = less(zero, x)
    powers = Call(Exp(), (scaled(where(positive, zero, x), rate),))
    bent = scaled(subtract(powers, number(1, x)), alpha)
    return scaled(where(positive, x, bent), gamma)
