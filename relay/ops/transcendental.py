"""Roots, exponentials, logarithms, trigonometric and hyperbolic functions of floats.

Outside of its domain, a function returns NaN, as in NumPy. Half precision is computed in float32
and rounded once. The `fast_` variants of TVM's Relay, which permit an approximation, have the same
code as the others, which is accurate to a few units in the last place.
"""

from collections.abc import Callable, Sequence
from math import erf, log, pi, sqrt
from typing import ClassVar

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.kernels.scalar import Apply, Fn, Scalar
from relay.opdef.definition import Precision
from relay.opdef.example import broadcast_examples, elementwise_examples
from relay.opdef.table import operator
from relay.ops.binary import add, divide, multiply, opposite, scaled, square, subtract
from relay.ops.broadcasting import sum_to_shape_of
from relay.ops.comparison import equal
from relay.ops.creation import number
from relay.ops.families import FLOATS, Broadcast, Elementwise
from relay.ops.selection import where

_ELEMENTS = ("f32", "f64", "f16", "bf16", "f32", "f32")
_POSITIVE = elementwise_examples(*_ELEMENTS, domain=(0.25, 9.0))
_UNIT = elementwise_examples(*_ELEMENTS, domain=(-0.95, 0.95))


class Function(Elementwise):
    """The base of these functions: `fn` is the machine function, `function` the NumPy function.

    `slope` is the derivative as an expression of the argument `x` and the result `y`.
    """

    __slots__ = ()
    fn: ClassVar[Fn]
    function: ClassVar[Callable[[Array], Array]]
    kinds = FLOATS
    examples = elementwise_examples(*_ELEMENTS)

    def scalar(self, x: Scalar) -> Scalar:
        """Return the function of one element."""
        return Apply(self.fn, (x,), x.dtype)

    def reference(self, data: Array) -> Array:
        """Return the result of the NumPy function, computed in float32 at least."""
        return np.asarray(type(self).function(at_least_single(data))).astype(data.dtype)

    def slope(self, x: Expr, y: Expr) -> Expr:
        """Return the derivative at `x`, where the function value is `y`."""
        raise AssertionError(f"{self.name} has no derivative")

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative of the result, multiplied by the slope."""
        return (multiply(d_out, self.slope(call.args[0], call)),)


def at_least_single(data: Array) -> Array:
    """Return an array of half precision as float32, and other arrays unchanged."""
    return data.astype(np.float32) if data.dtype.itemsize < 4 else data


@operator("sqrt")
class Sqrt(Function):
    """The square root. Takes floats of any shape."""

    fn = Fn.SQRT
    function = np.sqrt
    precision = Precision.FOLLOW
    examples = _POSITIVE

    def slope(self, x: Expr, y: Expr) -> Expr:
        return divide(number(0.5, y), y)


@operator("rsqrt")
class Rsqrt(Function):
    """One over the square root. Takes floats of any shape."""

    fn = Fn.RSQRT
    examples = _POSITIVE

    @staticmethod
    def function(x: Array) -> Array:
        """Return one over the square root."""
        return np.divide(1, np.sqrt(x), dtype=x.dtype)

    def slope(self, x: Expr, y: Expr) -> Expr:
        return scaled(multiply(y, square(y)), -0.5)


class Exponential(Function):
    """The base of `exp` and `fast_exp`."""

    __slots__ = ()
    fn = Fn.EXP
    function = np.exp

    def slope(self, x: Expr, y: Expr) -> Expr:
        """Return the function value, which is also the derivative."""
        return y


@operator("exp")
class Exp(Exponential):
    """e to the power of the element. Takes floats of any shape."""

    precision = Precision.NEVER


@operator("fast_exp")
class FastExp(Exponential):
    """e to the power of the element, as exact as `exp` here; an approximation in TVM."""

    precision = Precision.FOLLOW


class Logarithm(Function):
    """The base of logarithms; `base_log` is the natural logarithm of the base."""

    __slots__ = ()
    base_log: ClassVar[float]
    examples = _POSITIVE

    def slope(self, x: Expr, y: Expr) -> Expr:
        """Return the derivative `1 / (x log base)`."""
        return divide(number(1 / self.base_log, x), x)


@operator("log")
class Log(Logarithm):
    """The natural logarithm. Takes floats of any shape."""

    fn = Fn.LOG
    function = np.log
    base_log = 1.0


@operator("log2")
class Log2(Logarithm):
    """The logarithm to base 2. Takes floats of any shape."""

    fn = Fn.LOG2
    function = np.log2
    base_log = log(2)


@operator("log10")
class Log10(Logarithm):
    """The logarithm to base 10. Takes floats of any shape."""

    fn = Fn.LOG10
    function = np.log10
    base_log = log(10)


@operator("sin")
class Sin(Function):
    """The sine of an angle in radians. Takes floats of any shape."""

    fn = Fn.SIN
    function = np.sin

    def slope(self, x: Expr, y: Expr) -> Expr:
        return Call(Cos(), (x,))


@operator("cos")
class Cos(Function):
    """The cosine of an angle in radians. Takes floats of any shape."""

    fn = Fn.COS
    function = np.cos

    def slope(self, x: Expr, y: Expr) -> Expr:
        return opposite(Call(Sin(), (x,)))


@operator("tan")
class Tan(Function):
    """The tangent of an angle in radians. Takes floats of any shape."""

    fn = Fn.TAN
    function = np.tan
    examples = elementwise_examples(*_ELEMENTS, domain=(-1.4, 1.4))

    def slope(self, x: Expr, y: Expr) -> Expr:
        return add(square(y), number(1, y))


@operator("sinh")
class Sinh(Function):
    """The hyperbolic sine. Takes floats of any shape."""

    fn = Fn.SINH
    function = np.sinh

    def slope(self, x: Expr, y: Expr) -> Expr:
        return Call(Cosh(), (x,))


@operator("cosh")
class Cosh(Function):
    """The hyperbolic cosine. Takes floats of any shape."""

    fn = Fn.COSH
    function = np.cosh

    def slope(self, x: Expr, y: Expr) -> Expr:
        return Call(Sinh(), (x,))


class HyperbolicTangent(Function):
    """The base of `tanh` and `fast_tanh`."""

    __slots__ = ()
    fn = Fn.TANH
    function = np.tanh

    def slope(self, x: Expr, y: Expr) -> Expr:
        """Return the derivative `1 - y²`."""
        return subtract(number(1, y), square(y))


@operator("tanh")
class Tanh(HyperbolicTangent):
    """The hyperbolic tangent. Takes floats of any shape."""

    precision = Precision.FOLLOW


@operator("fast_tanh")
class FastTanh(HyperbolicTangent):
    """The hyperbolic tangent, as exact as `tanh` here; an approximation in TVM."""

    precision = Precision.FOLLOW


def _root_of(x: Expr, squares: float, constant: float) -> Expr:
    """Return `sqrt(squares * x² + constant)` as an expression."""
    return Call(Sqrt(), (add(scaled(square(x), squares), number(constant, x)),))


@operator("asin")
class Asin(Function):
    """The angle in [-π/2, π/2] whose sine is the element. Takes floats of any shape."""

    fn = Fn.ASIN
    function = np.arcsin
    examples = _UNIT

    def slope(self, x: Expr, y: Expr) -> Expr:
        return divide(number(1, x), _root_of(x, -1, 1))


@operator("acos")
class Acos(Function):
    """The angle in [0, π] whose cosine is the element. Takes floats of any shape."""

    fn = Fn.ACOS
    function = np.arccos
    examples = _UNIT

    def slope(self, x: Expr, y: Expr) -> Expr:
        return divide(number(-1, x), _root_of(x, -1, 1))


@operator("atan")
class Atan(Function):
    """The angle in (-π/2, π/2) whose tangent is the element. Takes floats of any shape."""

    fn = Fn.ATAN
    function = np.arctan

    def slope(self, x: Expr, y: Expr) -> Expr:
        return divide(number(1, x), add(square(x), number(1, x)))


@operator("asinh")
class Asinh(Function):
    """The number whose hyperbolic sine is the element. Takes floats of any shape."""

    fn = Fn.ASINH
    function = np.arcsinh

    def slope(self, x: Expr, y: Expr) -> Expr:
        return divide(number(1, x), _root_of(x, 1, 1))


@operator("acosh")
class Acosh(Function):
    """The nonnegative number whose hyperbolic cosine is the element. Takes floats of any shape."""

    fn = Fn.ACOSH
    function = np.arccosh
    examples = elementwise_examples(*_ELEMENTS, domain=(1.1, 9.0))

    def slope(self, x: Expr, y: Expr) -> Expr:
        return divide(number(1, x), _root_of(x, 1, -1))


@operator("atanh")
class Atanh(Function):
    """The number whose hyperbolic tangent is the element. Takes floats of any shape."""

    fn = Fn.ATANH
    function = np.arctanh
    examples = _UNIT

    def slope(self, x: Expr, y: Expr) -> Expr:
        return divide(number(1, x), subtract(number(1, x), square(x)))


class ErrorFunction(Function):
    """The base of `erf` and `fast_erf`."""

    __slots__ = ()
    fn = Fn.ERF

    @staticmethod
    def function(x: Array) -> Array:
        """Return the C library's function of each element."""
        return np.array([erf(each) for each in x.ravel()], x.dtype).reshape(x.shape)

    def slope(self, x: Expr, y: Expr) -> Expr:
        """Return the derivative `2/√π e^(-x²)`."""
        return scaled(Call(Exp(), (opposite(square(x)),)), 2 / sqrt(pi))


