"""Values that are computed again on the way back."""

from typing import Any

import numpy as np
import pytest

import relay
from relay import annotation
from relay.ir.expr import Call
from relay.ir.walk import post_order
from relay.ops.annotation import Barrier
from relay.ops.transcendental import Exp
from relay.semantics.evaluate import evaluate

DEPTH, SHAPE = 16, (32, 64)
X = np.random.default_rng(3).standard_normal(SHAPE).astype(np.float32)


def _deep(every: int | None) -> relay.Function:
    """Return a chain of nonlinear steps, each of which its derivative needs the input of."""
    x = relay.var("x", shape=SHAPE)
    y: Any = x
    for step in range(DEPTH):
        y = relay.sin(y * relay.cos(relay.cumsum(y, axis=0)))
        if every is not None and step % every == every - 1:
            y = annotation.checkpoint(y)
    return relay.Function((x,), relay.sum(y * y))


def test_a_chain_keeps_a_part_of_its_values() -> None:
    """The gradient is the same, bit for bit, and needs about half the memory."""
    plain = relay.compile(relay.grad(_deep(None)))
    saving = relay.compile(relay.grad(_deep(4)))
    assert np.array_equal(plain(X), saving(X))
    most, less = plain.exportable().arena_bytes, saving.exportable().arena_bytes
    assert less < 0.6 * most


def test_a_checkpoint_changes_no_value() -> None:
    x = X[:2, :3].astype(np.float64)
    given = relay.var("x", shape=(2, 3), dtype="float64")
    exp = annotation.checkpoint(relay.exp(given) * given)
    function = relay.Function((given,), relay.sum(exp * exp * given))
    a = np.exp(x) * x
    value: Any = evaluate(relay.Module.of(function), x)
    np.testing.assert_allclose(value, (a * a * x).sum())
    slope = 2 * a * x * (np.exp(x) * x + np.exp(x)) + a * a
    evaluated: Any = evaluate(relay.grad(function), x)
    np.testing.assert_allclose(evaluated, slope)
    np.testing.assert_allclose(relay.compile(relay.grad(function))(x), slope)


@pytest.mark.parametrize("mode", ["first_order", "higher_order"])
@pytest.mark.parametrize("is_shared", [False, True])
def test_a_checkpoint_of_a_tuple(mode: str, is_shared: bool) -> None:
    """A value in the tuple may be used outside of it, too."""
    x = relay.var("x", shape=(4,), dtype="float64")
    sine, count = relay.sin(x), relay.cast(x, "int32")
    pair = annotation.checkpoint(relay.Tuple((count, sine, relay.cos(x))))
    total = relay.sum(pair[1] * pair[2])
    function = relay.Function((x,), total + relay.sum(sine * sine) if is_shared else total)
    module = relay.Module.of(relay.transform.gradient(function, mode=mode))
    at = np.linspace(0.1, 0.9, 4)
    value = np.sum(np.sin(at) * np.cos(at) + is_shared * np.sin(at) ** 2)
    slope = np.cos(2 * at) + is_shared * np.sin(2 * at)
    evaluated: Any = evaluate(module, at)
    for found in (evaluated, relay.compile(module)(at)):
        np.testing.assert_allclose(found[0], value, rtol=1e-12)
        np.testing.assert_allclose(found[1][0], slope, rtol=1e-12)


def test_derivatives_of_checkpoints_have_derivatives() -> None:
    x = relay.var("x", "float64")
    inner = annotation.checkpoint(relay.sin(x * x))
    function: Any = relay.Function((x,), annotation.checkpoint(inner * x))
    for _ in range(3):
        function = relay.grad(function)
    at, step = 0.7, 1e-3
    values = np.array([(at + k * step) * np.sin((at + k * step) ** 2) for k in range(-3, 4)])
    third = values @ np.array([1, -8, 13, 0, -13, 8, -1]) / (8 * step**3)
    assert relay.compile(function)(at) == pytest.approx(third, rel=1e-5)


def test_what_something_else_needs_is_computed_once_for_both() -> None:
    """The exponential is read by the product, too: it is computed for both, and on the way back."""
    x = relay.var("x", shape=(3,), dtype="float64")
    e = relay.exp(x)
    function = relay.Function((x,), relay.sum(annotation.checkpoint(relay.sin(e)) * e))
    module = relay.grad(function)
    again = [each for f in module.module.functions.values() for each in post_order(f)]
    assert sum(isinstance(each, Call) and isinstance(each.op, Barrier) for each in again) == 1
    exponentials = [each for each in again if isinstance(each, Call) and isinstance(each.op, Exp)]
    assert len(exponentials) == 2  # on the way there, and on the way back
    found = relay.compile(module)(np.array([0.1, 0.2, 0.3]))
    e = np.exp([0.1, 0.2, 0.3])
    np.testing.assert_allclose(found, (np.cos(e) * e + np.sin(e)) * e)


def test_recursive_functions_have_checkpoints_inside() -> None:
    module = relay.parse("""#[version = "0.0.5"]
    def @main(%x: float64, %n: int32) -> float64 {
      if (%n == 0) { %x } else {
        annotation.checkpoint(sin(exp(@main(%x, %n - 1)) * %x)) + %x
      }
    }""")
    n, at, step = np.int32(4), 0.3, 1e-6

    def value(x: float) -> float:
        found = x
        for _ in range(4):
            found = np.sin(np.exp(found) * x) + x
        return found

    slope = (value(at + step) - value(at - step)) / (2 * step)
    assert relay.compile(relay.grad(module))(at, n) == pytest.approx(slope, rel=1e-6)


def test_values_in_tuples_are_computed_again() -> None:
    x = relay.var("x", shape=(4,), dtype="float64")
    left, right = relay.split(relay.exp(x), 2)
    joined = annotation.checkpoint(relay.concatenate([right * left, left], axis=0))
    found = relay.compile(relay.grad(relay.Function((x,), relay.sum(joined * joined))))
    at = np.array([0.1, 0.2, 0.3, 0.4])
    e = np.exp(at)
    wanted = np.concatenate([2 * (e[:2] * e[2:]) ** 2 + 2 * e[:2] ** 2, 2 * (e[:2] * e[2:]) ** 2])
    np.testing.assert_allclose(found(at), wanted)


def test_what_leads_through_a_branch_is_outside() -> None:
    """`e` is needed for the branch, whose result is an argument of what is computed again."""
    module = relay.parse("""#[version = "0.0.5"]
    def @main(%x: float64) -> float64 {
      let %e = exp(%x);
      let %b = if (%e > 1f64) { sin(%e) } else { cos(%e) };
      annotation.checkpoint(%e * sin(%b * %e)) + %e
    }""")

    def value(x: float) -> float:
        e = np.exp(x)
        b = np.sin(e) if e > 1 else np.cos(e)
        return e * np.sin(b * e) + e

    for at in (0.4, -0.4):
        slope = (value(at + 1e-6) - value(at - 1e-6)) / 2e-6
        assert relay.compile(relay.grad(module))(at) == pytest.approx(slope, rel=1e-6)


def test_chains_of_checkpoints_are_rewritten_without_recursion() -> None:
    x = relay.var("x", "float64")
    y: Any = x
    for _ in range(300):
        y = annotation.checkpoint(relay.sin(y) + x)
    value, slope = 0.3, 1.0
    for _ in range(300):
        value, slope = np.sin(value) + 0.3, np.cos(value) * slope + 1.0
    found: Any = evaluate(relay.grad(relay.Function((x,), y)), 0.3)
    assert found == pytest.approx(slope, rel=1e-9)
