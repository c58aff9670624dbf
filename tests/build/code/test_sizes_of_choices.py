"""Generic functions test what their type parameters say of sizes, in every executor."""

import numpy as np
import pytest

import relay
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from tools.fuzzing.programs.executors import check_runs
from tools.fuzzing.programs.outcomes import Trapped, outcome

HEAD = '#[version = "0.0.5"]\nimport "prelude.rly"\n'
TWO, OPEN = "Tensor[(2), float32]", "Tensor[(?), float32]"
LIST = f"let %l: List[{OPEN}] = Cons(%x, Nil);"

PROGRAMS = {
    "what a pattern binds": (
        f"""
def @first[A](%e: List[A], %d: A) -> A {{ match (%e) {{ Cons(%h, _) => %h, Nil => %d }} }}
def @main(%x: {OPEN}, %d: {TWO}) {{
  {LIST}
  sum(@first[{TWO}](%l, %d))
}}""",
        "text:4:60",
    ),
    "what is passed": (
        f"""
def @use[A](%e: A, %f: fn (A) -> float32) -> float32 {{ %f(%e) }}
def @main(%x: {OPEN}, %d: {TWO}) {{
  @use[{TWO}](%x, fn (%t: {OPEN}) {{ sum(%t) }})
}}""",
        "text:4:13",
    ),
    "before the function that is passed tests it": (
        f"""
def @main(%x: {OPEN}, %d: {TWO}) {{
  {LIST}
  @map[{TWO}, float32](fn (%t: {TWO}) {{ sum(%t) }}, %l)
}}""",
        "prelude.rly:71:10",
    ),
    "what a function that is passed gives": (
        f"""
def @twice[A](%f: fn (A) -> A, %x: A) -> A {{ %f(%f(%x)) }}
def @main(%x: {OPEN}, %d: {TWO}) {{
  sum(@twice[{TWO}](fn (%t: {OPEN}) {{ concatenate((%t, %x)) }}, %d))
}}""",
        "text:4:49",
    ),
    "what a local function takes": (
        f"""
def @main(%x: {OPEN}, %d: {TWO}) {{
  {LIST}
  let %g = fn [A](%e: List[A]) -> int32 {{ match (%e) {{ Cons(%h, _) => 1, Nil => 2 }} }};
  %g[{TWO}](%l)
}}""",
        "text:6:61",
    ),
    "what was written into a cell": (
        f"""
def @main(%x: {OPEN}, %d: {TWO}) {{
  {LIST}
  let %e: List[{TWO}] = Nil;
  let %r = ref(%e);
  let %w = ref_write(%r, %l);
  @length(ref_read(%r))
}}""",
        "prelude.rly:79:10",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_of_other_sizes_trap(name: str):
    program, place = PROGRAMS[name]
    three, two = np.ones(3, np.float32), np.ones(2, np.float32)
    module = relay.parse(HEAD + program)
    stopped, passed = check_runs(module, [(three, two), (two, two)])
    assert isinstance(stopped, Trapped)
    assert outcome(lambda: evaluate(infer(module), three, two)) == Trapped("R054", place)
    assert not isinstance(passed, Trapped) or name == "what a function that is passed gives"


def test_a_name_in_a_choice_is_not_that_of_the_function():
    module = relay.parse(f"""{HEAD}
def @both[A](%l: List[A], %t: Tensor[(n), float32]) -> float32 {{
  match (%l) {{ Cons(_, Cons(%b, _)) => sum(%t), _ => 2f }}
}}
def @main(%x: {OPEN}, %y: Tensor[(n), float32]) {{
  let %m: List[Tensor[(n), float32]] = Cons(%y, Cons(%y, Nil));
  @both(%m, %x)
}}""")
    assert check_runs(module, [(np.ones(3, np.float32), np.ones(2, np.float32))]) == [3]
