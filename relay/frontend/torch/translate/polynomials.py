"""Translate orthogonal polynomials, each of which follows from the two before it."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from relay.frontend.builders.let_before_loops import bound
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.builders.while_loops import repeated
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.shapes import to_common_shape
from relay.frontend.torch.translate.type_promotion import common_dtype, default_float, operand
from relay.ir.expr import Call, Expr
from relay.ops.binary import add, divide, multiply, scaled, subtract
from relay.ops.comparison import less, less_equal
from relay.ops.creation import OnesLike, number
from relay.ops.max_min_reductions import Max
from relay.ops.selection import where
from relay.support.dtype import float64, int64
from relay.transform.effects import Unspeculatable

_First: TypeAlias = Callable[[Expr], Expr]
"""Maps the argument to the polynomial of degree 1."""

_Next: TypeAlias = Callable[[Expr, Expr, Expr, Expr], Expr]
"""Maps the argument, the degree as a float and the two last polynomials to the next one."""


def _moved(x: Expr, factor: float, shift: float) -> Expr:
    return add(scaled(x, factor), number(shift, x))


def _chebyshev(x: Expr, _: Expr, last: Expr, before: Expr) -> Expr:
    return subtract(multiply(scaled(x, 2.0), last), before)


def _hermite(factor: float) -> _Next:
    def following(x: Expr, k: Expr, last: Expr, before: Expr) -> Expr:
        less_one = subtract(k, number(1, k))
        whole = subtract(multiply(x, last), multiply(less_one, before))
        return scaled(whole, factor)

    return following


def _laguerre(x: Expr, k: Expr, last: Expr, before: Expr) -> Expr:
    less_one = subtract(k, number(1, k))
    factor = subtract(add(k, less_one), x)
    return divide(subtract(multiply(factor, last), multiply(less_one, before)), k)


def _legendre(x: Expr, k: Expr, last: Expr, before: Expr) -> Expr:
    less_one = subtract(k, number(1, k))
    factor = multiply(add(k, less_one), x)
    return divide(subtract(multiply(factor, last), multiply(less_one, before)), k)


_FIRST: Mapping[str, _First] = {
    "t": lambda x: x,
    "u": lambda x: scaled(x, 2.0),
    "v": lambda x: _moved(x, 2.0, -1.0),
    "w": lambda x: _moved(x, 2.0, 1.0),
}

_POLYNOMIALS: Mapping[str, tuple[_First, _Next]] = {
    **{f"chebyshev_polynomial_{kind}": (first, _chebyshev) for kind, first in _FIRST.items()},
    "hermite_polynomial_h": (_FIRST["u"], _hermite(2.0)),
    "hermite_polynomial_he": (_FIRST["t"], _hermite(1.0)),
    "laguerre_polynomial_l": (lambda x: _moved(x, -1.0, 1.0), _laguerre),
    "legendre_polynomial_p": (_FIRST["t"], _legendre),
}

_SHIFTED = tuple(f"special_shifted_chebyshev_polynomial_{kind}" for kind in _FIRST)


@torch_operator(*(f"special_{name}" for name in _POLYNOMIALS), *_SHIFTED)
def polynomial(node: TorchNode) -> Expr:
    """Translate `chebyshev_polynomial_t(x, n)` and others, which are 0 for a negative degree.

    They are computed in float64, because the recurrence loses precision.
    """
    values = (node.value("x"), node.value("n"))
    dtype = common_dtype(values)
    dtype = dtype if dtype.is_float else default_float()
    x, degree = (operand(node, each, dtype) for each in values)
    name = node.operator.removeprefix("special_")
    if name.startswith("shifted_"):
        x, name = _moved(x, 2.0, -1.0), name.removeprefix("shifted_")
    x, degree = to_common_shape([converted(x, float64), converted(degree, int64)])
    return converted(_evaluated(x, degree, *_POLYNOMIALS[name]), dtype)


def _evaluated(x: Expr, degree: Expr, first: _First, following: _Next) -> Expr:
    """Return the polynomials of each `degree` at `x`, by a loop up to the largest degree."""
    most = reshape(Call(Max(), (degree,)), ())
    operands = [x, degree, most]
    (found,) = bound(operands, Unspeculatable(), lambda given: _looped(given, first, following))
    return where(less(degree, constant(0, int64)), number(0, x), found)


def _looped(given: Sequence[Expr], first: _First, following: _Next) -> list[Expr]:
    x, degree, most = given
    one, ones = constant(1, int64), Call(OnesLike(), (x,))
    start = where(less(degree, one), ones, first(x))

    def step(state: Sequence[Expr]) -> tuple[Expr, Sequence[Expr]]:
        k, last, before = state
        new = following(x, converted(k, x.tensor_type.dtype), last, before)
        goes_on = less_equal(k, degree)
        moved = where(goes_on, new, last), where(goes_on, last, before)
        return less_equal(k, most), [add(k, one), *moved]

    return repeated([constant(2, int64), start, ones], step)[1:2]
