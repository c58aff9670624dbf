"""Programs with control flow, compiled: the values of the evaluator, and no memory left behind."""

import ctypes
import threading
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest

import relay
from relay.runtime import Data
from relay.runtime.native_executable import NativeExecutable
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.errors import RunError

HEAD = '#[version = "0.0.5"]\n'
LIST = "type List[A] { Cons(A, List[A]), Nil }\n"
V = "Tensor[(4), float32]"
VECTOR = np.array([0.5, -1.0, 2.0, 0.25], np.float32)


def compiled(text: str, batch: bool = False) -> NativeExecutable:
    module = relay.parse(HEAD + text)
    return cast("NativeExecutable", relay.compile(module, threads=1, batch=batch))


def live_blocks(executable: NativeExecutable) -> int:
    """Return how many heap blocks the last call left: the fourth word of its context."""
    (frame,) = executable._frames._free
    return ctypes.c_int64.from_address(frame.arena + 24).value


def check(text: str, *args: Any, batch: bool = False) -> None:
    check_calls(text, [args], batch=batch)


def check_calls(text: str, calls: Sequence[Sequence[Any]], *, batch: bool = False) -> None:
    """Compare a compiled program with the evaluator on each of these arguments, twice."""
    executable = compiled(text, batch)
    module = infer(relay.parse(HEAD + text))
    for args in calls:
        expected = evaluate(module, *args)
        for _ in range(2):
            found = executable(*args)
            wanted = expected if isinstance(expected, tuple) else (expected,)
            for a, b in zip(found if isinstance(found, tuple) else (found,), wanted, strict=True):
                np.testing.assert_allclose(a, cast("Any", b), rtol=1e-5, atol=1e-6)
        assert live_blocks(executable) == 0


