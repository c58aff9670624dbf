"""Branches on mapped values that select data, such as residuals of derivatives (`relay.vmap`)."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

import relay
from relay.support.errors import RelayError

ROWS = np.array([[1.5, 2.5], [0.5, 1.5], [-1.0, 0.25], [2.0, 2.0]])
Function = Callable[..., Any]
vmap, grad, hvp = cast("Any", relay.vmap), cast("Any", relay.grad), cast("Any", relay.hvp)
jacobian = cast("Any", relay.jacobian)


def branched(v):
    """Return a function that is undefined on the side that a row does not take."""
    s = np.sum(v)
    return np.sum(v**3) + np.log(s) if s > 3.0 else np.sum(v**2 * np.sin(v))


def looped(v):
    s = np.sum(v * v)
    while s < 10.0:
        s = s * 1.5 + (np.sum(v) if s > 3.0 else v[0] * v[1])
    return s


def stopped(v):
    """Leave the loop in each way; the ways share the code behind them."""
    for _ in range(6):
        v = v * v
        if np.sum(v) < 0.5:
            break
        if v[0] > 2.0:
            continue
        v = v * 0.8
        if v[1] > 3.0:
            return v[0] * v[1]
    return np.sum(v)


def adapted(inner: Function) -> Function:
    """Return the loss after a step of gradient descent on another loss."""

    def outer(w):
        step = w - 0.1 * grad(inner)(w)
        return inner(step) + np.sum(step**2)

    return outer


@pytest.mark.parametrize("inner", [branched, looped, stopped])
@pytest.mark.parametrize(
    "derivative",
    [
        lambda f: jacobian(grad(f)),
        lambda f: lambda v: hvp(f)(v, v * v),
        lambda f: grad(adapted(f)),
    ],
)
def test_higher_derivatives(inner: Function, derivative: Function) -> None:
    one = derivative(inner)
    np.testing.assert_allclose(vmap(one)(ROWS), np.stack([one(row) for row in ROWS]), atol=1e-12)


def test_two_axes() -> None:
    one = jacobian(grad(branched))
    expected = np.stack([one(row) for row in ROWS]).reshape(2, 2, 2, 2)
    np.testing.assert_allclose(vmap(vmap(one))(ROWS.reshape(2, 2, 2)), expected, atol=1e-12)


def test_no_rows() -> None:
    assert vmap(jacobian(grad(branched)))(np.zeros((0, 2))).shape == (0, 2, 2)


NUMBER = '#[version = "0.0.5"]\ntype Number { One(float32), Two(float32, Number), None }\n'
CHOOSING = """
def @main(%x: float32) -> float32 { @total(@last(%x, None)) }
def @last(%x: float32, %found: Number) -> Number {
  if (%x > 1f) { @last(%x * 0.5f, Two(%x, %found)) } else { %found }
}
def @total(%data: Number) -> float32 {
  match (%data) { One(%y) => %y, Two(%y, %more) => %y + @total(%more), None => 0f }
}"""


def test_loops_that_collect_data() -> None:
    """Each row has a list of another length."""
    found = cast("Any", relay.compile(vmap(relay.parse(NUMBER + CHOOSING))))
    x = np.array([0.5, 8.0, 3.0], np.float32)
    assert found(x).tolist() == [0.0, 14.0, 4.5]


ANY_OTHER = """
def @main(%x: float32) -> float32 {
  let %data = if (%x > 1f) { Two(%x, None) } else { if (%x > 0f) { One(%x) } else { None } };
  match (%data) {
    Two(%y, _) => %y * 3f,
    _ => { let %z = %x + 1f; let %fixed = 2f * 3f; %z * %fixed }
  }
}"""


def test_a_pattern_for_several_constructors() -> None:
    """Each constructor has a copy of the clause, with variables of its own."""
    found = cast("Any", relay.compile(vmap(relay.parse(NUMBER + ANY_OTHER))))
    assert found(np.array([2.0, 0.5, -1.0], np.float32)).tolist() == [6.0, 9.0, 0.0]


RETURNED = "def @main(%x: float32) -> Number { if (%x > 1f) { One(%x) } else { None } }"
NESTED = """
def @main(%x: float32) -> float32 {
  let %data = if (%x > 1f) { Two(%x, One(%x)) } else { None };
  match (%data) { Two(%y, One(%z)) => %y + %z, _ => %x }
}"""


@pytest.mark.parametrize(
    ("text", "words"),
    [(RETURNED, "cannot return lists, trees"), (NESTED, "inside another pattern")],
)
def test_programs_without_a_mapped_form(text: str, words: str) -> None:
    """The result of the whole program has one structure, and patterns are not nested."""
    with pytest.raises(RelayError) as caught:
        vmap(relay.parse(NUMBER + text))
    assert caught.value.code == "C120"
    assert words in caught.value.message
