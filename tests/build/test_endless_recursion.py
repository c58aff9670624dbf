"""A recursion that does not end stops every executor."""

import numpy as np
import pytest

import relay
from relay.runtime.code import state
from relay.semantics import evaluate as evaluator
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.errors import RunError

HEAD = '#[version = "0.0.5"]\n'
ENDLESS = """def @s(%n: int32) -> int32 { 1 + @s(%n + 1) }
def @main(%n: int32) -> int32 { @s(%n) }"""
DOWN = """def @s(%n: int32) -> int32 { if (%n == 0) { 0 } else { 1 + @s(%n - 1) } }
def @main(%n: int32) -> int32 { @s(%n) }"""


@pytest.fixture(autouse=True)
def _fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (state, evaluator):
        monkeypatch.setattr(module, "MOST_CALLS", 1000)


def test_the_evaluator_says_where():
    with pytest.raises(RunError, match="too deeply") as caught:
        evaluate(infer(relay.parse(HEAD + ENDLESS)), np.int32(0))
    assert caught.value.code == "R050"
    assert str(caught.value.span).endswith(":2:34")


def test_the_virtual_machine_stops():
    with pytest.raises(RunError, match="too deeply") as caught:
        relay.vm.compile(relay.parse(HEAD + ENDLESS), "llvm")(np.int32(0))
    assert caught.value.code == "R050"


def test_calls_that_ended_do_not_count():
    module = relay.parse(
        HEAD
        + DOWN.replace(
            "@main(%n: int32) -> int32 { @s(%n)",
            "@main(%n: int32) -> int32 { @s(%n) + @s(%n) + @s(%n)",
        )
    )
    for run in (lambda n: evaluate(infer(module), n), relay.vm.compile(module, "llvm")):
        assert run(np.int32(900)) == 2700
