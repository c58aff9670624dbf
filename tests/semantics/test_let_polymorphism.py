"""Local functions that are used at several types."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.equality import structural_equal
from relay.ir.expr import Call, Function, GlobalVar, Let, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import TensorType, TupleType
from relay.ir.walk import post_order
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.semantics.well_formed import check_types, check_well_formed
from relay.support.errors import RelayError

HEAD = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil, }
def @apply[A, B](%f: fn (A) -> B, %x: A) -> B { %f(%x) }
"""
INT, FLOAT = np.int32(7), np.float32(2)


def typed(body: str) -> Module:
    """A program that keeps its types, and reads back to itself."""
    module = relay.parse(f"{HEAD}def @main(%i: int32, %f: float32) {{ {body} }}")
    check_types(module)
    check_well_formed(module)
    assert infer(module) is module
    assert structural_equal(relay.parse(relay.astext(module)), module)
    return module


def run(body: str) -> Any:
    return evaluate(typed(body), INT, FLOAT)


def generic(module: Module) -> list[int]:
    """The numbers of type parameters of the local functions, from the inside out."""
    local = [e.value for e in post_order(module.main) if isinstance(e, Let)]
    return [len(f.type_params) for f in local if isinstance(f, Function)]


def test_each_use_chooses():
    body = "let %pair = fn (%v) { (%v, %v) }; (%pair(%i), %pair(%f))"
    assert generic(typed(body)) == [1]
    assert run(body) == ((7, 7), (2, 2))


def test_uses_that_agree_leave_the_function_simple():
    module = typed("let %pair = fn (%v) { (%v, %v) }; (%pair(%i), %pair(%i))")
    assert generic(module) == [0]
    assert not any(e.type_arguments for e in post_order(module.main) if isinstance(e, Call))


def test_what_comes_from_around_keeps_its_type():
    body = """
    let %outer = fn (%k) {
      let %inner = fn (%v) { (%k, %v) };
      (%inner(%i), %inner(%f))
    };
    (%outer(%i), %outer(%f))"""
    assert generic(typed(body)) == [1, 1]
    assert run(body) == (((7, 7), (7, 2)), ((2, 7), (2, 2)))


def test_recursion_is_at_one_type_and_calls_at_many():
    body = """
    let %reverse = fn (%l, %done) {
      match (%l) { Nil => %done, Cons(%h, %t) => %reverse(%t, Cons(%h, %done)), }
    };
    let %head = fn (%l, %none) { match (%l) { Nil => %none, Cons(%h, _) => %h, } };
    (%head(%reverse(Cons(1, Cons(%i, Nil)), Nil), 0), %head(%reverse(Cons(%f, Nil), Nil), 0f))"""
    assert generic(typed(body)) == [1, 1]
    assert run(body) == (7, 2)


def test_a_generic_function_is_passed_where_a_plain_one_is_wanted():
    body = "let %same = fn (%v) { %v }; (@apply(%same, %i), @apply(%same, %f))"
    assert generic(typed(body)) == [1]
    assert run(body) == (7, 2)


def test_a_function_that_nobody_uses_may_have_any_type():
    assert generic(typed("let %same = fn (%v) { %v }; %i")) == [1]


@pytest.mark.parametrize(
    "body",
    [
        "let %g = fn (%v) { negative(%v) }; (%g(%i), %g(%f))",  # an operator waits
        "let %r = ref(fn (%v) { %v }); (ref_read(%r)(%i), ref_read(%r)(%f))",  # no literal
        "let %g = @apply(fn (%v) { fn (%w) { %w } }, %i); (%g(%i), %g(%f))",  # a result
        "let %o = fn (%k) { let %g = fn (%v) { %k(%v) }; (%g(%i), %g(%f)) }; %o(fn (%v) { %v })",
        "let %r = ref(Nil); let %g = fn (%v) { ref_write(%r, Cons(%v, Nil)) }; (%g(%i), %g(%f))",
    ],
)
def test_what_has_one_type(body: str):
    with pytest.raises(RelayError, match=r"T035|T102"):
        typed(body)


def test_a_literal_that_stands_in_two_places_has_one_type():
    v, f, g = Var("v"), Var("f"), Var("g")
    same = Function((v,), v)
    x, y = Var("x", TensorType(())), Var("y", TensorType((2,)))
    body = Let(f, same, Let(g, same, Tuple((Call(f, (x,)), Call(g, (x,))))))
    main = infer(Module.of(Function((x, y), body))).main
    assert main.body.type is TupleType((x.type, x.type))
    body = Let(f, same, Let(g, same, Tuple((Call(f, (x,)), Call(g, (y,))))))
    with pytest.raises(RelayError, match="T034"):
        infer(Module.of(Function((x, y), body)))


def test_global_functions_choose_their_own():
    source = HEAD + "def @main(%i: int32, %f: float32) { (@apply(@id, %i), @apply(@id, %f)) }"
    module = relay.parse(source + "\ndef @id[A](%x: A) -> A { %x }")
    assert evaluate(module, INT, FLOAT) == (7, 2)
    assert any(isinstance(e, GlobalVar) for e in post_order(module.main))
