"""NumPy's elementwise functions that are no single operator, written with those that are."""

# ruff: noqa: A001 - NumPy's own names

import ast
import math
from collections.abc import Sequence

import numpy as np

from relay.frontend.python import arithmetic
from relay.frontend.python.tensor_arguments import Apart, MaybeExpr, Real
from relay.ir.expr import Constant, Expr, Tuple
from relay.ops.functions import core


def _binary(sign: type[ast.AST], a: Expr, b: Expr) -> Expr:
    made = arithmetic.binary(sign, a, b, None)
    assert isinstance(made, Expr), "operands are tensors"
    return made


def _truth(x: Expr) -> Expr:
    """Return whether elements are not zero."""
    return x if str(x.tensor_type.dtype) == "bool" else core.cast(x, "bool")


def arctan2(x1: Real, x2: Real) -> Expr:
    """Return the angle of the point at height `x1` and width `x2`; zeros have a sign, too."""
    up, across = core.abs(x1), core.abs(x2)
    same = core.where(core.equal(up, 0.0), up, core.ones_like(up))  # of 0 / 0, inf / inf
    arc = core.atan(core.where(core.equal(up, across), same, up / across))
    return copysign(core.where(signbit(x2), math.pi - arc, arc), x1)


def allclose(a: Expr, b: Expr, rtol: float = 1e-5, atol: float = 1e-8) -> Expr:
    """Return whether all elements are nearly equal."""
    return core.all(isclose(a, b, rtol, atol))


def array_equal(a1: Expr, a2: Expr) -> Expr:
    """Return whether two tensors have one shape and equal elements."""
    if a1.tensor_type.shape != a2.tensor_type.shape:
        return Constant(np.asarray(False))
    return core.all(core.equal(a1, a2))


def cbrt(x: Real) -> Expr:
    """Return the third root, also of negative numbers."""
    return core.sign(x) * core.power(core.abs(x), 1 / 3)


def clip(
    a: Expr,
    a_min: MaybeExpr = None,
    a_max: MaybeExpr = None,
    *,
    min: MaybeExpr = None,
    max: MaybeExpr = None,
) -> Expr:
    """Return the elements, but not below the one bound or above the other."""
    low, high = a_min if min is None else min, a_max if max is None else max
    found = a if low is None else core.maximum(a, low)
    return found if high is None else core.minimum(found, high)


def copysign(x1: Real, x2: Real) -> Expr:
    """Return numbers with the sign of others."""
    return core.where(signbit(x2), -core.abs(x1), core.abs(x1))


def divmod(x1: Expr, x2: Expr) -> Tuple:
    """Return quotients and remainders."""
    return Tuple((_binary(ast.FloorDiv, x1, x2), _binary(ast.Mod, x1, x2)))


def exp2(x: Real) -> Expr:
    """Return powers of 2."""
    return core.exp(x * math.log(2))


def expm1(x: Real) -> Expr:
    """Return `exp(x) - 1`, exact near zero."""
    power = core.exp(x)
    near = (power - 1.0) * x / core.log(power)
    plain = core.logical_or(core.less(x, -9.0), core.greater(x, 9.0))
    return core.where(core.equal(power, 1.0), x, core.where(plain, power - 1.0, near))


def fix(x: Expr) -> Expr:
    """Return numbers rounded towards zero."""
    return core.trunc(x) if x.tensor_type.dtype.is_float else x


def float_power(x1: Real, x2: Real) -> Expr:
    """Return powers as floats."""
    return core.power(x1, x2)


def fmax(x1: Expr, x2: Expr) -> Expr:
    """Return the larger of two numbers, or the one that is a number."""
    if not x1.tensor_type.dtype.is_float:
        return core.maximum(x1, x2)
    first = core.logical_or(core.greater_equal(x1, x2), core.isnan(x2))
    return core.where(first, x1, x2)


def fmin(x1: Expr, x2: Expr) -> Expr:
    """Return the smaller of two numbers, or the one that is a number."""
    if not x1.tensor_type.dtype.is_float:
        return core.minimum(x1, x2)
    first = core.logical_or(core.less_equal(x1, x2), core.isnan(x2))
    return core.where(first, x1, x2)


def heaviside(x1: Real, x2: Real) -> Expr:
    """Return 0 for negative numbers, 1 for positive ones, and `x2` for zero."""
    side = core.cast_like(core.greater(x1, 0.0), x1)
    return core.where(core.equal(x1, 0.0), x2, side)


def hypot(x1: Real, x2: Real) -> Expr:
    """Return the length of the long side of a triangle."""
    return core.sqrt(x1 * x1 + x2 * x2)


