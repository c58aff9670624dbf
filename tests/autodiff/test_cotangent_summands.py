"""Gradients by tensors that recursions share: which are collected as summands, and their sums."""

from typing import NamedTuple

import numpy as np
import pytest

import relay
from relay.ir.expr import Call, Function
from relay.ir.module import Module
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.transcendental import Sin
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from tools.fuzzing.gradients import check_gradient
from tools.fuzzing.programs.executors import agrees

RNG = np.random.default_rng(5)
W = RNG.standard_normal((12, 12)) / 4
X, TWO = RNG.standard_normal((1, 12)), RNG.standard_normal((2, 12))
TABLE = RNG.standard_normal((12, 5))


def program(text: str) -> Module:
    """Return the typed module of a text; `R` stands for one row, `M` for a matrix."""
    text = text.replace("R", "Tensor[(1, 12), float64]").replace("M", "Tensor[(12, 12), float64]")
    return infer(relay.parse('#[version = "0.0.5"]\n' + text))


class Case(NamedTuple):
    text: str
    args: tuple[object, ...]
    argnums: tuple[int, ...] = (0,)


LOOP = """def @loop(%w: M, %x: R, %n: int32) -> R {
            if (%n > 0) { @loop(%w, tanh(nn.dense(%x, %w)), %n - 1) } else { %x }
          }
          def @main(%w: M, %x: R, %n: int32) { sum(@loop(%w, %x, %n)) }"""
COLLECTED = {
    "a loop": Case(LOOP, (W, X, np.int32(3)), (0, 1)),
    "a loop that ends at once": Case(LOOP, (W, X, np.int32(0))),
    "a tree of calls, products from both sides": Case(
        """def @tree(%w: M, %v: M, %x: R, %n: int32) -> R {
             if (%n > 1) {
               let %a = @tree(%w, %v, nn.matmul(%x, %w), %n - 1);
               let %b = @tree(%w, %v, sin(%x), %n - 2);
               nn.matmul(%a * %b, %v, transpose_b=True)
             } else { nn.dense(%x, %w) }
           }
           def @main(%w: M, %v: M, %x: R, %n: int32) { sum(@tree(%w, %v, %x, %n)) }""",
        (W, W.T, X, np.int32(4)),
        (0, 1),
    ),
    "products of several numbers of rows": Case(
        """def @loop(%w: M, %x: R, %y: Tensor[(2, 12), float64], %n: int32) -> float64 {
             if (%n > 0) { @loop(%w, nn.dense(%x, %w), tanh(nn.dense(%y, %w)), %n - 1) }
             else { sum(%x) * sum(%y) }
           }
           def @main(%w: M, %x: R, %y: Tensor[(2, 12), float64]) { @loop(%w, %x, %y, 3) }""",
        (W, X, TWO),
    ),
    "rows of a table": Case(
        """def @loop(%t: Tensor[(12, 5), float64], %x: Tensor[(5), float64], %n: int32)
             -> Tensor[(5), float64] {
             if (%n > 0) { @loop(%t, sin(%x + take(%t, %n, axis=0)), %n - 2) } else { %x }
           }
           def @main(%t: Tensor[(12, 5), float64], %x: Tensor[(5), float64], %n: int32) {
             sum(@loop(%t, %x, %n))
           }""",
        (TABLE, TABLE[0], np.int32(14)),
        (0, 1),
    ),
    "functions that call each other, and a branch inside": Case(
        """def @even(%w: M, %x: R, %n: int32) -> R {
             let %y = if (%n > 2) { nn.dense(%x, %w) } else { sin(%x) };
             if (%n > 0) { @odd(%n - 1, %y, %w) } else { %y }
           }
           def @odd(%n: int32, %x: R, %w: M) -> R {
             if (%n > 0) { @even(%w, @step(%w, %x), %n - 1) } else { %x }
           }
           def @step(%w: M, %x: R) -> R { tanh(nn.dense(%x, %w)) }
           def @main(%w: M, %x: R) { sum(@even(sin(%w), %x, 4)) }""",
        (W, X),
    ),
}
DENSE = {
    "the recursion changes the weight": """
      def @loop(%w: M, %x: R, %n: int32) -> R {
        if (%n > 0) { @loop(%w * 0.9f64, nn.dense(%x, %w), %n - 1) } else { %x }
      }
      def @main(%w: M, %x: R) { sum(@loop(%w, %x, 3)) }""",
    "the recursion returns the weight": """
      def @loop(%w: M, %x: R, %n: int32) -> (R, M) {
        if (%n > 0) { @loop(%w, nn.dense(%x, %w), %n - 1) } else { (%x, %w) }
      }
      def @main(%w: M, %x: R) { let %p = @loop(%w, %x, 3); sum(%p.0) * sum(%p.1) }""",
    "it is both operands": """
      def @loop(%w: M, %x: float64, %n: int32) -> float64 {
        if (%n > 0) { @loop(%w, %x + sum(nn.dense(%w, %w)), %n - 1) } else { %x }
      }
      def @main(%w: M, %x: R) { @loop(%w, sum(%x), 2) }""",
    "there is no recursion": """
      def @step(%w: M, %x: R) -> R { nn.dense(%x, %w) }
      def @main(%w: M, %x: R) { sum(@step(%w, @step(%w, %x))) }""",
}


