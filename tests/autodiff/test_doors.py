"""The doors to derivatives, and what they refuse."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.python import Tensor, float64
from relay.ir.dims import ANY
from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.tensor.slice import StridedSlice
from relay.ops.transcendental import Sinh
from relay.runtime import Data
from relay.semantics.evaluate import evaluate
from relay.support.errors import DifferentiationError, UsageError

X = np.array([0.5, -1.0, 2.0])


@relay.function
def loss(w: Tensor[3, float64], x: float64) -> float64:
    """Return a number that depends on both."""
    return np.sum(np.sin(w) * x)


of_both = relay.value_and_grad(loss, ("w", "x"))


@relay.function
def step(w: Tensor[3, float64], x: float64) -> Tensor[3, float64]:
    """Return weights after one step against the gradient."""
    _, (d_w, _) = of_both(w, x)
    return w - 0.5 * d_w


def test_a_decorated_function_has_a_gradient_that_is_called_like_it() -> None:
    np.testing.assert_allclose(relay.grad(loss)(X, x=2.0), 2 * np.cos(X))
    value, (d_w, d_x) = of_both(X, 2.0)
    assert value == pytest.approx(2 * np.sin(X).sum())
    np.testing.assert_allclose(d_w, 2 * np.cos(X))
    assert d_x == pytest.approx(np.sin(X).sum())


def test_decorated_functions_call_derivatives() -> None:
    np.testing.assert_allclose(step(X, 2.0), X - np.cos(X))
    np.testing.assert_allclose(relay.compile(step)(X, 2.0), X - np.cos(X))


def test_a_derivative_has_a_derivative() -> None:
    second = relay.grad(relay.grad(loss, "x"))
    np.testing.assert_allclose(second(X, 2.0), np.cos(X))


def test_derivatives_along_directions() -> None:
    """Forward mode takes directions of arguments, reverse mode a covector of the result."""

    @relay.function
    def rotated(x: Tensor[2, float64], angle: float64) -> tuple[float64, float64]:
        c, s = np.cos(angle), np.sin(angle)
        return c * x[0] - s * x[1], s * x[0] + c * x[1]

    x, angle = np.array([1.0, 2.0]), 0.3
    c, s = np.cos(angle), np.sin(angle)
    result, slope = relay.jvp(rotated, (0, "angle"))(x, angle, np.array([1.0, 0.0]), 1.0)
    np.testing.assert_allclose(result, (c - 2 * s, s + 2 * c))
    np.testing.assert_allclose(slope, (c - s - 2 * c, s + c - 2 * s))
    result, by_x = relay.vjp(rotated)(x, angle, (1.0, 0.0))
    np.testing.assert_allclose(result, (c - 2 * s, s + 2 * c))
    np.testing.assert_allclose(by_x, (c, -s))


def test_the_product_of_a_hessian_and_a_vector() -> None:
    """Forward mode over reverse mode."""
    product = relay.jvp(relay.grad(loss))
    slope, curved = product(X, 2.0, np.array([1.0, 0.0, 2.0]))
    np.testing.assert_allclose(slope, 2 * np.cos(X))
    np.testing.assert_allclose(curved, -2 * np.sin(X) * [1.0, 0.0, 2.0])


def test_more_than_the_number_comes_back_beside_it() -> None:
    """The first field alone is differentiated."""

    @relay.function
    def fitted(w: Tensor[3, float64]) -> tuple[float64, Tensor[3, float64]]:
        found = np.sin(w)
        return np.sum(found * found), found

    (value, found), slope = relay.value_and_grad(fitted, has_aux=True)(X)
    np.testing.assert_allclose(value, (np.sin(X) ** 2).sum())
    np.testing.assert_allclose(found, np.sin(X))
    np.testing.assert_allclose(slope, np.sin(2 * X))
    with pytest.raises(DifferentiationError, match="tuple") as caught:
        _ = relay.value_and_grad(loss, has_aux=True).module
    assert caught.value.code == "D002"


def test_a_function_of_a_module_is_differentiated() -> None:
    module = relay.parse("""#[version = "0.0.5"]
        def @cube(%x: float64) -> float64 { %x * %x * %x }
        def @main(%x: float64) { @cube(%x) + @cube(1f64) }""")
    assert evaluate(relay.grad(module, entry="cube"), 2.0) == 12.0
    assert evaluate(relay.grad(module), 2.0) == 12.0


@pytest.mark.parametrize(
    ("params", "body", "argnums", "code", "says"),
    [
        ("%x: Tensor[(3), float32]", "%x", 0, "D002", "a single float, not"),
        ("%x: int32", "%x", 0, "D003", "2.0 instead of 2"),
        ("%x: float32", "%x", 1, "D003", "0: %x"),
        ("%x: float32", "%x", "y", "D003", "0: %x"),
        ("%x: float32", "%x", None, "D003", "None"),
        ("%x: float32", "%x", np.ones(3), "D003", "pass their values to the derivative"),
        ("%x: float32", "%x", (0, "x"), "D003", "twice"),
        ("%x: float32, %f: fn (float32) -> float32", "%f(%x)", 0, "D004", "function"),
    ],
)
def test_what_cannot_be_differentiated_says_why(
    params: str, body: str, argnums: Any, code: str, says: str
) -> None:
    module = relay.parse(f'#[version = "0.0.5"]\ndef @main({params}) {{ {body} }}')
    with pytest.raises(DifferentiationError, match=says) as caught:
        relay.grad(module, argnums)
    assert caught.value.code == code


def test_an_operator_without_a_rule_is_named_at_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sinh, "gradient", OperatorDef.gradient)
    module = relay.parse("""#[version = "0.0.5"]
