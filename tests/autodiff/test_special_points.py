"""Derivatives where a rule could divide by zero: against closed forms, in both modes."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import relay
from relay.ir.expr import Expr, Function, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.semantics.evaluate import evaluate

rnp = relay.numpy


class Case(NamedTuple):
    """A function at a point, its gradient there, and a row of its second derivative."""

    function: Callable[[Var], Expr]
    at: list[Any]
    gradient: list[Any]
    row: list[Any]


CASES = {
    "a product with a zero": Case(rnp.prod, [0.0, 2.0, 3.0], [6, 0, 0], [0, 3, 2]),
    "a product with two zeros": Case(rnp.prod, [0.0, 2.0, 0.0, 3.0], [0, 0, 0, 0], [0, 0, 6, 0]),
    "a product along two axes": Case(
        lambda x: rnp.sum(rnp.prod(x, axis=(0, 2))),
        [[[0.0, 2.0], [1.0, 2.0]], [[3.0, 4.0], [3.0, 4.0]]],
        [[[24, 0], [24, 12]], [[0, 0], [8, 6]]],
        [[[0, 12], [0, 0]], [[8, 6], [0, 0]]],
    ),
    "cumulative products with zeros": Case(
        lambda x: rnp.sum(rnp.cumprod(x)), [2.0, 0.0, 3.0, 0.0], [1, 8, 0, 0], [0, 4, 0, 0]
    ),
    "a singular matrix": Case(
        rnp.linalg.det, [[1.0, 2.0], [2.0, 4.0]], [[4, -2], [-2, 1]], [[0, 0], [0, 1]]
    ),
    "a power of a base 0 by the exponent": Case(
        lambda p: rnp.sum(rnp.power([0.0, 1.0], p)), [2.0], [0], [0]
    ),
    "a power of 0 by the base": Case(
        lambda x: rnp.sum(rnp.power(x, [0.0, 1.0, 2.0])), [0.0, 0.0, 0.0], [0, 1, 0], [0, 0, 0]
    ),
    "an assertion that holds": Case(
        lambda x: rnp.sum(rnp.linalg.inv(rnp.reshape(x, (1, 1)))), [2.0], [-0.25], [0.25]
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_derivatives(case: Case):
    at = np.array(case.at)
    x = Var("x", TensorType(at.shape, at.dtype))
    module = Module.of(Function((x,), case.function(x)))
    gradient: Any = relay.grad(module)
    first = np.zeros_like(at)
    first.flat[0] = 1
    second: Any = evaluate(relay.jvp(gradient), at, first)
    slope, row = second
    np.testing.assert_allclose(slope, case.gradient, atol=1e-12)
    np.testing.assert_allclose(row, case.row, atol=1e-12)
    along: Any = evaluate(relay.jvp(module), at, first)
    np.testing.assert_allclose(along[1], np.ravel(case.gradient)[0], atol=1e-12)


def test_a_tensor_of_a_size_from_data():
    """The values are written over three of six defaults of 0.5."""
    module = relay.parse(
        """#[version = "0.0.5"]
        def @main(%v: Tensor[(3), float64], %i: Tensor[(3), int64], %d: float64,
                  %s: Tensor[(1), int64]) {
          let %y = dyn.sparse_to_dense(%i, %v, %d, %s);
          sum(%y * %y)
        }"""
    )
    gradient: Any = relay.grad(module, argnums=(0, 2))
    at = np.array([1.0, 2.0, 3.0]), np.array([0, 4, 2]), np.array(0.5), np.array([6])
    found: Any = evaluate(gradient, *at)
    np.testing.assert_allclose(found[0], [2, 4, 6])
    assert found[1] == 3


def log1p(x):
    return np.log1p(x)


def expm1(x):
    return np.expm1(x)


@pytest.mark.parametrize("x", [0.0, -0.0, 1e-15, 3e-16, -1e-10, 1e-5, 0.5])
def test_functions_that_are_accurate_near_zero(x):
    """The value comes from a formula that corrects rounding errors; derivatives do not."""
    power = np.exp(x)
    for function, first, second in (
        (log1p, 1 / (1 + x), -1 / (1 + x) ** 2),
        (expm1, power, power),
    ):
        slope = relay.grad(function)
        bend: Any = relay.grad(slope)
        np.testing.assert_allclose(slope(np.float64(x)), first, rtol=1e-14)
        np.testing.assert_allclose(bend(np.float64(x)), second, rtol=1e-14)
        value = relay.function(function)(np.float64(x))
        np.testing.assert_allclose(value, function(x), rtol=5e-16)
        assert np.signbit(value) == np.signbit(x)


@pytest.mark.parametrize(("function", "unit"), [(np.logaddexp, 1.0), (np.logaddexp2, np.log(2))])
def test_logarithms_of_sums_of_equal_powers(function, unit):
    found = relay.hessian(lambda v: function(v[0], v[1]))(np.zeros(2))
    np.testing.assert_allclose(found, unit * np.array([[0.25, -0.25], [-0.25, 0.25]]), atol=1e-15)
    found = relay.grad(lambda x: function(x, 2 * x))(np.float64(0))
    np.testing.assert_allclose(found, 1.5, rtol=1e-14)
