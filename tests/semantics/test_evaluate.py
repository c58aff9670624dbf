from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.expr import Call, Expr, Function, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.opdef.table import OPERATORS
from relay.semantics.evaluate import evaluate
from relay.support.errors import RunError

LISTS = """
type List[A] { Cons(A, List[A]), Nil, }
def @upto(%n: int32) -> List[int32] { if (%n <= 0) { Nil } else { Cons(%n, @upto(%n - 1)) } }
def @sum(%l: List[int32]) -> int32 { match (%l) { Nil => 0, Cons(%h, %t) => %h + @sum(%t) } }
"""


def run(source: str, *args, entry: str = "main") -> Any:
    return evaluate(relay.parse('#[version = "0.0.5"]\n' + source), *args, entry=entry)


def test_operators_and_tuples():
    x = np.array([[1.0, -2.0]], np.float32)
    a, b = run("def @main(%x: Tensor[(1, 2), float32]) { (nn.relu(%x), %x * 2f + 1f) }", x)
    np.testing.assert_array_equal(a, np.maximum(x, 0))
    np.testing.assert_array_equal(b, x * 2 + 1)


def test_only_the_chosen_branch_is_computed():
    source = "def @main(%n: int32) { if (%n == 0) { 0 } else { 10 / %n } }"
    assert run(source, np.int32(0)) == 0
    assert run(source, np.int32(5)) == 2


def test_closures_capture_what_is_around_them():
    source = """
    def @adder(%n: int32) { fn (%x: int32) { %x + %n } }
    def @main(%a: int32) { let %f = @adder(%a); let %g = @adder(100); (%f(1), %g(%f(2))) }"""
    assert run(source, np.int32(10)) == (11, 112)


def test_references_are_shared_and_written_in_order():
    source = """
    def @main(%x: int32) {
      let %r = ref(%x);
      let %inc = fn (%by: int32) { ref_write(%r, ref_read(%r) + %by) };
      %inc(1);
      let %before = ref_read(%r);
      %inc(10);
      (%before, ref_read(%r))
    }"""
    assert run(source, np.int32(5)) == (6, 16)


def test_a_node_shared_with_a_closure_is_computed_once_for_each_call_of_its_function():
    source = """
    def @main(%x: int32) {
      %0 = ref(%x);
      let %inc = fn () { ref_write(%0, ref_read(%0) + 1) };
      %inc(); %inc();
      ref_read(%0)
    }"""
    assert run(source, np.int32(0)) == 2


def test_a_closure_shared_with_a_function_inside_belongs_outside():
    source = """
    def @main(%x: int32) {
      %0 = fn (%a: int32) { %a + 1 };
      let %f = fn (%y: int32) { %0(%y) };
      (%f(%x), %0(%x + 5))
    }"""
    assert run(source, np.int32(2)) == (3, 8)


def test_data_types():
    assert run(LISTS + "def @main(%n: int32) { @sum(@upto(%n)) }", np.int32(100)) == 5050


def test_values_are_printed_as_they_are_written_and_long_ones_in_part():
    assert repr(run(LISTS + "def @main(%n: int32) { @upto(%n) }", np.int32(2))) == (
        "Cons(2, Cons(1, Nil))"
    )
    pair = "type Pair { Both((int32, ()), bool) } def @main() { Both((1, ()), True) }"
    assert repr(run(pair)) == "Both((1, ()), True)"
    long = repr(run(LISTS + "def @main(%n: int32) { @upto(%n) }", np.int32(1_000)))
    assert long.startswith("Cons(1000, Cons(999, ")
    assert long.endswith("…")
    assert len(long) < 1_000


def test_a_match_without_a_fitting_clause():
    source = LISTS + "def @main(%n: int32) { match? (@upto(%n)) { Cons(%h, _) => %h } }"
    assert run(source, np.int32(2)) == 2
    with pytest.raises(RunError, match="R040"):
        run(source, np.int32(0))


