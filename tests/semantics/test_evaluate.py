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


def test_data_types():
    assert run(LISTS + "def @main(%n: int32) { @sum(@upto(%n)) }", np.int32(100)) == 5050


def test_a_match_without_a_fitting_clause():
    source = LISTS + "def @main(%n: int32) { match? (@upto(%n)) { Cons(%h, _) => %h } }"
    assert run(source, np.int32(2)) == 2
    with pytest.raises(RunError, match="R040"):
        run(source, np.int32(0))


def test_the_number_of_arguments():
    with pytest.raises(RunError, match="R041"):
        run("def @main(%x: float32) { %x }")


def test_a_call_100000_deep():
    source = "def @main(%n: int32) -> int32 { if (%n <= 0) { 0 } else { @main(%n - 1) + 1 } }"
    assert run(source, np.int32(100_000)) == 100_000


def test_sharing_makes_exponential_programs_linear():
    y: Expr = (x := Var("x", TensorType((1,))))
    for _ in range(200):
        y = Call(OPERATORS["add"](), (y, y))
    assert evaluate(Module.of(Function((x,), y)), np.ones(1, np.float32)) == np.inf