def @main(%x: float32) {
  exp(sinh(%x))
}""")
    with pytest.raises(DifferentiationError, match="sinh has no derivative") as caught:
        relay.grad(module)
    assert caught.value.code == "D001"
    assert caught.value.span is not None
    assert caught.value.span.line == 3


def test_a_rule_that_leaves_a_size_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def gradient(self: OperatorDef, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        del self, call
        return (Call(StridedSlice((0,), (ANY,)), (d_out,)),)

    monkeypatch.setattr(Sinh, "gradient", gradient)
    module = relay.parse("""#[version = "0.0.5"]
def @main(%x: Tensor[(?), float32]) -> float32 {
  sum(sinh(%x))
}""")
    with pytest.raises(DifferentiationError, match="sinh leaves a size") as caught:
        relay.grad(module)
    assert caught.value.code == "D007"
    assert caught.value.span is not None
    assert caught.value.span.line == 3


def test_data_in_results_and_directions() -> None:
    """A direction in a list, and a covector of one, are lists."""
    module = relay.parse("""#[version = "0.0.5"]
type List { Cons(float64, List), Nil, }
def @main(%l: List) -> List {
  match (%l) { Cons(%x, %rest) => Cons(%x * %x, @main(%rest)), Nil => Nil }
}""")

    def numbers(*values: float) -> Data:
        made = Data("Nil", ())
        for each in reversed(values):
            made = Data("Cons", (each, made))
        return made

    def listed(data: Any) -> list[float]:
        return [float(data.fields[0]), *listed(data.fields[1])] if data.fields else []

    given, weights = numbers(1.0, -2.0, 3.0), numbers(1.0, 10.0, 100.0)
    for derive in (relay.jvp, relay.vjp):
        runs: list[Any] = [relay.compile(derive(module)), partial(evaluate, derive(module))]
        for run in runs:
            result, slope = run(given, weights)
            assert listed(result) == [1.0, 4.0, 9.0]
            assert listed(slope) == [2.0, -40.0, 600.0]


def test_a_result_without_floats_has_no_covector() -> None:
    module = relay.parse("""#[version = "0.0.5"]
def @main(%x: float32) -> int32 { cast(%x, dtype="int32") }""")
    with pytest.raises(DifferentiationError, match="has no derivative") as caught:
        relay.vjp(module)
    assert caught.value.code == "D002"


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(UsageError, match="expected a program or a function, not int"):
        relay.grad(3)  # pyright: ignore[reportCallIssue, reportArgumentType]


def test_what_is_compiled_is_refused() -> None:
    fast: Any = relay.compile(loss)
    doors: list[Any] = [relay.grad, relay.vmap, lambda f: relay.jit(f)(1.0)]
    for door in doors:
        with pytest.raises(UsageError, match=r"(?s)already compiled.*relay.grad\(function\)\)"):
            door(fast)