def test_patterns_in_tuples_from_top_to_bottom():
    source = """
    type Switch { On(int32), Off, }
    def @pick(%a: Switch, %b: Switch) -> int32 {
      match ((%a, (%b, 1))) {
        (On(%x), (On(%y), %one)) => %x + %y + %one,
        (_, (On(%y), _)) => %y,
        (On(%x), _) => negative(%x),
        _ => 0,
      }
    }
    def @main(%n: int32) {
      (@pick(On(%n), On(10)), @pick(Off, On(%n)), @pick(On(%n), Off), @pick(Off, Off))
    }"""
    assert run(source, np.int32(5)) == (16, 5, -5, 0)


def test_global_functions_call_each_other():
    source = """
    def @main(%n: int32) -> bool { if (%n == 0) { True } else { @odd(%n - 1) } }
    def @odd(%n: int32) -> bool { if (%n == 0) { False } else { @main(%n - 1) } }"""
    assert run(source, np.int32(10))
    assert not run(source, np.int32(7))


def test_a_local_function_calls_itself_and_sees_its_surroundings():
    source = """
    def @main(%n: int32, %step: int32) {
      let %r = ref(0);
      let %count = fn (%k: int32) -> int32 {
        ref_write(%r, ref_read(%r) + %step);
        if (%k <= 0) { ref_read(%r) } else { %count(%k - 1) }
      };
      (%count(%n), %count(%n))
    }"""
    assert run(source, np.int32(2), np.int32(10)) == (30, 60)


def test_effects_from_left_to_right():
    source = """
    def @main(%x: int32) {
      let %r = ref(%x);
      let %next = fn (%times: int32) { ref_write(%r, ref_read(%r) * %times + 1); ref_read(%r) };
      let %pair = fn (%a: int32, %b: int32) { (%a, %b) };
      let %fields = (%next(2), %next(3));
      let %args = %pair(%next(5), %next(7));
      (%fields, %args, %next(1) + %next(10))
    }"""
    fields, args, total = run(source, np.int32(1))
    assert (fields, args) == ((3, 10), (51, 358))
    assert total == 359 + 3591


def test_an_operator_without_a_value_is_an_error_at_its_place():
    source = """def @main(%x: Tensor[(?), float32], %y: Tensor[(?), float32]) {
      let %z = exp(%y);
      %x + %z
    }"""
    with pytest.raises(RunError, match=r"R054\]: add: the shapes \(2\) and \(3\)") as caught:
        run(source, np.ones(2, np.float32), np.ones(3, np.float32))
    span = caught.value.span
    assert span is not None
    assert (span.line, span.column) == (4, 7)


def test_the_number_of_arguments():
    with pytest.raises(RunError, match="R041"):
        run("def @main(%x: float32) { %x }")


def test_a_deep_call():
    source = "def @main(%n: int32) -> int32 { if (%n <= 0) { 0 } else { @main(%n - 1) + 1 } }"
    assert run(source, np.int32(5_000)) == 5_000


def test_a_deep_tree():
    source = """
    type Tree { Leaf(int32), Node(Tree, int32, Tree), }
    def @grow(%n: int32) -> Tree {
      if (%n <= 0) { Leaf(1) } else { Node(Leaf(0), 1, @grow(%n - 1)) }
    }
    def @total(%t: Tree) -> int32 {
      match (%t) { Leaf(%x) => %x, Node(%l, %x, %r) => @total(%l) + %x + @total(%r), }
    }
    def @main(%n: int32) { @total(@grow(%n)) }"""
    assert run(source, np.int32(5_000)) == 5_001


def test_sharing_makes_exponential_programs_linear():
    y: Expr = (x := Var("x", TensorType((1,))))
    for _ in range(200):
        y = Call(OPERATORS["add"](), (y, y))
    assert evaluate(Module.of(Function((x,), y)), np.ones(1, np.float32)) == np.inf
