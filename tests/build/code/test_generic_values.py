"""Functions with type parameters that are passed, chosen, kept in data, and given back."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.support.errors import CompileError

HEAD = """#[version = "0.0.5"]
import "prelude.rly"
type Box { Box(fn [A](A) -> A, int32) }
type With[X] { With(fn [A](A, X) -> A, X) }
def @use(%f: fn [A](A) -> A) { (%f(1), %f(True)) }
"""

PROGRAMS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "a literal": ("def @main(%n: int32) { @use(fn [A](%x: A) -> A { %x }) }", (1, True)),
    "a function of the module": ("def @main(%n: int32) { @use(@id) }", (1, True)),
    "a closure": (
        """
        def @main(%n: int32) {
          let %with = fn [A](%x: A) -> (A, int32) { (%x, %n) };
          let %made = fn (%f: fn [A](A) -> (A, int32)) { (%f(True).1, %f(2f).0) };
          %made(%with)
        }""",
        (3, 2.0),
    ),
    "one of two": (
        """
        def @main(%n: int32) {
          let %f = if (%n == 3) { fn [A](%x: A) -> A { %x } } else { @id };
          (%f(1), %f(True))
        }""",
        (1, True),
    ),
    "a function that calls itself with it": (
        """
        def @turns(%f: fn [A](A) -> A, %n: int32) -> (int32, bool) {
          if (%n == 0) { (%f(3), %f(True)) } else { @turns(%f, %n - 1) }
        }
        def @main(%n: int32) { @turns(@id, %n) }""",
        (3, True),
    ),
    "passed on": (
        """
        def @both(%f: fn [A](A) -> A, %g: fn (int32) -> int32) { (%g(4), %f(True)) }
        def @on(%f: fn [A](A) -> A) { @both(%f, %f) }
        def @main(%n: int32) { @on(@id) }""",
        (4, True),
    ),
    "a result with another name": (
        """
        def @pick(%n: int32) -> fn [A](A) -> A {
          if (%n == 0) { @id } else { fn [A](%x: A) -> A { %x } }
        }
        def @main(%n: int32) { let %f = @pick(%n); let %g = %f; (%g(1), @pick(0)(True)) }""",
        (1, True),
    ),
    "a field of data": (
        """
        def @opened(%b: Box[]) { match (%b) { Box(%f, %n) => (%f(%n), %f(True)) } }
        def @main(%n: int32) { @opened(Box(@id, %n)) }""",
        (3, True),
    ),
    "a field of generic data": (
        """
        def @opened[X](%w: With[X]) { match (%w) { With(%f, %x) => (%f(1f, %x), %f(%x, %x)) } }
        def @main(%n: int32) {
          let %first = With(fn [A](%a: A, %_x: int32) -> A { %a }, %n);
          (@opened(%first), @opened(With(fn [A](%a: A, %_x: bool) -> A { %a }, True)))
        }""",
        ((1.0, 3), (1.0, True)),
    ),
    "what is matched": (
        "def @main(%n: int32) { match (@id) { %f => (%f(1), %f(True)) } }",
        (1, True),
    ),
    "fields of a tuple": (
        """
        def @all[B](%f: fn [A](A) -> A, %x: B) -> B { @hd(@map(%f, Cons(%x, Nil))) }
        def @main(%n: int32) { let %t = (@id, @id); (@all(%t.0, %n), @all(%t.1, True)) }""",
        (3, True),
    ),
    "an element of a list": (
        "def @main(%n: int32) { let %l = Cons(@id, Nil); @use(@hd(%l)) }",
        (1, True),
    ),
    "the parameter of a parameter": (
        """
        def @given(%h: fn (fn [A](A) -> A) -> (int32, bool)) { %h(@id) }
        def @main(%n: int32) { @given(fn (%f: fn [A](A) -> A) { (%f(%n), %f(True)) }) }""",
        (3, True),
    ),
    "tensors of several sizes": (
        """
        def @pairs(%f: fn [A](A) -> (A, A), %n: int32) { (%f(%n).0, %f(ones(shape=[2])).1) }
        def @main(%n: int32) { @pairs(fn [A](%x: A) { (%x, %x) }, %n) }""",
        (3, (1.0, 1.0)),
    ),
    "nothing that uses it": (
        """
        def @drop(%_f: fn [A](A) -> A) { 1 }
        def @main(%n: int32) { (@drop(@id), @drop(fn [A](%x: A) { %x })) }""",
        (1, 1),
    ),
}


@pytest.mark.parametrize("kind", ["debug", "vm", "aot"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_generic_values(name: str, kind: str) -> None:
    text, expected = PROGRAMS[name]
    found = relay.create_executor(kind, relay.parse(HEAD + text)).evaluate()(np.int32(3))
    assert _plain(found) == expected


def test_one_that_is_made_of_another_at_a_larger_type_each_time() -> None:
    """All values of one type have the same instances, of which there would be no end."""
    text = """
    def @around(%f: fn [A](A) -> A) -> fn [A](A) -> A { fn [A](%x: A) -> A { %f((%x, 1)).0 } }
    def @main(%n: int32) { @around(@id)(%n) }"""
    with pytest.raises(CompileError) as caught:
        relay.compile(relay.parse(HEAD + text))
    assert caught.value.code == "C111"
    assert caught.value.span is not None


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    plain = value.tolist()
    return tuple(plain) if isinstance(plain, list) else plain
