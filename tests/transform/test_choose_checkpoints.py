"""Checkpoints that fit a memory budget: compiled memory, values, and what is refused."""

from typing import Any, cast

import numpy as np
import pytest

import relay
from relay.ir.module import Module
from relay.ir.walk import post_order
from relay.semantics.evaluate import evaluate
from relay.support.errors import DifferentiationError
from relay.transform.checkpoints.choose_checkpoints import ChooseCheckpoints

PLENTY = 10**12
X = np.random.default_rng(1).standard_normal((32, 64)).astype(np.float32)


def _deep() -> Module:
    """Return a chain of steps that need their inputs on the way back."""
    x = relay.var("x", shape=(32, 64))
    y: Any = x
    for _ in range(6):
        y = relay.sin(y * relay.cos(relay.cumsum(y, axis=0)))
    return Module.of(relay.Function((x,), relay.sum(y * y)))


def test_a_budget_holds_in_the_compiled_program() -> None:
    """The gradients are the same, bit for bit, and less memory needs more operations."""
    module = _deep()
    plain = ChooseCheckpoints(PLENTY).plan(module)
    assert plain.module is module
    assert plain.repeated == 0
    wanted = relay.compile(relay.grad(module), threads=1)
    more, plan = (ChooseCheckpoints(int(s * plain.peak)).plan(module) for s in (0.8, 0.5))
    assert more.peak <= 0.8 * plain.peak
    assert plan.peak <= 0.5 * plain.peak
    assert 0 < more.repeated < plan.repeated < plan.operations
    found = relay.compile(relay.grad(plan.module), threads=1)
    assert np.array_equal(found(X), wanted(X))
    assert found.exportable().arena_bytes <= plan.peak


def test_the_least_budget_is_reachable() -> None:
    with pytest.raises(DifferentiationError, match="needs more than the memory budget") as caught:
        ChooseCheckpoints(1000).plan(_deep())
    assert caught.value.code == "D011"
    assert caught.value.help is not None
    least = int("".join(filter(str.isdigit, caught.value.help)))
    assert ChooseCheckpoints(least).plan(_deep()).peak == least
    with pytest.raises(DifferentiationError):
        ChooseCheckpoints(least - 1).plan(_deep())


def test_cheap_values_are_repeated_before_expensive_ones() -> None:
    """What lies between the products is computed again, the products are not."""
    x, w = relay.var("x", shape=(64, 64)), relay.var("w", shape=(64, 64))
    y: Any = x
    for _ in range(6):
        y = relay.exp(relay.sin(relay.nn.dense(y, w)))
    module = Module.of(relay.Function((x, w), relay.sum(y)))
    whole = ChooseCheckpoints(PLENTY).plan(module)
    plan = ChooseCheckpoints(int(0.8 * whole.peak)).plan(module)
    assert 0 < plan.repeated < 0.02 * plan.operations


def test_branches_stay_and_their_values_are_arguments() -> None:
    module = relay.parse("""#[version = "0.0.5"]
    def @main(%x: Tensor[(64), float64]) -> float64 {
      let %a = sin(exp(%x));
      let %b = if (sum(%a) > 0f64) { %a * %a } else { cos(%a) };
      sum(sin(exp(sin(%b)))) + sum(%a)
    }""")
    at = np.linspace(-1.0, 1.0, 64)
    plain = ChooseCheckpoints(PLENTY).plan(module)
    plan = ChooseCheckpoints(int(0.8 * plain.peak)).plan(module)
    assert plan.checkpoints
    found, wanted = (cast("Any", evaluate(relay.grad(m), at)) for m in (plan.module, module))
    np.testing.assert_allclose(found, wanted)


def test_open_sizes_and_programs_without_values() -> None:
    n = relay.DimVar("n")
    x = relay.var("x", relay.TensorType((n,), "float32"))
    with pytest.raises(DifferentiationError, match="unknown at compile time") as caught:
        ChooseCheckpoints(100).plan(Module.of(relay.Function((x,), relay.sum(relay.exp(x)))))
    assert caught.value.code == "D011"
    y = relay.var("y", shape=())
    empty = ChooseCheckpoints(0).plan(Module.of(relay.Function((y,), y)))
    assert empty.peak == 0
    assert len(post_order(empty.module["main"].body)) == 1
