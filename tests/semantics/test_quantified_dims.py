"""Functions with names of sizes of their own, passed where functions of other sizes are wanted."""

import numpy as np
import pytest

import relay
from relay.ir.dims import ANY
from relay.ir.expr import Function
from relay.ir.match_patterns import Match
from relay.ir.types import FuncType, TensorType
from relay.ir.walk import post_order
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.semantics.well_formed import check_types
from relay.support.errors import RelayTypeError

HEAD = """#[version = "0.0.5"]
import "prelude.rly"
type Job { Job(fn (Tensor[(2), float32]) -> float32, int32) }
def @double(%x: Tensor[(k), float32]) -> Tensor[(k), float32] { %x * 2f }
def @half(%x: Tensor[(2 * k), float32]) -> Tensor[(k), float32] {
  strided_slice(%x, begin=[0], end=[k])
}
def @total(%x: Tensor[(n), float32]) -> float32 { sum(%x) }
def @twice(%f: fn (Tensor[(n), float32]) -> Tensor[(n), float32], %x: Tensor[(n), float32]) {
  %f(%f(%x))
}
def @halved(%f: fn (Tensor[(2), float32]) -> Tensor[(1), float32], %x: Tensor[(2), float32]) {
  %f(%x)
}
def @both(
  %f: fn (Tensor[(?), float32]) -> Tensor[(?), float32],
  %x: Tensor[(2), float32]
) { sum(%f(%x)) + sum(%f(concatenate((%x, %x)))) }
def @after[A, B, C](%f: fn (A) -> B, %g: fn (B) -> C) -> fn (A) -> C { fn (%x: A) { %g(%f(%x)) } }
def @picked(%b: bool) -> fn (Tensor[(2), float32]) -> Tensor[(2), float32] {
  if (%b) { @double } else { fn (%t: Tensor[(2), float32]) { %t + 1f } }
}
def @main(%x: Tensor[(2), float32]) """

X = np.array([1.0, 3.0], "float32")

