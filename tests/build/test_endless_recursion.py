"""A recursion that does not end stops every executor."""

from pathlib import Path

import numpy as np
import pytest

import relay
from relay.runtime.code import interpreter_state as state
from relay.semantics import evaluate as evaluator
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.errors import RunError

HEAD = '#[version = "0.0.5"]\n'
MANY = {
    "a sum": """def @s(%n: int32) -> int32 { 1 + @s(%n + 1) }
def @main(%n: int32) -> int32 { @s(%n) }""",
    "two calls": """def @s(%n: int32) -> int32 { @s(%n + 1) * @s(%n + 2) }
def @main(%n: int32) -> int32 { @s(%n) }""",
    "each other": """def @a(%n: int32) -> int32 { 1 + @b(%n + 1) }
def @b(%n: int32) -> int32 { 2 * @a(%n + 1) }
def @main(%n: int32) -> int32 { @a(%n) }""",
    "a closure": """def @main(%n: int32) -> int32 {
  let %r = ref(fn (%m: int32) -> int32 { %m });
  let %f = fn (%m: int32) -> int32 { let %g = ref_read(%r); 1 + %g(%m + %n) };
  ref_write(%r, %f);
  %f(%n)
}""",
    "data": """type List[A] { Nil, Cons(A, List[A]), }
def @s(%n: int32) -> List[int32] { Cons(%n, @s(%n + 1)) }
def @main(%n: int32) -> List[int32] { @s(%n) }""",
}
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


PLACES = {
    "a sum": ("2:34",),
    "two calls": ("2:30",),
    "each other": ("2:34", "3:34"),
    "a closure": ("4:65",),
    "data": ("3:45",),
}
"""Where calls stand that lead on: the stack ends at one of them."""


@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize("program", MANY)
def test_native_code_stops_and_says_where(program: str, level: int):
    executable = relay.compile(relay.parse(HEAD + MANY[program]), threads=1, opt_level=level)
    with pytest.raises(RunError, match="too deeply") as caught:
        executable(np.int32(1))
    assert caught.value.code == "R050"
    assert str(caught.value.span).removeprefix("text:") in PLACES[program]


@pytest.mark.parametrize("program", MANY)
def test_the_virtual_machine_stops_and_says_where(program: str, tmp_path: Path):
    executable = relay.vm.compile(relay.parse(HEAD + MANY[program]), "llvm")
    executable.save(tmp_path / "endless.relay")
    for each in (executable, relay.Executable.load(tmp_path / "endless.relay")):
        with pytest.raises(RunError, match="too deeply: too many nested calls") as caught:
            each(np.int32(1))
        assert caught.value.code == "R050"
        assert str(caught.value.span).removeprefix("text:") in PLACES[program]


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
