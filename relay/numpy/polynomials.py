"""Polynomials as vectors of coefficients, the highest power first."""

import numpy as np

from relay.ir.expr import Constant, Expr
from relay.numpy.argument_conversion import Real, known_shape, numpy_function
from relay.numpy.matrix_products import convolve
from relay.ops.functions import core


@numpy_function
def polyval(p: Expr, x: Expr) -> Expr:
    """Return the value of a polynomial; coefficients start at the highest power."""
    (count,) = known_shape(p)
    found: Expr = core.zeros_like(x)
    for i in range(count):
        coefficient = core.take(p, Constant(np.asarray(i, np.int32)), 0)
        found = core.add(core.multiply(found, x), coefficient)
    return found


def _aligned(a1: Expr, a2: Expr) -> tuple[Expr, Expr]:
    """Return the coefficients of two polynomials, padded with zeros to equal length."""
    a, b = (core.reshape(x, (-1,)) for x in (a1, a2))
    size = max(known_shape(a)[0], known_shape(b)[0])

    def wide(x: Expr) -> Expr:
        missing = size - known_shape(x)[0]
        zeros = core.zeros((missing,), x.tensor_type.dtype)
        return core.concatenate([zeros, x], 0) if missing else x

    return wide(a), wide(b)


@numpy_function
def polyadd(a1: Expr, a2: Expr) -> Expr:
    """Return the sum of two polynomials."""
    return core.add(*_aligned(a1, a2))


@numpy_function
def polysub(a1: Expr, a2: Expr) -> Expr:
    """Return the difference of two polynomials."""
    return core.subtract(*_aligned(a1, a2))


@numpy_function
def polymul(a1: Expr, a2: Expr) -> Expr:
    """Return the product of two polynomials."""
    return convolve(core.reshape(a1, (-1,)), core.reshape(a2, (-1,)))


@numpy_function
def polyder(p: Expr, m: int = 1) -> Expr:
    """Return the `m`-th derivative of a polynomial."""
    for _ in range(m):
        (count,) = known_shape(p)
        powers = np.arange(count - 1, 0, -1).astype(p.tensor_type.dtype.numpy)
        p = core.multiply(core.strided_slice(p, (0,), (count - 1,)), Constant(powers))
    return p


@numpy_function
def polyint(p: Real, m: int = 1) -> Expr:
    """Return the `m`-th integral of a polynomial, with constants of 0."""
    for _ in range(m):
        (count,) = known_shape(p)
        powers = np.arange(count, 0, -1).astype(p.tensor_type.dtype.numpy)
        zero = core.zeros((1,), p.tensor_type.dtype)
        p = core.concatenate([core.divide(p, Constant(powers)), zero], 0)
    return p