@operator("erf")
class Erf(ErrorFunction):
    """The error function, `2/√π` times the integral of `e^(-t²)` from 0.

    Takes floats of any shape.
    """

    precision = Precision.NEVER


@operator("fast_erf")
class FastErf(ErrorFunction):
    """The error function, as exact as `erf` here; an approximation in TVM."""

    precision = Precision.FOLLOW


@operator("sigmoid")
class Sigmoid(Function):
    """`1 / (1 + e^-x)`. Takes floats of any shape."""

    precision = Precision.FOLLOW
    fn = Fn.SIGMOID

    @staticmethod
    def function(x: Array) -> Array:
        """Return the sigmoid, expressed by tanh, which does not overflow."""
        return np.where(x < -9, np.exp(x) / (1 + np.exp(x)), 0.5 * np.tanh(0.5 * x) + 0.5)

    def slope(self, x: Expr, y: Expr) -> Expr:
        return multiply(y, subtract(number(1, y), y))


@operator("power", "**")
class Power(Broadcast):
    """`lhs` to the power `rhs`; anything to the power 0 is 1. Takes floats; the operands broadcast.

    A negative base gives NaN unless the exponent is an integer. The derivative by `rhs` is 0 where
    `lhs` is 0.
    """

    kinds = FLOATS
    precision = Precision.NEVER
    examples = broadcast_examples(*_ELEMENTS, domain=(0.25, 3.0))

    def scalar(self, x: Scalar, y: Scalar) -> Scalar:
        return Apply(Fn.POW, (x, y), x.dtype)

    def reference(self, lhs: Array, rhs: Array) -> Array:
        x, y = np.broadcast_arrays(at_least_single(lhs), at_least_single(rhs))
        # A rank-0 exponent is not rewritten to a root or a product, whose special cases differ from
        # `pow`.
        return np.power(x.ravel(), y.ravel()).reshape(x.shape).astype(lhs.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative times `y x^(y-1)`, and times `x^y log x`.

        A base of 0 is replaced by 1 where the power or the logarithm would be infinite: zero times
        infinity is NaN in forward mode, and in derivatives of this one.
        """
        x, y = call.args
        nonzero = where(_is_zero(x), number(1, x), x)
        below = Call(Power(), (where(_is_zero(y), nonzero, x), subtract(y, number(1, y))))
        d_x = multiply(d_out, multiply(y, below))
        whole = where(_is_zero(x), number(0, d_out), call)
        d_y = multiply(d_out, multiply(whole, Call(Log(), (nonzero,))))
        return (sum_to_shape_of(d_x, x), sum_to_shape_of(d_y, y))


def _is_zero(x: Expr) -> Expr:
    return equal(x, number(0, x))
