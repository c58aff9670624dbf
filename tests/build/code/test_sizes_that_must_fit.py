"""Values of other sizes than the types in a program say stop it: in calls, data and references."""

import numpy as np
import pytest

import relay
from relay.runtime import Data
from relay.support.errors import RunError
from tests.build.ways import WAYS

_HEAD = '#[version = "0.0.5"]\nimport "prelude.rly"\n'
_TWO = "def @main(%a: Tensor[(?), float32], %b: Tensor[(?), float32])"
_SUM = (
    "def @sum_up(%p: List[Tensor[(n), float32]], %s: Tensor[(n), float32])"
    " -> Tensor[(n), float32] {\n"
    "  match (%p) { Nil => %s, Cons(%h, %t) => @sum_up(%t, %s + %h) } }\n"
)

PROGRAMS = {
    "a call": "def @f(%x: Tensor[(n), float32], %y: Tensor[(n), float32]) { %x * %y }\n"
    f"{_TWO} {{ @f(%a, %b) }}",
    "a loop": "def @f(%x: Tensor[(n), float32], %y: Tensor[(n), float32], %k: int32) -> float32 {\n"
    "  if (%k == 0) { sum(%x * %y) } else { @f(%y, %x, %k - 1) } }\n"
    f"{_TWO} {{ @f(%a, %b, 2) }}",
    "a recursion": "def @f(%x: Tensor[(n), float32], %y: Tensor[(n), float32], %k: int32)\n"
    "  -> float32 { if (%k == 0) { sum(%x * %y) } else { @f(%y, %x, %k - 1) + 1f } }\n"
    f"{_TWO} {{ @f(%a, %b, 2) }}",
    "a closure": f"{_TWO} {{ let %f = fn (%x: Tensor[(n), float32], %y: Tensor[(n), float32]) "
    "{ %x - %y }; %f(%a, %b) }",
    "a passed closure": "def @g(%f: fn (Tensor[(?), float32], Tensor[(?), float32]) -> float32,\n"
    "  %a: Tensor[(?), float32], %b: Tensor[(?), float32]) { %f(%a, %b) }\n"
    f"{_TWO} {{ @g(fn (%x: Tensor[(n), float32], %y: Tensor[(n), float32]) "
    "{ sum(%x - %y) }, %a, %b) }",
    "a closure of numbers": "def @g(%f: fn (Tensor[(?), float32]) -> float32,\n"
    "  %a: Tensor[(?), float32]) { %f(%a) }\n"
    f"{_TWO} {{ let %f = fn (%x: Tensor[(3), float32]) {{ sum(%x) }}; (@g(%f, %a), @g(%f, %b)) }}",
    "functions in a tuple": "def @g(%t: (float32, fn (Tensor[(?), float32]) -> float32),\n"
    "  %a: Tensor[(?), float32]) { %t.1(%a) + %t.0 }\n"
    f"{_TWO} {{ let %t = (1f, fn (%x: Tensor[(3), float32]) {{ sum(%x) }});\n"
    "  (@g(%t, %a), @g(%t, %b)) }",
    "a number": "def @f(%x: Tensor[(3), float32], %k: int32) -> Tensor[(3), float32] {\n"
    "  if (%k == 0) { %x } else { @f(%x + 1f, %k - 1) } }\n"
    f"{_TWO} {{ (@f(%a, 2), @f(%b, 2)) }}",
    "a form": "def @f(%x: Tensor[(n), float32], %y: Tensor[(2 * n - 3), float32]) "
    "{ (%x, %y) }\n"
    f"{_TWO} {{ @f(%a, %b) }}",
    "a list": f"{_SUM}{_TWO} {{ @sum_up(Cons(%a, Cons(%b, Nil)), %a) }}",
    "data": "type P { P(Tensor[(n), float32], Tensor[(n), float32]) }\n"
    f"{_TWO} {{ match (P(%a, %b)) {{ P(%x, %y) => sum(%x * %y) }} }}",
    "a reference": "def @main(%a: Tensor[(n), float32], %b: Tensor[(?), float32]) {\n"
    "  let %r = ref(%a); ref_write(%r, %b); sum(ref_read(%r) * %a) }",
    "a result": "def @f(%x: Tensor[(n), float32], %y: Tensor[(?), float32])\n"
    "  -> Tensor[(n), float32] { %y }\n"
    f"{_TWO} {{ @f(%a, %b) + %a }}",
    "a closure that is made": "def @f(%x: Tensor[(n), float32]) {\n"
    "  fn (%y: Tensor[(n), float32]) { %x * %y } }\n"
    f"{_TWO} {{ @f(%a)(%b) }}",
    "a closure that is called last": "def @f(\n"
    "  %g: fn (Tensor[(n), float32]) -> Tensor[(n), float32], %x: Tensor[(n), float32])\n"
    "  -> Tensor[(n), float32] { %g(%x) }\n"
    f"{_TWO} {{ @f(fn (%t: Tensor[(?), float32]) {{ %b + %b * 0f }}, %a) }}",
    "a tuple": "def @f(%p: (Tensor[(n), float32], Tensor[(n), float32])) { %p.0 * %p.1 }\n"
    f"{_TWO} {{ @f((%a, %b)) }}",
}


