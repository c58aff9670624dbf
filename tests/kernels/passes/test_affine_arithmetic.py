"""The normal form of an index has its value everywhere, and lies in the range that is claimed."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernels.interpret import evaluate

from relay.kernels.passes.affine_arithmetic import Arithmetic
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.scalar import Const, Op, Order, Scalar, Var, binary, compare, select

I, J, K = (Var(name) for name in "ijk")  # noqa: E741 - they stand for indices
RANGES = {I: range(4), J: range(-3, 6), K: range(2, 3)}
POINTS = [dict(zip(RANGES, point, strict=True)) for point in product(*RANGES.values())]

leaves = st.sampled_from([I, J, K]) | st.integers(-9, 9).map(Const)


def grown(inner: st.SearchStrategy[Scalar]) -> st.SearchStrategy[Scalar]:
    sides = st.sampled_from([Op.ADD, Op.SUB, Op.MIN, Op.MAX, Op.MUL])
    divisions = st.sampled_from([Op.FLOORDIV, Op.FLOORMOD])
    divisors = st.integers(1, 12).map(Const)
    return (
        st.builds(binary, sides, inner, inner)
        | st.builds(binary, st.just(Op.MUL), inner, st.integers(-4, 4).map(Const))
        | st.builds(binary, divisions, inner, divisors)
    )


indices = st.recursive(leaves, grown, max_leaves=8)


def simplifier() -> Simplifier:
    simplify = Simplifier()
    for var, values in RANGES.items():
        simplify.arithmetic.declare(var, values[0], values[-1])
    return simplify


@given(indices)
def test_an_index_keeps_its_value(index: Scalar) -> None:
    normal = simplifier()(index)
    for point in POINTS:
        assert evaluate(normal, point) == evaluate(index, point)


@given(indices)
def test_a_range_holds_every_value(index: Scalar) -> None:
    arithmetic = simplifier().arithmetic
    low, high = arithmetic.interval(arithmetic.affine(index))
    assert all(low <= evaluate(index, point) <= high for point in POINTS)


@given(indices, indices, st.sampled_from(list(Order)))
def test_a_comparison_keeps_its_truth(a: Scalar, b: Scalar, order: Order) -> None:
    test = compare(order, a, b)
    simple = simplifier()(select(test, Const(1), Const(0)))
    for point in POINTS:
        assert evaluate(simple, point) == int(evaluate(test, point))


@pytest.mark.parametrize(
    ("index", "normal"),
    [
        ((I * 16 + J + 3) // 16, I),
        ((I * 16 + J + 3) % 16, J + 3),
        ((I * 6 + J) // 5 * 5 + (I * 6 + J) % 5, I * 6 + J),
        (I * 12 + J - (J + I * 12), Const(0)),
        ((J // 2) // 3, J // 6),
        ((I * 4 + 2) // 2, I * 2 + 1),
        ((J + 1 - (J + 1) % 3 - I * 3) // 3, (J + 1) // 3 - I),
    ],
)
def test_what_cancels(index: Scalar, normal: Scalar) -> None:
    simplify = simplifier()
    assert simplify(index) is simplify(normal)


def test_a_walk_over_three_dimensions_is_one() -> None:
    arithmetic, f = Arithmetic(), Var("f")
    arithmetic.declare(f, 0, 104)
    flat = (f // 35) * 35 + ((f // 7) % 5) * 7 + f % 7
    assert arithmetic.index(flat) is f


def test_phases_are_told_apart() -> None:
    simplify = simplifier()
    assert simplify(compare(Order.EQ, (I * 2 + 1) % 2, 0)) == compare(Order.EQ, 1, 0)
    assert simplify(compare(Order.EQ, I * 2 + J * 4, 3)) == compare(Order.EQ, 1, 0)
