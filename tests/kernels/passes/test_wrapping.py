"""What is computed from data wraps as the machine's integers do, however it is simplified."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay.kernels.bounds_checks import BoundsCheck
from relay.kernels.loops import Buffer, Load
from relay.kernels.passes.affine_arithmetic import Arithmetic
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.scalar import (
    Binary,
    Cast,
    Compare,
    Const,
    Op,
    Order,
    Scalar,
    Var,
    binary,
    cast,
    compare,
    size_named,
)
from relay.kernels.traverse_scalars import walk
from relay.support.dtype import int32, int64

LARGE, SMALL = Load(Buffer("large", (), int64), ()), Load(Buffer("small", (), int32), ())
I = Var("i")  # noqa: E741 - it stands for an index
N = size_named("n")
EXTREME = (-(2**63), 2**63 - 1, 2**62, 2**62 + 1, 3 * 2**61, -(2**62), 0, 1, -1, 5)
Point = dict[Scalar, int]
POINTS: list[Point] = [
    {LARGE: large, SMALL: small, I: i}
    for large in EXTREME
    for small, i in ((-(2**31), 0), (2**31 - 1, 15), (3, 7))
]

leaves = st.sampled_from([LARGE, cast(SMALL, int64), I]) | st.sampled_from(
    [-7, 1, 2, 3, 4, 16, 2**40, 6364136223846793000, 2**62]
).map(Const)


def grown(inner: st.SearchStrategy[Scalar]) -> st.SearchStrategy[Scalar]:
    sides = st.sampled_from([Op.ADD, Op.SUB, Op.MUL, Op.MIN, Op.MAX])
    divisions = st.sampled_from([Op.FLOORDIV, Op.FLOORMOD])
    divisors = st.integers(1, 16).map(Const)
    return st.builds(binary, sides, inner, inner) | st.builds(binary, divisions, inner, divisors)


numbers = st.recursive(leaves, grown, max_leaves=8)


def value(e: Scalar, point: Point) -> int:
    """Return what the machine computes."""
    match e:
        case Const():
            return int(e.value)
        case Cast(operand=operand):
            return value(operand, point)
        case Compare(order=order, a=a, b=b):
            sides = np.int64(value(a, point)), np.int64(value(b, point))
            return int(_ORDERS[order](*sides))
        case Binary(op=op, a=a, b=b):
            exact = _OPERATIONS[op](value(a, point), value(b, point))
            return (exact + 2**63) % 2**64 - 2**63
        case _:
            return point[e]


_OPERATIONS = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.MIN: min,
    Op.MAX: max,
    Op.FLOORDIV: lambda a, b: a // b,
    Op.FLOORMOD: lambda a, b: a % b,
}
_ORDERS = {
    Order.LT: np.less,
    Order.LE: np.less_equal,
    Order.GT: np.greater,
    Order.GE: np.greater_equal,
    Order.EQ: np.equal,
    Order.NE: np.not_equal,
}


def simplifier() -> Simplifier:
    made = Simplifier()
    made.arithmetic.declare(I, 0, 15)
    return made


@given(numbers)
def test_a_number_is_what_the_machine_computes(e: Scalar):
    simplify = simplifier()
    simple = simplify(e)
    low, high = simplify.arithmetic.range_of_sum(e)
    for point in POINTS:
        assert value(simple, point) == value(e, point)
        assert low <= value(e, point) <= high


@given(numbers, numbers, st.sampled_from(Order))
def test_a_comparison_is_that_of_the_machine(a: Scalar, b: Scalar, order: Order):
    test = compare(order, a, b)
    simple = simplifier()(test)
    for point in POINTS:
        assert value(simple, point) == value(test, point)


@pytest.mark.parametrize(
    ("index", "is_tested"),
    [
        (binary(Op.MIN, binary(Op.MAX, LARGE, Const(0)) * 2, Const(4)), True),
        (binary(Op.MIN, binary(Op.MAX, LARGE, Const(0)) + 1, Const(4)), True),
        (binary(Op.MAX, binary(Op.MIN, LARGE, Const(4)), Const(0)), False),
        (binary(Op.FLOORMOD, LARGE * 3, Const(5)), False),
        (binary(Op.MAX, cast(SMALL, int64) * 0 + 3, Const(0)), False),
    ],
)
def test_an_index_that_may_wrap_is_tested(index: Scalar, is_tested: bool):
    simple = simplifier()(BoundsCheck(index, Const(5), 0, from_end=False, number=1))
    assert any(isinstance(part, BoundsCheck) for part in walk(simple)) == is_tested


def test_places_of_rows_are_no_data():
    made = Arithmetic()
    row = binary(Op.MAX, binary(Op.MIN, LARGE, N - 1), Const(0))
    place = made.affine(row * N + I)
    assert made.is_exact(place)
    assert not made.is_exact(made.affine(LARGE * N + I))
    assert not made.is_exact(made.affine(LARGE + 1))