def _ones(size: int) -> np.ndarray:
    return np.ones(size, np.float32)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_sizes_that_do_not_fit_stop_a_program(name: str, way: str):
    run = WAYS[way](relay.parse(_HEAD + PROGRAMS[name]))
    run(_ones(3), _ones(3))
    for sizes in ((3, 1), (1, 3), (3, 4), (3, 0), (3, 100_000)):
        with pytest.raises(RunError) as caught:
            run(*map(_ones, sizes))
        assert caught.value.code == "R054", sizes
        assert str(next(each for each in sizes if each != 3)) in caught.value.message


OTHER_FORMS = {
    "of any size where of two": "def @g(%f: fn (Tensor[(2), float32]) -> float32) -> float32 {\n"
    '  %f(ones(shape=[2], dtype="float32")) }\n'
    "def @main() { @g(fn (%x: Tensor[(?), float32]) -> float32 { sum(%x) }) }",
    "that gives two where any": "def @g(%f: fn () -> Tensor[(?), float32]) -> float32 {\n"
    "  sum(%f()) }\n"
    'def @main() { @g(fn () { ones(shape=[2], dtype="float32") }) }',
    "of functions": "def @g(%f: fn (fn (Tensor[(?), float32]) -> float32) -> float32) {\n"
    "  %f(fn (%x: Tensor[(?), float32]) -> float32 { sum(%x) }) }\n"
    "def @main() { @g(fn (%h: fn (Tensor[(2), float32]) -> float32) {\n"
    '  %h(ones(shape=[2], dtype="float32")) }) }',
    "by its name": "def @two(%x: Tensor[(?), float32]) -> float32 { sum(%x) }\n"
    "def @g(%f: fn (Tensor[(2), float32]) -> float32, %n: int32) -> float32 {\n"
    '  if (%n > 0) { @g(%f, %n - 1) } else { %f(ones(shape=[2], dtype="float32")) } }\n'
    "def @main() { @g(@two, 3) }",
    "written into a cell": "def @main() {\n"
    "  let %r = ref(fn (%x: Tensor[(2), float32]) -> float32 { 0f });\n"
    "  ref_write(%r, fn (%x: Tensor[(?), float32]) -> float32 { sum(%x) });\n"
    '  ref_read(%r)(ones(shape=[2], dtype="float32")) }',
    "in data": "type F[A] { F(fn (A) -> float32) }\n"
    "def @main() {\n"
    "  let %c = F(fn (%x: Tensor[(?), float32]) -> float32 { sum(%x) });\n"
    "  let %d: F[Tensor[(2), float32]] = %c;\n"
    '  match (%d) { F(%f) => %f(ones(shape=[2], dtype="float32")) } }',
    "in data of another type": "type G[A] { G(A) }\n"
    "def @use(%c: G[fn (Tensor[(2), float32]) -> float32]) -> float32 {\n"
    '  match (%c) { G(%f) => %f(ones(shape=[2], dtype="float32")) } }\n'
    "def @main() { @use(G(fn (%x: Tensor[(?), float32]) -> float32 { sum(%x) })) }",
    "in a list with another": "def @add(%f: fn (Tensor[(2), float32]) -> float32, %s: float32)\n"
    '  -> float32 { %f(ones(shape=[2], dtype="float32")) + %s }\n'
    "def @main() {\n"
    "  let %g = fn (%x: Tensor[(?), float32]) -> float32 { sum(%x) };\n"
    "  let %h = fn (%x: Tensor[(2), float32]) -> float32 { sum(%x) - 2f };\n"
    "  @foldr(@add, 0f, Cons(%g, Cons(%h, Nil))) }",
    "in a result": "type G[A] { G(A), N }\n"
    "def @make() -> G[fn (Tensor[(2), float32]) -> float32] {\n"
    "  G(fn (%x: Tensor[(?), float32]) -> float32 { sum(%x) }) }\n"
    "def @main() { match (@make()) {\n"
    '  G(%f) => %f(ones(shape=[2], dtype="float32")), N => 0f } }',
    "of a result that nothing tells": "def @f(%z: Tensor[(?, ?), float32]) {\n"
    "  let %g = fn (%v: Tensor[(m + n), float32]) -> Tensor[(2 * n, ?), float32] { %z };\n"
    '  let %v = ones(shape=[1], dtype="float32");\n'
    "  let %s: Tensor[(k), float32] = sum(%g(%v), axis=[0]); sum(%s) - 1f }\n"
    'def @main() { @f(ones(shape=[3, 1], dtype="float32")) }',
    "of one name at two sizes": "def @g(%f: fn (Tensor[(?), float32]) -> Tensor[(?), float32]) {\n"
    '  sum(%f(ones(shape=[2], dtype="float32"))) - sum(%f(ones(shape=[0], dtype="float32"))) }\n'
    "def @same(%x: Tensor[(m), float32]) -> Tensor[(m), float32] { %x }\n"
    "def @main() { @g(@same) }",
    "of a branch": "def @g(%c: bool) -> float32 {\n"
    "  let %f = if (%c) { fn (%x: Tensor[(?), float32]) -> float32 { sum(%x) } }\n"
    "    else { fn (%x: Tensor[(2), float32]) -> float32 { 0f } };\n"
    '  %f(ones(shape=[2], dtype="float32")) }\n'
    "def @main() { @g(True) + @g(False) }",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", OTHER_FORMS)
def test_a_function_stands_where_other_sizes_are_known(name: str, way: str):
    run = WAYS[way](relay.parse(_HEAD + OTHER_FORMS[name]))
    assert float(run()) == 2


@pytest.mark.parametrize("way", WAYS)
def test_cells_of_open_sizes_are_others_than_those_of_numbers(way: str):
    text = """
    type Cell[A] { Cell(ref(A)) }
    def @write(%c: Cell[Tensor[(?), float32]]) -> float32 {
      match (%c) { Cell(%s) => {
        ref_write(%s, ones(shape=[7], dtype="float32")); sum(ref_read(%s)) } }
    }
    def @main(%a: Tensor[(?), float32]) -> (float32, float32) {
      let %r = ref(ones(shape=[2], dtype="float32"));
      let %two = Cell(%r);
      (@write(Cell(ref(%a))), match (%two) { Cell(%s) => sum(ref_read(%s) + ref_read(%r)) })
    }"""
    run = WAYS[way](relay.parse(_HEAD + text))
    assert [float(each) for each in run(_ones(5))] == [7, 4]


@pytest.mark.parametrize("way", WAYS)
def test_sizes_that_are_known_not_to_fit_stop_the_program(way: str):
    text = """
    def @g(%x: Tensor[(2), float32]) -> float32 { sum(%x) }
    def @f(%x: Tensor[(?), float32]) -> float32 { @g(%x) }
    def @main(%c: bool) -> float32 { if (%c) { @f(ones(shape=[5], dtype="float32")) } else { 1f } }
    """
    run = WAYS[way](relay.parse(_HEAD + text))
    assert float(run(False)) == 1
    with pytest.raises(RunError) as caught:
        run(True)
    assert caught.value.code == "R054"


@pytest.mark.parametrize("way", ["level 3", "batches", "machine"])
def test_values_of_the_caller_are_tested_where_they_are_taken_apart(way: str):
    text = f"{_SUM}def @main(%p: List[Tensor[(n), float32]], %s: Tensor[(n), float32]) "
    run = WAYS[way](relay.parse(f"{_HEAD}{text} {{ @sum_up(%p, %s) }}"))
    nil = Data("Nil", ())
    assert run(Data("Cons", (_ones(3), nil)), _ones(3)).tolist() == [2, 2, 2]
    with pytest.raises(RunError) as caught:
        run(Data("Cons", (_ones(1), nil)), _ones(1_000_000))
    assert caught.value.code == "R054"