PROGRAMS = {
    "an operator that reads a tuple": f"""
def @turn(%n: int32, %x: ({V}, {V})) -> Tensor[(8), float32] {{
  if (less(%n, 1)) {{ concatenate(%x, axis=0) }} else {{
    @turn(subtract(%n, 1), (%x.1, exp(%x.0)))
  }}
}}
def @main(%n: int32, %x: {V}) -> Tensor[(8), float32] {{ @turn(%n, (%x, negative(%x))) }}
""",
    "a loop": f"""
def @main(%n: int32, %x: {V}) -> {V} {{
  if (less(%n, 1)) {{ %x }} else {{ @main(subtract(%n, 1), add(%x, 1f)) }}
}}
""",
    "a loop whose variables change places": f"""
def @loop(%n: int32, %a: {V}, %b: {V}) -> ({V}, {V}) {{
  if (less(%n, 1)) {{ (%a, %b) }} else {{ @loop(subtract(%n, 1), %b, %a) }}
}}
def @main(%n: int32, %x: {V}) -> ({V}, {V}) {{ @loop(%n, %x, exp(%x)) }}
""",
    "a parameter that nobody needs": f"""
def @loop(%n: int32, %a: {V}, %b: {V}) -> {V} {{
  if (less(%n, 1)) {{ %a }} else {{ @loop(subtract(%n, 1), tanh(%a), exp(%a)) }}
}}
def @main(%n: int32, %x: {V}) -> {V} {{ @loop(%n, %x, exp(%x)) }}
""",
    "mutual recursion": f"""
def @even(%n: int32, %x: {V}) -> {V} {{
  if (less(%n, 1)) {{ %x }} else {{ @odd(subtract(%n, 1), add(%x, 1f)) }}
}}
def @odd(%n: int32, %x: {V}) -> {V} {{
  if (less(%n, 1)) {{ negative(%x) }} else {{ @even(subtract(%n, 1), multiply(%x, 0.5f)) }}
}}
def @main(%n: int32, %x: {V}) -> {V} {{ @even(%n, %x) }}
""",
    "two calls at once": """
def @fib(%n: int32) -> int32 {
  if (less(%n, 2)) { %n } else { add(@fib(subtract(%n, 1)), @fib(subtract(%n, 2))) }
}
def @main(%n: int32, %x: Tensor[(4), float32]) -> int32 { @fib(%n) }
""",
    "a list, there and back": LIST
    + f"""
def @upto(%n: int32, %x: {V}) -> List[{V}] {{
  if (less(%n, 1)) {{ Nil }} else {{ Cons(%x, @upto(subtract(%n, 1), add(%x, 1f))) }}
}}
def @sum(%l: List[{V}], %zero: {V}) -> {V} {{
  match (%l) {{ Nil => %zero, Cons(%h, %t) => add(%h, @sum(%t, %zero)) }}
}}
def @main(%n: int32, %x: {V}) -> {V} {{ @sum(@upto(%n, %x), multiply(%x, 0f)) }}
""",
    "fields of several kinds": """
type Shape { Circle(float32), Box((float32, Tensor[(4), float32]), int32), Nothing }
def @make(%n: int32, %x: Tensor[(4), float32]) -> Shape {
  if (equal(%n, 0)) { Nothing } else {
    if (less(%n, 5)) { Circle(2f) } else { Box((3f, %x), %n) }
  }
}
def @area(%s: Shape) -> float32 {
  match (%s) {
    Circle(%r) => multiply(%r, %r),
    Box((%w, %v), %k) => add(%w, sum(multiply(%v, cast(%k, dtype="float32")))),
    Nothing => 0f,
  }
}
def @main(%n: int32, %x: Tensor[(4), float32]) -> (float32, float32) {
  (@area(@make(%n, %x)), @area(@make(subtract(%n, %n), %x)))
}
""",
    "nested patterns": LIST
    + f"""
def @pairs(%l: List[{V}]) -> List[{V}] {{
  match (%l) {{
    Cons(%a, Cons(%b, %rest)) => Cons(subtract(%a, %b), @pairs(%rest)),
    Cons(%a, Nil) => Cons(%a, Nil),
    Nil => Nil,
  }}
}}
def @total(%l: List[{V}], %z: {V}) -> {V} {{
  match (%l) {{ Cons(%h, %t) => @total(%t, add(multiply(%z, 0.5f), %h)), _ => %z }}
}}
def @upto(%n: int32, %x: {V}) -> List[{V}] {{
  if (less(%n, 1)) {{ Nil }} else {{ Cons(%x, @upto(subtract(%n, 1), add(%x, 1f))) }}
}}
def @main(%n: int32, %x: {V}) -> {V} {{ @total(@pairs(@upto(%n, %x)), %x) }}
""",
    "closures that capture": LIST
    + f"""
def @map(%f: fn ({V}) -> {V}, %l: List[{V}]) -> List[{V}] {{
  match (%l) {{ Cons(%h, %t) => Cons(%f(%h), @map(%f, %t)), Nil => Nil }}
}}
def @total(%l: List[{V}], %z: {V}) -> {V} {{
  match (%l) {{ Cons(%h, %t) => @total(%t, add(%z, %h)), Nil => %z }}
}}
def @main(%n: int32, %x: {V}) -> {V} {{
  let %y = exp(%x);
  let %f = fn (%a: {V}) {{ multiply(%a, %y) }};
  let %g = fn (%a: {V}) {{ %f(%f(%a)) }};
  @total(@map(%g, Cons(%x, Cons(%y, @map(%f, Cons(%x, Nil))))), %x)
}}
""",
    "a closure that calls itself": f"""
def @twice(%f: fn (int32, {V}) -> {V}, %n: int32, %x: {V}) -> {V} {{ %f(%n, %f(%n, %x)) }}
def @main(%n: int32, %x: {V}) -> {V} {{
  let %step = tanh(%x);
  let %loop = fn (%k: int32, %a: {V}) -> {V} {{
    if (less(%k, 1)) {{ %a }} else {{ %loop(subtract(%k, 1), add(%a, %step)) }}
  }};
  @twice(%loop, %n, %x)
}}
""",
    "a local loop that captures": f"""
def @main(%n: int32, %x: {V}) -> {V} {{
  let %step = tanh(%x);
  let %loop = fn (%k: int32, %a: {V}) -> {V} {{
    if (less(%k, 1)) {{ %a }} else {{ %loop(subtract(%k, 1), add(%a, %step)) }}
  }};
  %loop(%n, %loop(2, %x))
}}
""",
    "functions as values": f"""
def @double(%x: {V}) -> {V} {{ add(%x, %x) }}
def @apply(%f: fn ({V}) -> {V}, %x: {V}) -> {V} {{ %f(%x) }}
def @main(%n: int32, %x: {V}) -> {V} {{
  let %f = if (less(%n, 3)) {{ @double }} else {{ fn (%a: {V}) {{ tanh(%a) }} }};
  add(@apply(%f, %x), @apply(@double, %x))
}}
""",
    "a function that returns functions": f"""
def @adder(%y: {V}) -> fn ({V}) -> fn ({V}) -> {V} {{
  fn (%a: {V}) -> fn ({V}) -> {V} {{ fn (%b: {V}) -> {V} {{ add(%y, multiply(%a, %b)) }} }}
}}
def @main(%n: int32, %x: {V}) -> {V} {{
  let %f = @adder(%x);
  let %g = %f(exp(%x));
  %g(%g(%x))
}}
""",
    "cells": f"""
def @count(%n: int32, %r: ref({V}), %k: ref(int32)) -> () {{
  if (less(%n, 1)) {{ () }} else {{
    let %_ = ref_write(%r, add(ref_read(%r), 1f));
    let %_2 = ref_write(%k, add(ref_read(%k), %n));
    @count(subtract(%n, 1), %r, %k)
  }}
}}
def @main(%n: int32, %x: {V}) -> ({V}, int32) {{
  let %r = ref(%x);
  let %k = ref(0);
  let %_ = @count(%n, %r, %k);
  (ref_read(%r), ref_read(%k))
}}
""",
    "branches inside values": f"""
def @main(%n: int32, %x: {V}) -> {V} {{
  let %p = if (less(%n, 3)) {{ (%x, tanh(%x)) }} else {{ (exp(%x), %x) }};
  let %q = if (less(%n, 100)) {{ let %s = add(%p.0, %p.1); multiply(%s, %s) }} else {{ %x }};
  add(%q, if (equal(%n, 7)) {{ %x }} else {{ %q }})
}}
""",
    "views of what dies": f"""
def @loop(%n: int32, %a: Tensor[(2, 2), float32]) -> Tensor[(2, 2), float32] {{
  if (less(%n, 1)) {{ %a }} else {{
    let %flat = reshape(%a, newshape=[4]);
    @loop(subtract(%n, 1), reshape(add(%flat, 1f), newshape=[2, 2]))
  }}
}}
def @main(%n: int32, %x: {V}) -> {V} {{
  reshape(@loop(%n, reshape(%x, newshape=[2, 2])), newshape=[4])
}}
""",
    "rows that are written one by one": """
def @fill(%n: int32, %rows: Tensor[(8, 4), float32], %x: Tensor[(4), float32])
    -> Tensor[(8, 4), float32] {
  if (less(%n, 1)) {
    %rows
  } else {
    let %next = subtract(%n, 1);
    @fill(%next, scatter_nd(%rows, reshape(%next, newshape=[1]), %x), add(%x, 1f))
  }
}
def @main(%n: int32, %x: Tensor[(4), float32]) -> Tensor[(8, 4), float32] {
  @fill(%n, zeros(shape=[8, 4], dtype="float32"), %x)
}
""",
    "a tensor that is needed as it was before a row was written": """
def @fill(%n: int32, %rows: Tensor[(8, 4), float32], %sum: Tensor[(8, 4), float32])
    -> (Tensor[(8, 4), float32], Tensor[(8, 4), float32]) {
  if (less(%n, 1)) {
    (%rows, %sum)
  } else {
    let %next = subtract(%n, 1);
    let %new = scatter_nd(%rows, reshape(%next, newshape=[1]), sum(%rows, axis=[0]), mode="add");
    @fill(%next, %new, add(%sum, multiply(%rows, %new)))
  }
}
def @main(%n: int32, %x: Tensor[(4), float32])
    -> (Tensor[(8, 4), float32], Tensor[(8, 4), float32]) {
  let %rows = broadcast_to(%x, shape=[8, 4]);
  @fill(%n, %rows, multiply(%rows, 0.5f))
}
""",
    "an input that is not written": """
def @main(%n: int32, %x: Tensor[(4), float32]) -> (Tensor[(4), float32], Tensor[(4), float32]) {
  let %places = reshape(minimum(%n, 3), newshape=[1]);
  if (less(%n, 1)) {
    (%x, %x)
  } else {
    let %once = scatter_elements(%x, %places, reshape(sum(%x), newshape=[1]));
    let %twice = scatter_elements(%once, %places, negative(reshape(sum(%once), newshape=[1])));
    (%once, %twice)
  }
}
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_the_evaluators(name: str):
    check_calls(PROGRAMS[name], [(np.int32(n), VECTOR) for n in (0, 1, 7)])


@pytest.mark.parametrize("name", PROGRAMS)
def test_calls_that_wait_change_no_value(name: str):
    check_calls(PROGRAMS[name], [(np.int32(n), VECTOR) for n in (0, 7)], batch=True)


def test_a_loop_runs_long_and_keeps_nothing():
    executable = compiled(PROGRAMS["a loop"])
    found = executable(np.int32(1_000_000), np.zeros(4, np.float32))
    assert found.tolist() == [1e6] * 4
    assert live_blocks(executable) == 0


@pytest.mark.parametrize("level", [0, 3])
def test_functions_that_call_each_other_take_what_they_like(level: int):
    """At level 0 nothing is inlined: arguments beyond the registers move on the stack."""
    text = """
def @few(%n: int32, %x: Tensor[(4), float32], %k: int32) -> (Tensor[(4), float32], int32, int32) {
  if (less(%n, 1)) { (%x, %n, %k) } else { @many(subtract(%n, 1), %k, %x, %x, add(%k, 3), %n) }
}
def @many(%n: int32, %k: int32, %x: Tensor[(4), float32], %y: Tensor[(4), float32], %a: int32,
          %b: int32) -> (Tensor[(4), float32], int32, int32) {
  if (less(%n, 1)) { (%y, %b, %a) } else { @few(subtract(%n, 1), %y, bitwise_xor(%a, %k)) }
}
def @main(%n: int32, %x: Tensor[(4), float32]) -> (Tensor[(4), float32], int32, int32) {
  @few(%n, %x, 1)
}
"""
    module = infer(relay.parse(HEAD + text))
    executable = relay.compile(module, threads=1, opt_level=level)
    for n in range(4):
        for found, wanted in zip(
            executable(n, VECTOR), cast("Any", evaluate(module, np.int32(n), VECTOR)), strict=True
        ):
            np.testing.assert_array_equal(found, wanted)
    executable(np.int32(10_000_000), VECTOR)  # no stack would hold so many calls


def test_recursion_as_deep_as_a_list_is_long():
    executable = compiled(PROGRAMS["a list, there and back"])
    found = executable(np.int32(100_000), np.zeros(4, np.float32))
    np.testing.assert_allclose(found, 100_000 * 99_999 / 2, rtol=1e-2)
    assert live_blocks(executable) == 0


def test_recursion_without_end_is_an_error_and_can_be_survived():
    executable = compiled("""
def @main(%n: int32, %x: Tensor[(256), float32]) -> float32 {
  if (less(%n, 1)) { 1f } else { add(@main(subtract(%n, 1), %x), max(nn.softmax(%x))) }
}
""")
    x = np.zeros(256, np.float32)
    with pytest.raises(RunError, match="too deeply") as caught:
        executable(np.int32(2**31 - 1), x)
    assert caught.value.code == "R050"
    assert executable(np.int32(256), x) == 2


def test_a_match_that_fits_nothing_says_where():
    text = (
        LIST
        + f"""
def @main(%n: int32, %x: {V}) -> {V} {{
  let %l = if (less(%n, 1)) {{ Nil }} else {{ Cons(%x, Nil) }};
  match? (%l) {{ Cons(%h, _) => %h }}
}}
"""
    )
    executable = compiled(text)
    np.testing.assert_array_equal(executable(np.int32(1), VECTOR), VECTOR)
    with pytest.raises(RunError, match="no clause") as caught:
        executable(np.int32(0), VECTOR)
    assert caught.value.code == "R040"
    assert "text:6" in str(caught.value)


def test_several_threads_may_call_at_once():
    executable = compiled(PROGRAMS["a list, there and back"])
    found: dict[int, Any] = {}

    def work(n: int) -> None:
        for _ in range(20):
            found[n] = executable(np.int32(n), VECTOR)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 200, 40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n, value in found.items():
        np.testing.assert_array_equal(value, executable(np.int32(n), VECTOR))


def test_a_program_is_saved_and_loaded(tmp_path):
    executable = compiled(PROGRAMS["closures that capture"])
    executable.save(tmp_path / "p.relay")
    again = relay.Executable.load(tmp_path / "p.relay")
    np.testing.assert_array_equal(again(np.int32(3), VECTOR), executable(np.int32(3), VECTOR))


TURNING = """
def @main(%n: int32) -> (int32, float32) {
  let %next = ref(fn (%k: int32, %a: float32, %b: float32, %c: float32, %d: float32, %e: float32,
                      %f: float32, %g: float32) -> (int32, float32) { (%k, %g) });
  let %turn = fn (%k: int32, %a: float32, %b: float32, %c: float32, %d: float32, %e: float32,
                  %f: float32, %g: float32) -> (int32, float32) {
    if (%k <= 0) { (%k, %a + %b * 10f + %c * 100f + %d * 1000f) } else {
      ref_read(%next)(%k - 1, %b, %c, %d, %e, %f, %g, %a)
    }
  };
  ref_write(%next, %turn);
  %turn(%n, 1f, 2f, 3f, 4f, 5f, 6f, 7f)
}
"""


@pytest.mark.parametrize("rounds", [0, 1, 5, 6_000_000])
def test_a_closure_that_is_called_last_takes_its_callers_place(rounds: int):
    values = np.roll(np.arange(1.0, 8.0), -(rounds % 7))
    expected = values[:4] @ [1, 10, 100, 1000]
    found = compiled(TURNING)(np.int32(rounds))
    assert (found[0], found[1]) == (0, expected)
    if rounds < 10:
        machine = relay.vm.compile(relay.parse(HEAD + TURNING))
        assert machine(np.int32(rounds))[1] == expected


def test_a_closure_may_take_more_than_the_function_that_calls_it_last():
    check(
        """
def @go(%g: fn (int32, float32, float32, float32, float32, float32, float32, float32) -> float32,
        %k: int32) -> float32 { if (%k > 3) { %g(%k, 1f, 2f, 3f, 4f, 5f, 6f, 7f) } else {
    @go(%g, %k + 1) } }
def @main(%k: int32, %x: float32) -> float32 {
  @go(fn (%k: int32, %a: float32, %b: float32, %c: float32, %d: float32, %e: float32, %f: float32,
          %g: float32) -> float32 { %x * %a + %b * %c - %d + %e * %f * %g
  }, %k)
}""",
        np.int32(1),
        np.float32(0.5),
    )


def test_functions_and_closures_that_know_other_sizes_take_each_others_place():
    text = """
def @loop(%k: int32, %x: Tensor[(2), float32],
          %f: fn (int32, Tensor[(2), float32]) -> Tensor[(2), float32]) -> Tensor[(2), float32] {
  if (%k == 0) { %x } else { %f(%k, %x) }
}
def @main(%k: int32, %x: Tensor[(2), float32], %again: bool) {
  let %end = fn (%k: int32, %x: Tensor[(2), float32]) { %x };
  let %step = fn (%k: int32, %x: Tensor[(?), float32]) -> Tensor[(2), float32] {
    @loop(%k - 1, %x + 1f, if (%again) { %step } else { %end })
  };
  %step(%k, %x)
}"""
    run = compiled(text)
    assert run(np.int32(10_000_000), np.zeros(2, np.float32), True).tolist() == [10_000_000] * 2


def test_clauses_that_look_at_other_places_share_what_is_left_to_decide():
    names = [f"%x{i}" for i in range(20)]
    patterns = [
        ["A" if j == i else "B" if j == i + 1 else "_" for j in range(20)] for i in range(19)
    ]
    clauses = [f"({', '.join(row)}) => {i}" for i, row in enumerate(patterns)]
    text = f"""
type D {{ A, B, C }}
def @main({", ".join(f"{name}: D" for name in names)}) {{
  match (({", ".join(names)})) {{ {", ".join(clauses)}, _ => -1 }}
}}"""
    run = compiled(text)
    for place, expected in ((0, 0), (7, 7), (18, 18), (19, -1)):
        values = [Data("C")] * 20
        values[place : place + 2] = [Data("A"), Data("B")][: 20 - place]
        assert run(*values) == expected