PROGRAMS = {
    "an argument": ("@twice(@double, %x)", "(2,)", 4 * X),
    "a literal": ("@twice(fn (%t: Tensor[(m), float32]) { %t + 1f }, %x)", "(2,)", X + 2),
    "a name of a literal": (
        "let %f = fn (%t: Tensor[(m), float32]) { %t + 1f }; @twice(%f, %x)",
        "(2,)",
        X + 2,
    ),
    "a name of a function": ("let %f = @double; @twice(%f, %x)", "(2,)", 4 * X),
    "arithmetic": ("@halved(@half, %x)", "(1,)", X[:1]),
    "any size": ("@both(@double, %x)", "()", np.float32(24)),
    "a let": (
        "let %f: fn (Tensor[(2), float32]) -> float32 = @total; %f(%x)",
        "()",
        np.float32(4),
    ),
    "a result": ("@picked(True)(%x)", "(2,)", 2 * X),
    "a field": ("match (Job(@total, 1)) { Job(%f, _) => %f(%x) }", "()", np.float32(4)),
    "elements of a list": (
        """
        let %c = Cons(@double, Cons(fn (%t: Tensor[(j), float32]) { %t + 1f }, Nil));
        @foldl(
          fn (%a: Tensor[(?), float32], %f: fn (Tensor[(?), float32]) -> Tensor[(?), float32]) {
            %f(%a)
          }, %x, %c)
        """,
        "(?,)",
        2 * X + 1,
    ),
    "branches": (
        """
        let %f = if (sum(%x) > 0f) { @double } else { fn (%t: Tensor[(j), float32]) { %t } };
        %f(%x)
        """,
        "(?,)",
        2 * X,
    ),
    "a tuple": ("let %p = (@double, 1); %p.0(%x)", "(?,)", 2 * X),
    "a cell": (
        """
        let %r = ref(@double);
        ref_write(%r, fn (%t: Tensor[(2), float32]) { %t + 1f });
        ref_read(%r)(%x)
        """,
        "(?,)",
        X + 1,
    ),
    "a generic place": (
        "match? (@map(@double, Cons(%x, Nil))) { Cons(%h, _) => %h }",
        "(2,)",
        2 * X,
    ),
    "a local function, called twice": (
        """
        let %f = fn (%t: Tensor[(m), float32]) -> Tensor[(2 * m), float32] {
          concatenate((%t, %t))
        };
        (%f(%f(%x)), sum(%f(ones(shape=[5], dtype="float32")))).0
        """,
        "(8,)",
        np.tile(X, 4),
    ),
    "a local function that calls itself": (
        """
        let %f = fn (%t: Tensor[(m), float32], %i: int32) -> float32 {
          if (%i == 0) { sum(%t) } else { %f(concatenate((%t, %x)), %i - 1) }
        };
        %f(%x, 3)
        """,
        "()",
        np.float32(16),
    ),
    "another name of a function, called twice": (
        "let %f = @double; sum(%f(%x)) + sum(%f(concatenate((%x, %x))))",
        "()",
        np.float32(24),
    ),
    "nothing tells": ("@after(@double, @total)(%x)", "()", np.float32(8)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_place_chooses_the_sizes(name: str):
    body, shape, expected = PROGRAMS[name]
    module = relay.parse(HEAD + "{ " + body + " }")
    ty = module["main"].ty
    assert isinstance(ty, FuncType)
    assert repr(ty.result) == ("float32" if shape == "()" else f"Tensor[({shape[1:-1]}), float32]")
    assert infer(module) is module
    check_types(module)
    np.testing.assert_array_equal(evaluate(module, X), expected)


def refused(body: str, head: str = HEAD) -> RelayTypeError:
    with pytest.raises(RelayTypeError) as caught:
        infer(relay.parse(head + "{ " + body + " }"))
    return caught.value


def test_a_name_of_what_is_around_a_literal_is_that_size():
    head = HEAD.replace("@main(", "@main(%y: Tensor[(n), float32], ")
    error = refused("@twice(fn (%t: Tensor[(n), float32]) { %t + %y }, %x)", head)
    assert error.code == "T034"
    assert "argument 1 of @twice" in error.message


def test_a_function_of_one_size_is_to_blame_not_the_tensor():
    error = refused("@twice(fn (%t: Tensor[(3), float32]) { %t }, %x)")
    assert error.code == "T034"
    assert "argument 1 of @twice: expected fn (Tensor[(2,)" in error.message


def test_one_name_is_one_size():
    pair = "def @use(%f: fn (Tensor[(2), float32], Tensor[(3), float32]) -> float32) { %f }"
    body = "@use(fn (%a: Tensor[(m), float32], %b: Tensor[(m), float32]) { sum(%a + %b) })"
    error = refused(body, HEAD.replace("def @main", pair + " def @main"))
    assert error.code == "T034"


_VECTORS = "type L { C(Tensor[(?), float32], L), N }"


def test_a_clause_binds_a_size_that_the_type_of_its_variable_names():
    """Two matches may name sizes alike: the sizes differ, and neither leaves its clause."""
    one, other = (
        f"match? (%{of}) {{ C(%{of}1: Tensor[(m), float32], _) => exp(%{of}1) }}" for of in "xy"
    )
    text = f"""{_VECTORS}
    def @main(%x: L, %y: L) {{ let %a = {one}; let %b = {other}; add(%a, %b) }}"""
    module = infer(relay.parse(f'#[version = "0.0.5"]\n{text}'))
    matches = [each for each in post_order(module["main"]) if isinstance(each, Match)]
    assert [each.ty for each in matches] == [TensorType((ANY,))] * 2
    sizes = [each.clauses[0].body.tensor_type.shape for each in matches]
    assert sizes[0] != sizes[1]


def test_a_size_in_scope_that_the_type_of_a_pattern_names_stays():
    text = f"""{_VECTORS}
    def @main(%x: L, %z: Tensor[(m), float32]) {{
      match? (%x) {{ C(%y: Tensor[(m), float32], _) => %y }}
    }}"""
    main = infer(relay.parse(f'#[version = "0.0.5"]\n{text}'))["main"]
    assert isinstance(main, Function)
    assert isinstance(main.type, FuncType)
    assert main.type.result == main.params[1].ty