def _collects(derived: Module) -> bool:
    return any(name.startswith("Summands") for name in derived.types)


@pytest.mark.parametrize("case", COLLECTED.values(), ids=COLLECTED)
def test_what_calls_add_is_collected(case: Case) -> None:
    derived = check_gradient(program(case.text), case.args, case.argnums)
    assert _collects(derived)
    assert agrees(relay.compile(derived)(*case.args), evaluate(derived, *case.args))


@pytest.mark.parametrize("text", DENSE.values(), ids=DENSE)
def test_other_uses_have_sums(text: str) -> None:
    assert not _collects(check_gradient(program(text), (W, X), (0, 1)))


def test_a_loop_of_many_steps_and_second_order() -> None:
    """More rows are collected than one product takes."""
    first = relay.grad(program(LOOP)).module
    slope = Call(Sum(), (Call(Sin(), (first.main.body,)),))
    second = first.with_function("main", Function(first.main.params, slope))
    check_gradient(second, (W, X, np.int32(2)), tolerance=1e-4)
    many = np.int32(150)
    compiled = relay.compile(first)(W, X, many)
    rows = [X]
    for _ in range(many):
        rows.append(np.tanh(rows[-1] @ W.T))
    d_row, expected = np.ones_like(X), np.zeros_like(W)
    for before, row in zip(rows[-2::-1], rows[:0:-1], strict=True):
        d_sum = d_row * (1 - row**2)
        expected += d_sum.T @ before
        d_row = d_sum @ W
    np.testing.assert_allclose(compiled, expected, rtol=1e-9)


def test_products_of_many_rows_are_added_one_by_one() -> None:
    text = LOOP.replace("R", "Tensor[(64, 256), float32]").replace(
        "M", "Tensor[(256, 256), float32]"
    )
    derived = relay.grad(program(text.replace("tanh", "")))
    w = RNG.standard_normal((256, 256)).astype(np.float32) / 16
    x = RNG.standard_normal((64, 256)).astype(np.float32)
    assert _collects(derived.module)
    found = relay.compile(derived)(w, x, np.int32(2))
    ones = np.ones_like(x, np.float64)
    expected = ones.T @ (x.astype(np.float64) @ w.T) + (ones @ w).T @ x
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)


def test_calls_that_are_deferred() -> None:
    """Batches of calls compute the same gradients."""
    case = COLLECTED["a tree of calls, products from both sides"]
    derived = relay.value_and_grad(program(case.text), (0, 1))
    found = relay.compile(derived, batch=True)(*case.args)
    assert agrees(found, evaluate(derived, *case.args))
