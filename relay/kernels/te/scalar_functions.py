"""Functions of scalar expressions, for the bodies of tensor expressions.

Arguments are scalars; one operand of a binary operation may be a Python number.
"""

from collections.abc import Callable

from relay.kernels.scalar import (
    Apply,
    Const,
    Fn,
    Number,
    Op,
    Scalar,
    binary,
    lift,
    lift_both,
)
from relay.kernels.scalar import cast as cast_scalar
from relay.support.dtype import DType, bool_, int32
from relay.support.dtype import dtype as dtype_of


def const(number: bool | float, dtype: DType | str = "int64") -> Const:
    """Return a number as a constant expression of `dtype`."""
    constant = lift(number, dtype_of(dtype))
    assert isinstance(constant, Const)
    return constant


def cast(operand: Scalar, dtype: DType | str) -> Scalar:
    """Return the operand converted: floats truncate toward zero and saturate, NaN becomes 0."""
    return cast_scalar(operand, dtype_of(dtype))


def bitcast(operand: Scalar, dtype: DType | str) -> Scalar:
    """Return the operand's bits, reinterpreted as another dtype of the same width."""
    return Apply(Fn.BITCAST, (operand,), dtype_of(dtype))


def _unary(fn: Fn) -> Callable[[Scalar], Scalar]:
    def apply(x: Scalar) -> Scalar:
        return Apply(fn, (x,), x.dtype)

    apply.__name__ = fn.value
    apply.__doc__ = f"Return {fn.value}(x), of the dtype of `x`."
    return apply


abs = _unary(Fn.ABS)  # noqa: A001 - NumPy's name
sqrt = _unary(Fn.SQRT)
rsqrt = _unary(Fn.RSQRT)
exp = _unary(Fn.EXP)
log = _unary(Fn.LOG)
log2 = _unary(Fn.LOG2)
log10 = _unary(Fn.LOG10)
sin = _unary(Fn.SIN)
cos = _unary(Fn.COS)
tan = _unary(Fn.TAN)
sinh = _unary(Fn.SINH)
cosh = _unary(Fn.COSH)
tanh = _unary(Fn.TANH)
asin = _unary(Fn.ASIN)
acos = _unary(Fn.ACOS)
atan = _unary(Fn.ATAN)
asinh = _unary(Fn.ASINH)
acosh = _unary(Fn.ACOSH)
atanh = _unary(Fn.ATANH)
erf = _unary(Fn.ERF)
sigmoid = _unary(Fn.SIGMOID)
floor = _unary(Fn.FLOOR)
ceil = _unary(Fn.CEIL)
trunc = _unary(Fn.TRUNC)
round = _unary(Fn.ROUND)  # noqa: A001 - C's name and C's meaning: halves away from zero
round_even = _unary(Fn.ROUND_EVEN)


def pow(base: Number, exponent: Number) -> Scalar:  # noqa: A001 - NumPy's name
    """Return `base` to the power `exponent`."""
    a, b = lift_both(base, exponent)
    return Apply(Fn.POW, (a, b), a.dtype)


def atan2(y: Number, x: Number) -> Scalar:
    """Return the angle of the point (x, y), in (-π, π]."""
    a, b = lift_both(y, x)
    return Apply(Fn.ATAN2, (a, b), a.dtype)


def fma(a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    """Return `a * b + c`, rounded once."""
    return Apply(Fn.FMA, (a, b, c), a.dtype)


def rounded_product(a: Scalar, b: Number, places: Number) -> Scalar:
    """Return `a * b / 2**places` of int32 numbers, rounded to nearest, halves up; it wraps.

    There are 31 to 62 places. With 31, `a` or `b` is not the smallest int32.

    >>> rounded_product(const(3, "int32"), 1 << 30, 31).dtype
    int32
    """
    return Apply(Fn.ROUNDED_PRODUCT, (a, lift(b, int32), lift(places, int32)), int32)


def isnan(x: Scalar) -> Scalar:
    """Return the test whether `x` is NaN."""
    return Apply(Fn.ISNAN, (x,), bool_)


def divide(a: Number, b: Number) -> Scalar:
    """Return the quotient: IEEE for floats, truncated toward zero for integers, as in C."""
    return binary(Op.DIV, a, b)


def remainder(a: Number, b: Number) -> Scalar:
    """Return the remainder with the sign of the dividend, as in C."""
    return binary(Op.REM, a, b)
