"""What is moved out of loops does not stop programs that would go on."""

import itertools

import numpy as np
import pytest

import relay
from relay.ir.expr import Call, Function
from relay.ir.walk import post_order
from relay.ops.nn.matmul import Dense
from relay.runtime.code.interface_types import Data
from relay.transform.loops.hoist_invariants import HoistFromLoops
from tools.fuzzing.programs.executors import check_runs

HEAD = '#[version = "0.0.5"]\ntype Either { Left(Tensor[(2, 2), float32]), Right }\n'
LOOP = """let %loop = fn (%i: int32, %x: Tensor[(2, 2), float32]) -> Tensor[(2, 2), float32] {
    if (%i < %n) { %loop(%i + 1, %x + %0) } else { %x }
};"""


@pytest.mark.parametrize(
    "rest",
    [
        f"{LOOP} %loop(0, %w)",
        f"{LOOP} let %r = %loop(0, %w); %r + %0",
        f"let %r = if (%c) {{ {LOOP} let %s = %loop(0, %w); %s + %0 }} else {{ %w }}; %r",
    ],
    ids=["inside", "inside and after", "in a branch"],
)
def test_a_choice_one_of_whose_sides_stops(rest: str):
    module = relay.parse(
        f"""{HEAD}
        def @main(%w: Tensor[(2, 2), float32], %c: bool, %n: int32) -> Tensor[(2, 2), float32] {{
          let %e = if (%c) {{ Right }} else {{ Left(%w) }};
          %0 = if (%c) {{ tanh(%w) * 2f }} else {{ match? (%e) {{ Left(%v) => {{ %v }} }} }};
          {rest}
        }}"""
    )
    w = np.ones((2, 2), np.float32)
    chosen = [(np.array(c), np.array(n, np.int32)) for c in (True, False) for n in (0, 3)]
    given = check_runs(module, [(w, c, n) for c, n in chosen])
    assert all(isinstance(each, np.ndarray) for each in given), "no way through stops"


STOPPING = """let %loop = fn (%i: int32, %x: Tensor[(2), float32]) -> Tensor[(2), float32] {
    if (%i < %n) { %loop(%i + 1, %x + tanh(nn.dense(%0, %m))) } else { %x }
};
let %r = %loop(0, %x);"""


@pytest.mark.parametrize(
    "rest", ["%r + sum(%0)", "if (%c) { %r + sum(%0) } else { %r }"], ids=["always", "perhaps"]
)
def test_what_is_made_of_a_value_that_may_stop(rest: str):
    module = relay.parse(
        f"""{HEAD}
        def @main(%w: Tensor[(3, 2), float32], %m: Tensor[(2, 2), float32],
                  %x: Tensor[(2), float32], %j: int32, %c: bool, %n: int32) {{
          %0 = take(%w, %j, axis=0, mode="raise");
          {STOPPING}
          {rest}
        }}"""
    )
    ones = [np.ones(shape, np.float32) for shape in ((3, 2), (2, 2), 2)]
    chosen = [*itertools.product((1, 7), (True, False), (0, 2))]
    scalars = [(np.array(j, np.int32), np.array(c), np.array(n, np.int32)) for j, c, n in chosen]
    given = check_runs(module, [(*ones, *each) for each in scalars])
    for (index, needed, steps), found in zip(chosen, given, strict=True):
        goes_on = index == 1 or (steps == 0 and not needed and rest.startswith("if"))
        assert isinstance(found, np.ndarray) == goes_on


def test_what_is_made_of_a_value_that_is_there_before_a_loop_is_computed_once():
    module = relay.parse(
        f"""{HEAD}
        def @main(%w: Tensor[(3, 2), float32], %m: Tensor[(2, 2), float32],
                  %x: Tensor[(2), float32], %j: int32, %n: int32) {{
          %0 = take(%w, %j, axis=0, mode="raise");
          let %s = sum(%0);
          {STOPPING}
          %r + %s
        }}"""
    )
    hoisted = HoistFromLoops().run(module.main)
    (loop,) = [e for e in post_order(hoisted.body) if isinstance(e, Function)]
    inside = [e.op for e in post_order(loop) if isinstance(e, Call)]
    assert not any(isinstance(op, Dense) for op in inside)


@pytest.mark.parametrize("index", ["%i", "5 - %i", "%i / 2"])
def test_products_of_rows_that_an_index_of_one_element_selects(index: str):
    module = relay.parse(
        f"""#[version = "0.0.5"]
        def @main(%x: Tensor[(6, 3), float32], %w: Tensor[(3, 3), float32]) {{
          let %loop = fn (%i: int32, %s: Tensor[(1, 3), float32]) -> Tensor[(1, 3), float32] {{
            if (%i < 6) {{
              %0 = take(%x, reshape({index}, newshape=[1]), axis=0);
              %loop(%i + 1, %s * 2f + nn.matmul(%0, %w))
            }} else {{ %s }}
          }};
          %loop(0, zeros(shape=[1, 3], dtype="float32"))
        }}"""
    )
    rows, matrix = np.arange(18, dtype=np.float32).reshape(6, 3), np.eye(3, dtype=np.float32)
    check_runs(module, [(rows, matrix)])


def test_what_has_a_size_that_a_step_opens_stays_in_the_recursion():
    module = relay.parse("""#[version = "0.0.5"]
    type List { Nil, Cons(Tensor[(?), float32], List), }
    def @main(%list: List, %w: float32) -> float32 {
      match (%list) {
        Cons(%x: Tensor[(n), float32], %rest: List) => {
          sum(%x + exp(broadcast_to(%w, shape=[n]))) + @main(%rest, %w)
        },
        Nil => { %w + exp(%w) },
      }
    }""")
    a, b = np.ones(2, np.float32), np.zeros(3, np.float32)
    data = Data("Cons", (a, Data("Cons", (b, Data("Nil", ())))))
    assert relay.compile(module)(data, np.float32(0)) == 8.0
