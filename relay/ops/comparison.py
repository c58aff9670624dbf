"""Comparisons of two tensors with broadcasting; the result is bool.

Every comparison with NaN is false except `not_equal`. A comparison has no derivative.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.kernels.scalar import Order, Scalar, compare
from relay.opdef.definition import Precision
from relay.opdef.example import broadcast_examples
from relay.opdef.table import operator
from relay.ops.families import BroadcastComparison

_FEW = (-2.0, 2.0)  # random integers of this range are often equal


class Comparison(BroadcastComparison):
    """The base of comparisons: `order` is the machine predicate, `function` the NumPy function."""

    __slots__ = ()
    order: ClassVar[Order]
    function: ClassVar[np.ufunc]
    examples = broadcast_examples(
        *("f32", "f64", "i32", "i8", "u8", "f16", "bf16", "i64", "bool", "f32"), domain=_FEW
    )

    def scalar(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the result for two elements."""
        return compare(self.order, x, y)

    def reference(self, lhs: Array, rhs: Array) -> Array:
        """Return the result of the NumPy function."""
        return np.asarray(self.function(lhs, rhs))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return no derivatives, because a comparison is piecewise constant."""
        return (None, None)


@operator("equal")
class Equal(Comparison):
    """Whether `lhs` is equal to `rhs`, element by element; 0.0 equals -0.0.

    Takes any element type.
    """

    order = Order.EQ
    function = np.equal
    commutative = True


@operator("not_equal")
class NotEqual(Comparison):
    """Whether `lhs` differs from `rhs`, element by element; NaN differs from NaN.

    Takes any element type.
    """

    order = Order.NE
    function = np.not_equal
    commutative = True


@operator("less", "<")
class Less(Comparison):
    """Whether `lhs` is less than `rhs`, element by element; False is less than True.

    Takes any element type.
    """

    precision = Precision.FOLLOW
    order = Order.LT
    function = np.less


@operator("less_equal", "<=")
class LessEqual(Comparison):
    """Whether `lhs` is less than or equal to `rhs`, element by element. Takes any element type."""

    precision = Precision.FOLLOW
    order = Order.LE
    function = np.less_equal


@operator("greater", ">")
class Greater(Comparison):
    """Whether `lhs` is greater than `rhs`, element by element. Takes any element type."""

    precision = Precision.FOLLOW
    order = Order.GT
    function = np.greater


@operator("greater_equal", ">=")
class GreaterEqual(Comparison):
    """Whether `lhs` is greater than or equal to `rhs`, element by element.

    Takes any element type.
    """

    precision = Precision.FOLLOW
    order = Order.GE
    function = np.greater_equal


def equal(lhs: Expr, rhs: Expr) -> Expr:
    """Return `lhs == rhs` as an expression."""
    return Call(Equal(), (lhs, rhs))


def less(lhs: Expr, rhs: Expr) -> Expr:
    """Return `lhs < rhs` as an expression."""
    return Call(Less(), (lhs, rhs))


def less_equal(lhs: Expr, rhs: Expr) -> Expr:
    """Return `lhs <= rhs` as an expression."""
    return Call(LessEqual(), (lhs, rhs))
