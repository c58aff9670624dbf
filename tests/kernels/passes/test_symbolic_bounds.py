"""What is claimed of sums with sizes holds for every size, and is enough to drop tests."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernels.interpret import evaluate

from relay.kernels.passes.affine_arithmetic import Arithmetic
from relay.kernels.scalar import Const, Op, Scalar, Var, binary, lift, size_named
from relay.support.dims.algebra import Dim, DimVar
from relay.support.dims.bounds import maximum, substitute

N, M = size_named("n"), size_named("m")
I, J = Var("i"), Var("j")  # noqa: E741 - they stand for indices
POINTS = [
    {N: n, M: m, I: i, J: j}
    for n, m in product((1, 2, 5, 16, 17), repeat=2)
    for i in range(n)
    for j in range(m)
]

leaves = st.sampled_from([I, J, N, M]) | st.integers(-5, 20).map(Const)


def grown(inner: st.SearchStrategy[Scalar]) -> st.SearchStrategy[Scalar]:
    sides = st.sampled_from([Op.ADD, Op.SUB, Op.MUL, Op.MIN, Op.MAX])
    divisions = st.sampled_from([Op.FLOORDIV, Op.FLOORMOD])
    divisors = st.integers(1, 16).map(Const) | st.sampled_from([N, M])
    return st.builds(binary, sides, inner, inner) | st.builds(binary, divisions, inner, divisors)


def arithmetic() -> Arithmetic:
    made = Arithmetic()
    made.bound(I, Const(0), N - 1)
    made.bound(J, Const(0), M - 1)
    return made


@given(st.recursive(leaves, grown, max_leaves=7))
def test_normal_forms_and_ranges_hold_for_all_sizes(index: Scalar):
    made = arithmetic()
    normal, (low, high) = made.index(index), made.interval(made.affine(index))
    for point in POINTS[::7]:
        value = evaluate(index, point)
        assert evaluate(normal, point) == value
        assert low <= value <= high


@pytest.mark.parametrize(
    ("index", "highest"),
    [
        (I - N, -1),
        ((N // 64) * 64 - N, 0),
        (N // 64 - (N + 63) // 64, 0),
        ((N // 32) * 2 - N // 16, 0),
    ],
)
def test_limits_that_cancel_are_found(index: Scalar, highest: int):
    made = arithmetic()
    assert made.interval(made.affine(index))[1] == highest


def test_places_of_fused_loops_are_one_walk():
    made, f = arithmetic(), Var("f")
    assert made.index((f // M) * M + f % M) is f
    assert made.index((I * M + J) // M) is I
    assert made.index((I * M + J) % M) is J


@pytest.mark.parametrize("blocks", [N, (N + 3) // 4, N * M])
def test_a_part_of_a_fused_loop_is_below_its_extent(blocks: Scalar):
    made, fused = arithmetic(), Var("fused")
    made.bound(fused, Const(0), blocks * 5 - 1)
    assert made.range_of_sum(fused // blocks) == (0, 4)
    assert made.range_of_sum((fused + 1) // blocks)[1] > 4


@pytest.mark.parametrize("sizes", [(0, 1), (1, 0), (7, 3), (16, 64)])
def test_dimensions_become_formulas(sizes: tuple[int, int]):
    n, m = DimVar("n"), DimVar("m")
    dims: list[Dim] = [n, 2 * n + m, n * m + 3, (n + 5) // 4, maximum(n, m) * 2 - m, n % 4]
    for dim in dims:
        known = substitute(dim, dict(zip((n, m), sizes, strict=True)))
        assert evaluate(lift(dim), dict(zip((N, M), sizes, strict=True))) == known


def test_a_division_by_zero_in_a_loop_that_never_runs_has_the_bounds_of_the_dividend():
    made = arithmetic()
    quotient = binary(Op.FLOORDIV, I, Const(0))
    assert made.interval(made.affine(quotient)) == made.interval(made.affine(I))
