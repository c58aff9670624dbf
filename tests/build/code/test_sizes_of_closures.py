"""Closures that take tensors of other sizes than their places: who tests what, and where."""

import numpy as np
import pytest

import relay
from relay.support.errors import RunError

HEAD = """#[version = "0.0.5"]
import "prelude.rly"
def @main(%p: int32, %x: Tensor[(?), float32]) {
"""
X = np.array([1.0, 3.0], "float32")

PICKED = """
  let %f = if (%p == 0) { fn (%y: Tensor[(2), float32]) { %y + %y } }
    else { fn (%y: Tensor[(3), float32]) { %y * %y } };
  %f(%x)"""
THREE = """
  let %f = if (%p == 0) { fn (%y: Tensor[(2), float32]) { %y + %y } }
    else { if (%p == 1) { fn (%y: Tensor[(3), float32]) { %y * %y } }
    else { fn (%y: Tensor[(2), float32]) { %y } } };
  %f(%x)"""
CLAUSES = """
  let %some = if (%p == 0) { Some(Some(%p)) } else { if (%p == 1) { Some(None) } else { None } };
  let %f = match (%some) {
    Some(Some(_)) => fn (%y: Tensor[(2), float32]) { %y + %y },
    Some(_) => fn (%y: Tensor[(3), float32]) { %y * %y },
    None => fn (%y: Tensor[(2), float32]) { %y },
  };
  %f(%x)"""

VALUES = {
    "a branch": (PICKED, 0, 2 * X),
    "one of three branches": (THREE, 2, X),
    "a clause": (CLAUSES, 0, 2 * X),
    "the third clause": (CLAUSES, 3, X),
    "branches that give other sizes": (
        """
        let %f = if (%p == 0) { fn () { concatenate((%x, %x)) } } else { fn () { %x } };
        %f()""",
        0,
        np.concatenate((X, X)),
    ),
    "lists of closures": (
        """
        let %fs = if (%p == 0) { Cons(fn (%y: Tensor[(2), float32]) { %y + %y }, Nil) }
          else { Cons(fn (%y: Tensor[(3), float32]) { %y * %y }, Nil) };
        @hd(%fs)(%x)""",
        0,
        2 * X,
    ),
    "elements that are passed on": (
        """
        @foldl(fn (%a: Tensor[(?), float32], %y: Tensor[(2), float32]) { concatenate((%a, %y)) },
               %x, @map(fn (%y: Tensor[(2), float32]) { %y + %y }, Cons(%x, Nil)))""",
        0,
        np.concatenate((X, 2 * X)),
    ),
    "a list that is longer than what is taken out of it": (
        """
        let %tests = @filter(fn (%y: Tensor[(2), float32]) { sum(%y) > 0f }, Cons(%x, Nil));
        @hd(%tests)""",
        0,
        X,
    ),
}

STOPS = {
    "the branch that was not meant": (PICKED, 1, "%y: Tensor[(3)"),
    "one of three branches": (THREE, 1, "%y: Tensor[(3)"),
    "the second clause": (CLAUSES, 1, "%y: Tensor[(3)"),
    "a function of the library": (
        "@map(fn (%y: Tensor[(3), float32]) { %y + %y }, Cons(%x, Nil))",
        0,
        "%y",
    ),
    "one that passes on what it makes": (
        """
        @foldl(fn (%a: Tensor[(3), float32], %y: Tensor[(?), float32]) { %a },
               %x, Cons(%x, Nil))""",
        0,
        "%a",
    ),
    "functions one after the other": (
        """
        @compose(fn (%y: Tensor[(3), float32]) { %y + %y },
                 fn (%z: Tensor[(2), float32]) -> Tensor[(?), float32] { %x })(%x)""",
        0,
        "%y",
    ),
}


@pytest.mark.parametrize("kind", ["debug", "vm", "aot"])
@pytest.mark.parametrize("name", VALUES)
def test_a_closure_takes_what_it_gets(name: str, kind: str) -> None:
    body, number, expected = VALUES[name]
    module = relay.parse(f"{HEAD}{body}}}")
    found = relay.create_executor(kind, module).evaluate()(np.int32(number), X)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", ["debug", "vm", "aot"])
@pytest.mark.parametrize("name", STOPS)
def test_a_closure_tests_what_it_gets(name: str, kind: str) -> None:
    """The program stops at the parameter that asks for other sizes, whoever makes the call."""
    body, number, place = STOPS[name]
    text = f"{HEAD}{body}}}"
    with pytest.raises(RunError, match="has size 2 at axis 0, not 3") as caught:
        relay.create_executor(kind, relay.parse(text)).evaluate()(np.int32(number), X)
    assert caught.value.code == "R054"
    span = caught.value.span
    assert span is not None
    assert text.splitlines()[span.line - 1][span.column - 1 :].startswith(place)
