"""Long sums add partial sums, so that rounding errors do not grow with the number of terms."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

import relay
from relay.ir.expr import Expr

Array = npt.NDArray[np.float32]

# One term after another, 0.1 is added with an error of 4e-6 where vectors hold the sums.
MOST = 3e-6


def of_product(x: Expr, length: int) -> Expr:
    return relay.nn.dense(x, relay.const(np.full((5, length), 0.1, np.float32)))


def of_convolution(x: Expr, length: int) -> Expr:
    kernel = relay.const(np.full((4, length // 4, 2, 2), 0.1, np.float32))
    return relay.nn.conv2d(relay.reshape(x, (1, length // 4, 2, -1)), kernel)


def result_of(expr: Expr, x: relay.Var, given: Array) -> Array:
    module = relay.IRModule.from_expr(relay.Function((x,), expr))
    return np.asarray(relay.compile(module, threads=1)(given))


@pytest.mark.parametrize("length", [6144, 10_000, 8190])
@pytest.mark.parametrize("rows", [1, 3, 40])
def test_sums_of_products(length: int, rows: int):
    given = np.ones((rows, length), np.float32)
    x = relay.var("x", shape=given.shape)
    found = result_of(of_product(x, length), x, given)
    exact = length * np.float64(np.float32(0.1))
    np.testing.assert_allclose(found, np.full((rows, 5), exact), rtol=MOST)


@pytest.mark.parametrize("columns", [1, 5, 33, 256])
@pytest.mark.parametrize("operator", [relay.sum, relay.mean])
def test_sums_of_columns(columns: int, operator: Callable[..., Expr]):
    given = np.full((20_000, columns), 0.1, np.float32)
    x = relay.var("x", shape=given.shape)
    found = result_of(operator(x, axis=[0]), x, given)
    exact = np.float64(np.float32(0.1)) * (1 if operator is relay.mean else 20_000)
    np.testing.assert_allclose(found, np.full(columns, exact), rtol=MOST)


def test_sums_over_several_axes():
    given = np.full((50, 16, 7, 24), 0.1, np.float32)
    x = relay.var("x", shape=given.shape)
    found = result_of(relay.sum(x, axis=[0, 1, 2]), x, given)
    exact = 50 * 16 * 7 * np.float64(np.float32(0.1))
    np.testing.assert_allclose(found, np.full(24, exact), rtol=MOST)


def test_a_convolution_with_many_channels():
    given = np.full((1, 4096), 0.1, np.float32)
    x = relay.var("x", shape=given.shape)
    found = result_of(of_convolution(x, 4096), x, given)
    exact = 4096 * np.float64(np.float32(0.1)) ** 2
    np.testing.assert_allclose(found, np.full(found.shape, exact), rtol=MOST)
