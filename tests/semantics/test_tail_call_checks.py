"""Calls that a function ends with take its place: the evaluator runs loops of any length."""

import gc
import tracemalloc
from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.module import Module
from relay.semantics import evaluate as evaluator
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.errors import RunError

HEAD = """#[version = "0.0.5"]
type List[A] { Nil, Cons(A, List[A]), }
"""
LOOPS = {
    "itself": """
def @sum(%n: int32, %a: int32) -> int32 {
  if (%n == 0) { %a } else { let %b = %a + %n; @sum(%n - 1, %b) }
}
def @main(%n: int32) -> int32 { @sum(%n, 0) }""",
    "the entry": """
def @main(%n: int32) -> int32 { if (%n <= 0) { 0 - %n } else { @main(%n - 1) } }""",
    "each other": """
def @even(%n: int32) -> bool { if (%n == 0) { True } else { @odd(%n - 1) } }
def @odd(%n: int32) -> bool { if (%n == 0) { False } else { @even(%n - 1) } }
def @main(%n: int32) -> bool { @even(%n) }""",
    "a closure": """
def @main(%n: int32) -> int32 {
  let %down = fn (%m: int32, %a: int32) -> int32 {
    if (%m == 0) { %a } else {
      let %more = fn (%x: int32) -> int32 { %x + %m };
      %down(%m - 1, %more(%a))
    }
  };
  %down(%n, 0)
}""",
    "what is passed on": """
def @again(%f: fn (int32) -> int32, %n: int32) -> int32 { %f(%n) }
def @down(%n: int32) -> int32 { if (%n == 0) { 5 } else { @again(@down, %n - 1) } }
def @main(%n: int32) -> int32 { @down(%n) }""",
    "clauses": """
def @fill(%n: int32, %l: List[int32]) -> List[int32] {
  if (%n == 0) { %l } else { @fill(%n - 1, Cons(%n, %l)) }
}
def @sum(%l: List[int32], %a: int32) -> int32 {
  match (%l) { Nil => %a, Cons(%h, %t) => let %b = %a + %h; @sum(%t, %b) }
}
def @main(%n: int32) -> int32 { @sum(@fill(%n, Nil), 0) }""",
    "types that say sizes": """
def @half(%n: int32, %x: Tensor[(m), float32]) -> Tensor[(m), float32] {
  if (%n == 0) { %x } else { @half(%n - 1, %x * 0.5f) }
}
def @main(%n: int32) -> Tensor[(2), float32] { @half(%n, ones(shape=[2], dtype="float32")) }""",
}
WANTED = {
    "itself": 500_500,
    "the entry": 0,
    "each other": True,
    "a closure": 500_500,
    "what is passed on": 5,
    "clauses": 500_500,
    "types that say sizes": 0,
}


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluator, "MOST_CALLS", 10)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_is_longer_than_calls_may_wait(loop: str):
    module = infer(relay.parse(HEAD + LOOPS[loop]))
    np.testing.assert_allclose(np.asarray(evaluate(module, np.int32(1000))), WANTED[loop])


@pytest.mark.parametrize("loop", [each for each in LOOPS if each != "clauses"])
def test_a_longer_loop_needs_no_more_memory(loop: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(evaluator, "_CLOSED", 16)
    module = infer(relay.parse(HEAD + LOOPS[loop]))
    evaluate(module, np.int32(50))
    short, long = (_peak(module, steps) for steps in (50, 500))
    assert long < short + 150_000  # bytes; 450 steps that stayed would take three times as many


def _peak(module: Module, steps: int) -> int:
    gc.collect()  # so that collections come at the same steps, whatever ran before
    tracemalloc.start()
    try:
        evaluate(module, np.int32(steps))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_call_that_another_waits_for_is_none():
    module = infer(
        relay.parse(
            HEAD
            + """
def @down(%n: int32) -> int32 { if (%n == 0) { 0 } else { let %a = @down(%n - 1); %a } }
def @main(%n: int32) -> int32 { @down(%n) }"""
        )
    )
    assert evaluate(module, np.int32(7)) == 0
    with pytest.raises(RunError, match="too deeply") as caught:
        evaluate(module, np.int32(1000))
    assert caught.value.code == "R050"
    assert str(caught.value.span).endswith(":4:68")


def test_the_value_of_a_last_call_that_is_used_elsewhere_is_kept():
    module = infer(
        relay.parse(
            HEAD
            + """
def @tick(%r: ref(int32)) -> int32 { ref_write(%r, ref_read(%r) + 1); ref_read(%r) }
def @once(%r: ref(int32), %kept: ref(fn () -> int32)) -> int32 {
  %0 = @tick(%r);
  ref_write(%kept, fn () -> int32 { %0 });
  %0
}
def @main() -> (int32, int32, int32) {
  let %r = ref(0);
  let %kept = ref(fn () -> int32 { 7 });
  let %a = @once(%r, %kept);
  let %f = ref_read(%kept);
  let %b = %f();
  (%a, %b, ref_read(%r))
}"""
        )
    )
    found: Any = evaluate(module)
    assert [int(each) for each in found] == [1, 1, 1]


@pytest.mark.parametrize("given", ["3", "?"])
def test_what_a_function_promises_of_its_last_call_is_tested(given: str):
    """If the caller does not know the size, only the function that promises it can test it."""
    module = infer(
        relay.parse(
            HEAD
            + f"""
def @grow(%n: int32, %x: Tensor[(?), float32]) -> Tensor[(?), float32] {{
  if (%n == 0) {{ %x }} else {{ @grow(%n - 1, concatenate((%x, %x))) }}
}}
def @as_long(%n: int32, %x: Tensor[(m), float32]) -> Tensor[(m), float32] {{ @grow(%n, %x) }}
def @main(%n: int32, %x: Tensor[({given}), float32]) -> Tensor[(?), float32] {{
  let %y = @as_long(%n, %x);
  %y
}}"""
        )
    )
    x = np.ones(3, np.float32)
    assert np.asarray(evaluate(module, np.int32(0), x)).shape == (3,)
    with pytest.raises(RunError, match="m") as caught:
        evaluate(module, np.int32(1), x)
    assert caught.value.code == "R054"
