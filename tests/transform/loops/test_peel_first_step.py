"""The first step of loops that begin with zeros is simpler than the others."""

import numpy as np
import pytest

from relay.ir.expr import Call, Constant, Expr, Function, If, Let, Var
from relay.ir.module import Module
from relay.ir.types import FuncType, TensorType, scalar_type
from relay.ir.walk import post_order
from relay.ops.binary import Add
from relay.ops.comparison import Less
from relay.ops.creation import Ones, Zeros
from relay.ops.nn.matmul import Dense
from relay.ops.transcendental import Tanh
from relay.support.dtype import int64
from relay.transform.loops.peel_first_step import PeelFirstSteps
from tests.frontend import evaluate

WEIGHT = np.random.default_rng(0).standard_normal((3, 3), np.float32)
STATE = TensorType((2, 3))


def recurrence(start: Expr, weight: np.ndarray) -> Module:
    """Return `h = tanh(h W^T + x)`, as often as a parameter says."""
    x, count = Var("x", STATE), Var("count", scalar_type(int64))
    t, h = Var("t", scalar_type(int64)), Var("h", STATE)
    f = Var("f", FuncType((t.type, h.type), h.type))
    product = Call(Dense(), (h, Constant(weight)))
    step = Call(Tanh(), (Call(Add(), (product, x)),))
    again = Call(f, (Call(Add(), (t, Constant(np.array(1)))), step))
    loop = Function((t, h), If(Call(Less(), (t, count)), again, h), h.type)
    body = Let(f, loop, Call(f, (Constant(np.array(0)), start)))
    return Module.of(Function((x, count), body))


def products(module: Module) -> int:
    calls = (expr for expr in post_order(module.main) if isinstance(expr, Call))
    return sum(isinstance(call.op, Dense) for call in calls)


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_a_recurrence_from_zeros(steps: int) -> None:
    module = PeelFirstSteps()(recurrence(Call(Zeros(STATE.shape), ()), WEIGHT))
    decisions = [expr for expr in post_order(module.main) if isinstance(expr, If)]
    assert len(decisions) == 2, "one before the first step, one in the loop"
    assert products(module) == 1, "the one in the loop"
    x = np.random.default_rng(1).standard_normal((2, 3), np.float32)
    expected = np.zeros((2, 3), np.float32)
    for _ in range(steps):
        expected = np.tanh(expected @ WEIGHT.T + x)
    (found,) = evaluate.run(module, [x, np.array(steps)])
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("start", "weight"),
    [
        (Call(Ones(STATE.shape), ()), WEIGHT),
        (Constant(np.eye(2, 3, dtype=np.float32)), WEIGHT),
        (Call(Zeros(STATE.shape), ()), np.full((3, 3), np.inf, np.float32)),
    ],
)
def test_what_does_not_begin_with_nothing_stays(start: Expr, weight: np.ndarray) -> None:
    before = recurrence(start, weight)
    assert PeelFirstSteps()(before) is before


def test_long_steps_stay() -> None:
    before = recurrence(Call(Zeros(STATE.shape), ()), WEIGHT)
    assert PeelFirstSteps(budget=3)(before) is before
