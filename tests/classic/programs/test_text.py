"""Ten programs in the text format, and modules as text."""

from typing import Any

import numpy as np
import pytest

import relay as typed
from tests.classic.running import close, data, run

relay: Any = typed
VERSION = '#[version = "0.0.5"]\n'


def parsed(text):
    mod = relay.parse(VERSION + text)
    assert relay.structural_equal(relay.fromtext(relay.IRModule(mod).astext()), mod)
    return mod


def test_a_graph_of_numbered_values():
    mod = parsed("""
    def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(4, 3), float32]) {
      %0 = nn.dense(%x, %w, units=4);
      %1 = nn.relu(%0);
      add(%1, %0)
    }""")
    x, w = data(2, 3), data(4, 3)
    close(run(mod, x, w, kind="debug"), (x @ w.T).clip(0) + x @ w.T)


def test_lets_conditions_and_recursion():
    mod = parsed("""
    def @count(%n: int32) -> int32 {
      if (%n <= 0) { 0 } else { let %m = %n - 1; @count(%m) + 1 }
    }
    def @main(%n: int32) { @count(%n) }""")
    assert run(mod, np.int32(7), kind="debug") == 7


def test_data_types_and_matches():
    mod = parsed("""
    type Shape2 { Square(float32), Rect(float32, float32), Empty, }
    def @area(%s: Shape2[]) -> float32 {
      match (%s) {
        Square(%a) => %a * %a,
        Rect(%w, %h) => { let %p = %w * %h; %p },
        Empty => 0f,
      }
    }
    def @main(%x: float32) { @area(Rect(%x, 3f)) + @area(Square(%x)) + @area(Empty) }""")
    assert run(mod, np.float32(2), kind="debug") == 10


def test_generic_functions_and_closures():
    mod = parsed("""
    def @twice[A](%f: fn (A) -> A, %x: A) -> A { %f(%f(%x)) }
    def @main(%x: float32) { let %k = %x * 2f; @twice(fn (%y: float32) { %y * %k }, %x) }""")
    assert run(mod, np.float32(3), kind="debug") == 108


def test_references():
    mod = parsed("""
    def @main(%x: int64) {
      let %r = ref(%x);
      ref_write(%r, ref_read(%r) + 5i64);
      ref_read(%r)
    }""")
    assert run(mod, np.int64(4), kind="debug") == 9


def test_the_prelude_is_imported():
    mod = parsed("""
    import "prelude.rly"
    def @main(%n: int32) { @sum(@map(fn (%y: int32) { %y + 1 }, Cons(%n, Cons(2, Nil)))) }""")
    assert run(mod, np.int32(4), kind="debug") == 8


def test_tuples_and_open_sizes():
    mod = parsed("""
    def @main(%t: (Tensor[(?, 2), float32], int32)) { (%t.1, sum(%t.0, axis=[1]), ()) }""")
    ones = np.ones((3, 2), "float32")
    number, sums, unit = run(mod, (ones, np.int32(5)), kind="debug")
    assert (int(number), sums.tolist(), unit) == (5, [2, 2, 2], ())


def test_large_constants_are_metadata():
    w = data(3, 4)
    x = relay.var("x", shape=(2, 4))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.nn.dense(x, relay.const(w))))
    text = mod.astext()
    assert "meta[relay.Constant][0]" in text
    assert "#[metadata]" in text
    assert "#[metadata]" not in mod.astext(show_meta_data=False)
    again = relay.fromtext(text)
    np.testing.assert_array_equal(again["main"].body.args[1].data, w)
    with pytest.raises(typed.RelayError, match="P040"):
        relay.fromtext(mod.astext(show_meta_data=False))


def test_types_are_comments():
    x = relay.var("x", shape=(2, 4))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.nn.relu(x)))
    text = relay.transform.InferType()(mod).astext()
    assert text.startswith(VERSION)
    assert "nn.relu(%x) /* ty=Tensor[(2, 4), float32] */" in text
    assert "/* ty=" not in mod.astext(show_types=False)
    expression = relay.astext(relay.nn.relu(x))
    assert expression.startswith(VERSION + "free_var %x: Tensor[(2, 4), float32]")
    assert not str(relay.nn.relu(x)).startswith("#")
    assert not relay.pretty_print(relay.nn.relu(x)).startswith("#")


def test_an_expression_alone_and_a_mistake():
    expr = relay.parse_expr("fn (%x: float32) { %x + 1f }")
    assert isinstance(expr, relay.Function)
    with pytest.raises(typed.RelayError, match=r"(?s)T026.*text:2:44.*\^"):
        relay.parse(VERSION + "def @main(%x: Tensor[(2), float32]) { %x + %x.0 }")
