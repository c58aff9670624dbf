"""Translate Bessel functions: modified ones, which windows of signals need, and a spherical one."""

from collections.abc import Mapping, Sequence
from math import factorial, pi

from relay.frontend.builders.tensors import constant, converted
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.type_promotion import floating
from relay.ir.expr import Call, Expr
from relay.ops.binary import Maximum, add, divide, multiply, scaled
from relay.ops.comparison import equal, less
from relay.ops.derivatives_at_zero import absolute
from relay.ops.elementwise import IsInf
from relay.ops.selection import where
from relay.ops.transcendental import Exp, Rsqrt, Sin
from relay.support.dtype import float64

_FAR = 20.0
"""Where the series in `1 / x` is as accurate as float64; below it that of powers of `x` is."""

_NEAR_TERMS, _FAR_TERMS = 50, 31

_FUNCTIONS: Mapping[str, tuple[int, bool]] = {
    **{f"{start}i{order}": (order, False) for order in (0, 1)
       for start in ("", "special_", "bessel_", "special_modified_bessel_")},
    **{f"{start}i{order}e": (order, True) for order in (0, 1) for start in ("special_", "bessel_")},
}  # fmt: skip
"""The order of each function, and whether `exp(-|x|)` is a factor."""


@torch_operator("bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", namespace="prims")
@torch_operator(*(name for name in _FUNCTIONS if not name.startswith("bessel")))
def modified_bessel(node: TorchNode) -> Expr:
    """Translate modified Bessel functions: power series of `x` or, for large `x`, of `1 / x`."""
    given = floating(node.tensor("self" if "self" in node.arguments else "x"))
    order, is_scaled = _FUNCTIONS[node.operator]
    x = converted(given, float64)
    size = absolute(x)
    shrunk = Call(Exp(), (scaled(size, -1.0),))
    is_near = less(size, constant(_FAR, float64))
    wide = Call(Maximum(), (size, constant(_FAR, float64)))
    near = _near(x, order)
    far = multiply(_sum(divide(constant(1.0, float64), wide), _far_series(order)),
                   Call(Rsqrt(), (scaled(wide, 2 * pi),)))  # fmt: skip
    if order:
        far = where(less(x, constant(0.0, float64)), scaled(far, -1.0), far)
    if is_scaled:
        found = where(is_near, multiply(near, shrunk), far)
    else:
        found = where(is_near, near, multiply(far, Call(Exp(), (size,))))
    return converted(found, given.tensor_type.dtype)


@torch_operator("special_spherical_bessel_j0")
@torch_operator("spherical_bessel_j0", namespace="prims")
def spherical_bessel(node: TorchNode) -> Expr:
    """Translate `spherical_bessel_j0`: `sin(x) / x`, which is 1 at 0, and 0 at infinity."""
    x = floating(node.tensor("self" if "self" in node.arguments else "x"))
    zero, one = (constant(each, x.tensor_type.dtype) for each in (0, 1))
    is_zero, is_infinite = equal(x, zero), Call(IsInf(), (x,))
    safe = where(is_zero, one, x)
    quotient = divide(Call(Sin(), (safe,)), safe)
    return where(is_zero, one, where(is_infinite, zero, quotient))


def _near(x: Expr, order: int) -> Expr:
    square = scaled(multiply(x, x), 0.25)
    series = [1 / (factorial(k) * factorial(k + order)) for k in range(_NEAR_TERMS)]
    found = _sum(square, series)
    return multiply(found, scaled(x, 0.5)) if order else found


def _far_series(order: int) -> list[float]:
    """Return the coefficients of the asymptotic series (Hankel)."""
    found = [1.0]
    for k in range(1, _FAR_TERMS):
        found.append(-found[-1] * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k))
    return found


def _sum(x: Expr, coefficients: Sequence[float]) -> Expr:
    """Return a polynomial whose coefficients begin with the constant one."""
    *rest, last = coefficients
    found: Expr = constant(last, float64)
    for each in reversed(rest):
        found = add(multiply(found, x), constant(each, float64))
    return found
