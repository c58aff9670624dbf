"""Derivatives where a rule could divide by zero: against closed forms, in both modes."""

from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest

import relay
from relay.ir.expr import Constant, Expr, Function, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ops.functions import core
from relay.semantics.evaluate import evaluate

rnp = relay.numpy


class Case(NamedTuple):
    """A function at a point, its gradient there, and a row of its second derivative."""

    function: Callable[[Var], Expr]
    at: list[Any]
    gradient: list[Any]
    row: list[Any]


def _scattered(x: Var) -> Expr:
    """Return the sum of two elements of data, which are multiplied by three updates and by one."""
    data, updates = core.strided_slice(x, [4], [6]), core.strided_slice(x, [0], [4])
    return core.sum(
        core.scatter_elements(data, Constant(np.array([0, 0, 1, 0])), updates, 0, "mul")
    )


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
    "scattered products with a zero": Case(
        _scattered, [0.0, 5.0, 7.0, 3.0, 2.0, 4.0], [30, 0, 4, 0, 0, 7],
        [0, 6, 0, 10, 15, 0],
    ),
    "scattered products with two zeros": Case(
        _scattered, [0.0, 5.0, 7.0, 0.0, 2.0, 4.0], [0, 0, 4, 0, 0, 7],
        [0, 0, 0, 10, 0, 0],
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
    gradient = relay.grad(module)
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
    gradient = relay.grad(module, argnums=(0, 2))
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
        bend = relay.grad(slope)
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


def sinc(x):
    return np.sinc(x)


def norm(x):
    return np.linalg.norm(x)


def deviation(x):
    return np.std(x)


def deviation_without_nan(x):
    return np.nanstd(x)


def slogdet(x):
    return np.linalg.slogdet(x)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sinc_to_the_third_order(dtype):
    """Where `|πx| < 1`, derivatives of the quotient cancel: a power series is used."""
    first = relay.grad(sinc)
    second = relay.grad(first)
    third = relay.grad(second)
    allowed = 20 * float(np.finfo(dtype).eps)
    with mpmath.workdps(60):
        for each in (0.0, 1e-8, -1e-4, 0.3, 0.318, 0.319, 1.0, -2.5):
            x = np.dtype(dtype).type(each)
            at = mpmath.mpf(float(x))
            series = mpmath.taylor(lambda z: mpmath.sinc(mpmath.pi * z), at, 3)
            for order, function in enumerate((relay.function(sinc), first, second, third)):
                expected = float(series[order] * mpmath.factorial(order))
                found: Any = function(x)
                assert found == pytest.approx(expected, rel=allowed, abs=allowed), (each, order)


NAN, INF = np.nan, np.inf
GRADIENTS: dict[str, tuple[Callable[[Any], Any], list[Any], list[Any]]] = {
    "absolute values": (lambda x: np.sum(np.abs(x) + abs(x)), [0.0, -0.0, -2.0], [0, 0, -2]),
    "copied signs": (lambda x: np.sum(np.copysign(x, -1.0)), [0.0, -2.0, 2.0], [0, 1, -1]),
    "fractions": (lambda x: np.sum(np.modf(x)[0]), [-0.0, -2.0, 2.5], [1, 1, 1]),
    "mantissas": (lambda x: np.sum(np.frexp(x)[0]), [0.0, -2.5], [1, 0.25]),
    "a norm": (norm, [0.0, 0.0], [0, 0]),
    "norms of rows": (
        lambda x: np.sum(np.linalg.norm(x, axis=1)), [[0.0, 0], [0, -2]], [[0, 0], [0, -1]],
    ),
    "a norm of a matrix": (lambda x: np.linalg.norm(x, "fro"), [[0.0, 0.0]], [[0, 0]]),
    "a norm of order 1": (lambda x: np.linalg.norm(x, 1), [0.0, -2.0], [0, -1]),
    "a norm of order 3": (lambda x: np.linalg.norm(x, 3), [0.0, 0.0], [0, 0]),
    "a norm of order 1/2": (lambda x: np.linalg.norm(x, 0.5), [0.0, 1.0], [0, 1]),
    "a norm of order -1": (lambda x: np.linalg.norm(x, -1), [0.0, 1.0], [0, 0]),
    "a largest element": (lambda x: np.linalg.norm(x, np.inf), [0.0, 0.0], [0, 0]),
    "the deviation of equal numbers": (deviation, [1.0, 1.0], [0, 0]),
    "a deviation without NaN": (deviation_without_nan, [1.0, NAN, 1.0], [0, 0, 0]),
    "no length": (lambda x: np.hypot(x[0], x[1]), [0.0, 0.0], [0, 0]),
    "a length along an axis": (lambda x: np.hypot(x[0], x[1]), [-3.0, 0.0], [-1, 0]),
    "no angle": (lambda x: np.arctan2(x[0], x[1]), [0.0, 0.0], [0, 0]),
    "an angle of -π": (lambda x: np.arctan2(x[0], x[1]), [-0.0, -2.0], [-0.5, 0]),
    "an angle of π / 2": (lambda x: np.arctan2(x[0], x[1]), [2.0, -0.0], [0, -0.5]),
    "cube roots": (lambda x: np.sum(np.cbrt(x)), [0.0, -8.0], [INF, 1 / 12]),
    "interpolation at its nodes": (
        lambda x: np.sum(np.interp(x, [0.0, 1.0, 2.0], [0.0, 1.0, 5.0])),
        [0.0, 1.0, 2.0, -1.0, 3.0],
        [1, 4, 4, 0, 0],
    ),
    "an infinite power": (lambda x: np.logaddexp(x[0], x[1]), [INF, 1.0], [1, 0]),
}  # fmt: skip


@pytest.mark.parametrize(("function", "at", "expected"), GRADIENTS.values(), ids=GRADIENTS)
def test_gradients_at_kinks(function, at, expected):
    """They are those of PyTorch where it has one: of `hypot` at 0 it gives NaN."""
    x = np.array(at)
    gradient = np.array(expected, float)
    slope = relay.grad(function)
    np.testing.assert_allclose(slope(x), gradient, atol=1e-15)
    forward = relay.jvp(function)
    value, along = forward(x, np.ones_like(x))
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(value, function(x), rtol=1e-14)
    np.testing.assert_allclose(along, gradient.sum(), atol=1e-15)


def test_second_derivatives_beside_kinks():
    hypot = relay.hessian(lambda v: np.hypot(v[0], v[1]))
    np.testing.assert_allclose(hypot(np.array([3.0, 0.0])), [[0, 0], [0, 1 / 3]])
    angle = relay.hessian(lambda v: np.arctan2(v[0], v[1]))
    np.testing.assert_allclose(angle(np.array([-0.0, -2.0])), [[0, -0.25], [-0.25, 0]])
    np.testing.assert_allclose(relay.hessian(norm)(np.array([0.0, 2.0])), [[0.5, 0], [0, 0]])


def test_slogdet_of_a_singular_matrix():
    sign, size = relay.function(slogdet)(np.array([[1.0, 2.0], [2.0, 4.0]]))
    assert sign == 0
    assert not np.signbit(sign)
    assert size == -np.inf


def test_only_the_singular_matrix_of_a_batch_has_no_derivative():
    matrices = np.array([[[1.0, 2.0], [2.0, 4.0]], [[2.0, 1.0], [1.0, 3.0]]])
    slope = relay.grad(lambda x: np.sum(np.linalg.slogdet(x)[1]))(matrices)
    assert np.isnan(slope[0]).all()
    np.testing.assert_allclose(slope[1], np.linalg.inv(matrices[1]))
    slope = relay.grad(lambda x: np.sum(np.linalg.det(x)))(matrices)
    np.testing.assert_allclose(slope[0], [[4, -2], [-2, 1]], atol=1e-12)


def test_scattered_products_of_unknown_sizes():
    module = relay.parse(
        """#[version = "0.0.5"]
        def @main(%d: Tensor[(?), float64], %i: Tensor[(?), int64], %u: Tensor[(?), float64]) {
          sum(scatter_elements(%d, %i, %u, axis=0, reduction="mul"))
        }"""
    )
    gradient: Any = relay.grad(module, argnums=(0, 2))
    updates = np.array([1.0, 0.0, 5.0, 3.0, 2.0])
    found: Any = evaluate(gradient, np.array([2.0, 3, 4]), np.array([0, 2, 2, 0, 0]), updates)
    np.testing.assert_allclose(found[0], [6, 1, 0])
    np.testing.assert_allclose(found[1], [12, 20, 0, 4, 6])
