"""Limits that tests set to a loop's variable, compared with the tests at each value."""

from itertools import product

import pytest
from kernels.interpret import evaluate

from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.passes.tighten_loop_bounds import limit_of
from relay.kernels.scalar import Order, Var, compare, size_named

I, N = Var("i"), size_named("n")  # noqa: E741
VALUES = range(-7, 8)


@pytest.mark.parametrize("factor", [-3, -2, -1, 1, 2, 3])
def test_a_limit_holds_where_the_test_does(factor: int):
    for number, order in product(range(-4, 5), (Order.LT, Order.LE, Order.GT, Order.GE)):
        test = compare(order, I * factor + N, number)
        found = limit_of(test, I, Simplifier())
        assert found is not None
        bound = compare(found[0], I, found[1])
        for i, n in product(VALUES, (0, 1, 4)):
            point = {I: i, N: n}
            assert evaluate(bound, point) == evaluate(test, point), (factor, number, order, point)


def test_a_variable_inside_another_operation_has_no_limit():
    assert limit_of(compare(Order.LT, I + I // 3 + N, 9), I, Simplifier()) is None
    assert limit_of(compare(Order.LT, N, 9), I, Simplifier()) is None