def isclose(a: Expr, b: Expr, rtol: float = 1e-5, atol: float = 1e-8) -> Expr:
    """Return whether elements are nearly equal; infinities are close to themselves."""
    near = core.less_equal(core.abs(a - b), rtol * core.abs(b) + atol) if _is_float(a) else None
    return core.equal(a, b) if near is None else core.logical_or(core.equal(a, b), near)


def log1p(x: Real) -> Expr:
    """Return `log(1 + x)`, exact near zero."""
    more = x + 1.0
    return core.where(core.equal(more, 1.0), x, core.log(more) * x / (more - 1.0))


def logaddexp(x1: Real, x2: Real) -> Expr:
    """Return `log(exp(x1) + exp(x2))`; infinities of one sign have no difference."""
    found = core.maximum(x1, x2) + log1p(core.exp(-core.abs(x1 - x2)))
    return core.where(core.equal(x1, x2), x1 + math.log(2), found)


def logical_and(x1: Apart, x2: Apart) -> Expr:
    """Return whether both are not zero."""
    return core.logical_and(_truth(x1), _truth(x2))


def logical_or(x1: Apart, x2: Apart) -> Expr:
    """Return whether one or both are not zero."""
    return core.logical_or(_truth(x1), _truth(x2))


def logical_xor(x1: Apart, x2: Apart) -> Expr:
    """Return whether one of both, not both, is not zero."""
    return core.logical_xor(_truth(x1), _truth(x2))


def logical_not(x: Apart) -> Expr:
    """Return whether elements are zero."""
    return core.logical_not(_truth(x))


def modf(x: Real) -> Tuple:
    """Return what is behind the point, and what is before it."""
    whole = core.trunc(x)
    return Tuple((x - whole, whole))


def nan_to_num(x: Expr) -> Expr:
    """Return zero for what is no number, and the largest numbers for infinities."""
    dtype = x.tensor_type.dtype
    if not dtype.is_float:
        return x
    largest = Constant(np.asarray(np.finfo(str(dtype)).max, dtype.numpy))
    return core.where(core.isnan(x), 0.0, core.maximum(core.minimum(x, largest), -largest))


def positive(x: Expr) -> Expr:
    """Return the numbers themselves, in a new array."""
    return core.copy(x)


def rad2deg(x: Real) -> Expr:
    """Return angles in degrees."""
    return x * (180 / math.pi)


def deg2rad(x: Real) -> Expr:
    """Return angles in radians."""
    return x * (math.pi / 180)


def reciprocal(x: Real) -> Expr:
    """Return `1 / x`."""
    return 1.0 / x


def round(a: Expr, decimals: int = 0) -> Expr:
    """Return numbers rounded to digits behind the point; a half goes to the even neighbour."""
    if not a.tensor_type.dtype.is_float:
        return (
            a if decimals >= 0 else core.cast_like(_rounded(core.cast(a, "float64"), decimals), a)
        )
    return core.rint(a) if decimals == 0 else _rounded(a, decimals)


def _rounded(a: Expr, decimals: int) -> Expr:
    scale = 10.0 ** abs(decimals)
    return core.rint(a * scale) / scale if decimals > 0 else core.rint(a / scale) * scale


def select(condlist: Sequence[Expr], choicelist: Sequence[Expr], default: MaybeExpr = None) -> Expr:
    """Return from the first choice whose condition holds."""
    found = core.zeros_like(choicelist[0]) if default is None else default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        found = core.where(_truth(condition), choice, found)
    return found


def signbit(x: Real) -> Expr:
    """Return whether numbers have a minus, as `-0.0` has."""
    return core.less(core.where(core.equal(x, 0.0), 1.0 / x, x), 0.0)


def sinc(x: Real) -> Expr:
    """Return `sin(pi x) / (pi x)`, which is 1 at zero."""
    zero, angle = core.equal(x, 0.0), x * math.pi
    safe = core.where(zero, core.ones_like(x), angle)
    return core.where(zero, core.ones_like(x), core.sin(safe) / safe)


def square(x: Expr) -> Expr:
    """Return `x * x`."""
    return x * x


def where(condition: Apart, x: MaybeExpr = None, y: MaybeExpr = None) -> Expr | Tuple:
    """Return `x` where the condition holds and `y` elsewhere, or the places where it holds."""
    if x is None or y is None:
        return nonzero(condition)
    return core.where(_truth(condition), x, y)


def nonzero(a: Apart) -> Tuple:
    """Return the places of what is not zero, a vector for each axis."""
    rows = core.argwhere(a)
    columns = range(a.tensor_type.rank)
    return Tuple(tuple(core.take(rows, Constant(np.asarray(i, np.int32)), 1) for i in columns))


def _is_float(x: Expr) -> bool:
    return x.tensor_type.dtype.is_float
