"""Programs without type variables mean what the generic ones mean."""

from typing import Any, cast

import numpy as np
import pytest

from relay.ir.expr import Call, Constructor, Function, Let, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import FuncType, Type, TypeCall, TypeVar, scalar_type
from relay.ir.types import children as type_children
from relay.ir.walk import post_order
from relay.ops.binary import Add
from relay.prelude import library
from relay.semantics.evaluate import evaluate
from relay.semantics.evaluator_values import Data, Value
from relay.semantics.infer import infer
from relay.semantics.well_formed import check_types, check_well_formed
from relay.text.parser import parse_module
from relay.text.printer import text_of
from relay.transform.monomorphize import Monomorphize

VERSION = '#[version = "0.0.5"]\n'


def read(text: str) -> Module:
    return infer(parse_module(VERSION + text, "test.rly", library))


def monomorphic(module: Module) -> Module:
    """Return what the pass makes of a module, after all that must hold for every result."""
    result = Monomorphize()(module)
    check_well_formed(result)
    check_types(result)
    for data in result.types.values():
        assert not data.type_params
    for function in result.functions.values():
        for expr in post_order(function):
            assert expr.ty is None or is_closed(expr.ty), expr
            assert not isinstance(expr, Constructor) or expr in result.constructors().values()
    assert Monomorphize()(result) is result
    again = infer(parse_module(text_of(result)))
    assert text_of(again) == text_of(result)
    return result


def is_closed(ty: Type) -> bool:
    stack, seen = [ty], set[Type]()
    while stack:
        top = stack.pop()
        generic = isinstance(top, FuncType) and top.type_params
        if isinstance(top, TypeVar) or generic or (isinstance(top, TypeCall) and top.args):
            return False
        stack.extend(each for each in type_children(top) if each not in seen)
        seen.add(top)
    return True


def plain(value: Value) -> Any:
    """Return a value as nested tuples; constructors by their numbers, which do not change."""
    if isinstance(value, Data):
        return (value.constructor.index, *map(plain, value.fields))
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return cast("np.ndarray[Any, Any]", value).tolist()


def check_same_value(text: str, *args: object) -> Module:
    module = read(text)
    result = monomorphic(module)
    assert plain(evaluate(result, *args)) == plain(evaluate(module, *args))
    return result


def body_text(text: str) -> str:
    return text_of(monomorphic(read(text))).removeprefix(VERSION)


def test_a_generic_function_is_written_for_each_choice() -> None:
    text = """
    def @unused[A](%x: A) -> A { %x }
    def @pair[A, B](%x: A, %y: B) -> (A, B) { (%x, %y) }
    def @main(%x: int32, %y: bool) { (@pair(%x, %y), @pair(%y, %x), @pair(%x, %y)) }
    """
    assert (
        body_text(text)
        == """\
def @main(%x: int32, %y: bool) -> ((int32, bool), (bool, int32), (int32, bool)) {
  %0 = @pair(%x, %y);
  %1 = @pair_1(%y, %x);
  %2 = @pair(%x, %y);
  (%0, %1, %2)
}

def @pair(%x: int32, %y: bool) -> (int32, bool) {
  (%x, %y)
}

def @pair_1(%x: bool, %y: int32) -> (bool, int32) {
  (%x, %y)
}
"""
    )


def test_a_generic_type_is_written_for_each_choice() -> None:
    text = """
    type List[A] { Cons(A, List[A]), Nil, }
    type Unused[A] { Other(A), }
    def @map[A, B](%f: fn (A) -> B, %xs: List[A]) -> List[B] {
      match (%xs) { Cons(%x, %rest) => Cons(%f(%x), @map(%f, %rest)), Nil => Nil, }
    }
    def @main(%xs: List[Tensor[(3), float32]]) {
      @map(fn (%x: Tensor[(3), float32]) { sum(%x) }, %xs)
    }
    """
    assert (
        body_text(text)
        == """\
type List {
  Cons(Tensor[(3), float32], List[]),
  Nil,
}

type List_1 {
  Cons_1(float32, List_1[]),
  Nil_1,
}

def @main(%xs: List[]) -> List_1[] {
  %0 = fn (%x: Tensor[(3), float32]) -> float32 {
    sum(%x)
  };
  @map(%0, %xs)
}

def @map(%f: fn (Tensor[(3), float32]) -> float32, %xs: List[]) -> List_1[] {
  match (%xs) {
    Cons(%x, %rest) => {
      %1 = %f(%x);
      %2 = @map(%f, %rest);
      Cons_1(%1, %2)
    },
    Nil => {
      Nil_1
    },
  }
}
"""
    )


def test_a_local_function_gets_a_let_for_each_choice() -> None:
    text = """
    def @main(%x: int32, %y: bool, %c: int32) {
      let %unused = fn [A](%z: A) -> A { %z };
      let %choose = fn [A](%z: A, %n: int32) -> (A, int32) {
        if (%n <= 0) { (%z, %c) } else { %choose(%z, %n - 1) }
      };
      (%choose(%x, 1), %choose(%y, 2))
    }
    """
    assert (
        body_text(text)
        == """\
def @main(%x: int32, %y: bool, %c: int32) -> ((int32, int32), (bool, int32)) {
  let %choose = fn (%z: int32, %n: int32) -> (int32, int32) {
    %0 = less_equal(%n, 0);
    if (%0) {
      (%z, %c)
    } else {
      %1 = subtract(%n, 1);
      %choose(%z, %1)
    }
  };
  let %choose1 = fn (%z1: bool, %n1: int32) -> (bool, int32) {
    %2 = less_equal(%n1, 0);
    if (%2) {
      (%z1, %c)
    } else {
      %3 = subtract(%n1, 1);
      %choose1(%z1, %3)
    }
  };
  %4 = %choose(%x, 1);
  %5 = %choose1(%y, 2);
  (%4, %5)
}
"""
    )


LISTS = """
import "prelude.rly"
def @count(%n: int32) -> List[int32] {
  if (%n <= 0) { Nil } else { Cons(%n, @count(%n - 1)) }
}
"""

PROGRAMS = {
    "lists": """
    def @main(%n: int32) {
      let %xs = @count(%n);
      let %halves = @map(fn (%x: int32) { cast(%x, dtype="float32") / 2f }, %xs);
      let %pairs = @zip(%halves, @rev(%xs));
      (%pairs, @foldl(fn (%s: float32, %x: float32) { %s + %x }, 0f, %halves), @length(%pairs))
    }""",
    "options": """
    def @main(%n: int32) {
      let %down = @unfoldr(
        fn (%k: int32) -> Option[(int32, bool)] {
          if (%k <= 0) { None } else { Some((%k - 1, %k <= 2)) }
        }, %n);
      (%down, @unfoldl(fn (%k: int32) -> Option[(int32, Option[int32])] {
        if (%k <= 0) { None } else { Some((%k - 1, if (%k <= 2) { None } else { Some(%k) })) }
      }, %n))
    }""",
    "trees": """
    def @grow(%n: int32) -> Tree[int32] {
      if (%n <= 0) { Rose(%n, Nil) } else { Rose(%n, @map(@grow, @count(%n - 1))) }
    }
    def @main(%n: int32) {
      let %tree = @grow(%n);
      let %lists = @tmap(@count, %tree);
      (%lists, @size(%lists), @tmap(fn (%xs: List[int32]) { @length(%xs) }, %lists), @size(%tree))
    }""",
    "functions": """
    def @main(%n: int32) {
      let %next = fn (%x: int32) { %x + 1 };
      let %show = @compose(fn (%x: int32) { (%x, %x <= 3) }, @iterate(%next, %n));
      (@map(%show, @count(3)), @flip(fn (%x: int32, %p: bool) { (%x, %p) })(True, %n))
    }""",
    "mutual recursion": """
    type Even[A] { Stop, More(A, Odd[A]), }
    type Odd[A] { Last(A, Even[A]), }
    def @even[A](%x: A, %n: int32) -> Even[A] {
      if (%n <= 0) { Stop } else { More(%x, @odd(%x, %n - 1)) }
    }
    def @odd[A](%x: A, %n: int32) -> Odd[A] { Last(%x, @even(%x, %n - 1)) }
    def @weigh[A](%f: fn (A) -> int32, %e: Even[A]) -> int32 {
      match (%e) { Stop => 0, More(%x, Last(%y, %rest)) => %f(%x) + %f(%y) + @weigh(%f, %rest), }
    }
    def @main(%n: int32) {
      let %numbers = @even(%n, 4);
      let %flags = @even(True, 2);
      (%numbers, %flags, @weigh(fn (%x: int32) { %x }, %numbers),
       @weigh(fn (%x: bool) { if (%x) { 1 } else { 0 } }, %flags))
    }""",
    "references": """
    def @swap[A](%a: ref(A), %b: ref(A)) -> () {
      let %old = ref_read(%a);
      ref_write(%a, ref_read(%b));
      ref_write(%b, %old)
    }
    def @main(%n: int32) {
      let %a = ref(@count(%n));
      let %b = ref(@count(2));
      let %t = ref(True);
      let %u = ref(False);
      @swap(%a, %b);
      @swap(%t, %u);
      (ref_read(%a), ref_read(%b), ref_read(%t))
    }""",
    "patterns": """
    def @main(%n: int32) {
      match ((@map(fn (%x: int32) { Some((%x, %x <= 1)) }, @count(%n)), Some(@count(2)))) {
        (Cons(Some((%x, %p)), Cons(None, _)), _) => (%x, %p),
        (Cons(_, Cons(Some((%x, %p)), _)), Some(Cons(%y, Nil))) => (%y, %p),
        (_, Some(Cons(%y, _))) => (%y, True),
        _ => (0, False),
      }
    }""",
    "local functions in local functions": """
    def @main(%n: int32) {
      let %outer = fn [A](%x: A) -> (A, (A, bool), (A, A)) {
        let %inner = fn [B](%y: B) -> (A, B) { (%x, %y) };
        (%inner(%n).0, %inner(True), %inner(%x))
      };
      (%outer(%n), %outer(True), %outer((%n, True)))
    }""",
    "local functions of the type of the function around them": """
    def @kept[A](%x: A) -> A {
      let %same = fn [B](%y: B) -> B { %y };
      let %flag = %same(True);
      %same(%x)
    }
    def @main(%n: int32) { (@kept(%n), @kept((%n, True))) }""",
    "local functions that need others": """
    def @main(%n: int32) {
      let %f = fn [A](%x: A, %k: int32) -> (A, int32) {
        if (%k <= 0) { (%x, 0) } else { (%x, %f(True, %k - 1).1 + 1) }
      };
      (%f(%n, 2), %f((%n, %n), 1))
    }""",
    "constructors and generic functions as values": """
    def @apply[A, B](%f: fn (A) -> B, %x: A) -> B { %f(%x) }
    def @main(%n: int32) {
      let %same: fn (int32) -> int32 = @id;
      let %local = fn [A](%x: A) -> (A, int32) { (%x, %n) };
      let %cell = ref(%same);
      ref_write(%cell, @id);
      (@map(Some, @count(%n)), @foldr(Cons, @count(2), @count(%n)), @compose(Some, @id)(%same(%n)),
       @map(%local, @count(%n)), @apply(%local, True), @apply(fn [A](%x: A) -> A { %x }, %n),
       @map(if (%n <= 1) { fn (%x: int32) -> Option[int32] { None } } else { Some }, @count(2)),
       ref_read(%cell)(%n))
    }""",
    "names for generic functions": """
    def @main(%n: int32) {
      let %same = @id;
      let %alias = %same;
      (%alias(%n), %same(True), %alias((%n, False)))
    }""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_stay_the_same(name: str) -> None:
    for n in (0, 3):
        check_same_value(LISTS + PROGRAMS[name], np.int32(n))


def test_what_is_not_generic_stays_the_same_object() -> None:
    text = """
    type Shape { Circle(float32), Square(float32), }
    def @area(%s: Shape[]) { match (%s) { Circle(%r) => %r * %r * 3.14f, Square(%a) => %a * %a } }
    def @main(%r: float32) { @area(Circle(%r)) + @area(Square(%r)) }
    """
    module = read(text)
    assert Monomorphize()(module) is module
    larger = read(text + "def @other[A](%x: A) { %x } type Other { Thing, }")
    smaller = monomorphic(larger)
    assert [*smaller.functions] == ["area", "main"]
    assert [*smaller.types] == ["Shape"]
    assert smaller.main is larger.main
    assert smaller.types["Shape"] is larger.types["Shape"]
    assert [*Monomorphize(entry="area")(larger).functions] == ["area"]


def test_names_that_are_taken() -> None:
    module = read("""
    type Box[A] { Box_1(A), }
    type Box_2 { Other, }
    def @id_1(%x: int32) { %x }
    def @id[A](%x: A) -> A { %x }
    def @main(%x: int32, %o: Box_2[]) {
      (@id(%x), @id(True), @id_1(%x), Box_1(%x), Box_1(True), %o)
    }
    """)
    result = monomorphic(module)
    assert [*result.functions] == ["id_1", "id", "id_2", "main"]
    assert {name: data.constructors[0].name for name, data in result.types.items()} == {
        "Box": "Box_1",
        "Box_3": "Box_1_3",
        "Box_2": "Other",
    }


def test_lists_whose_sizes_are_forgotten_are_one_type() -> None:
    result = check_same_value(
        """import "prelude.rly"
        def @first(%xs: List[Tensor[(?), float32]]) -> float32 {
          match? (%xs) { Cons(%x, _) => sum(%x) }
        }
        def @main(%x: Tensor[(3), float32], %y: Tensor[(2), float32]) {
          (@first(Cons(%x, Nil)), @first(Cons(%y, Nil)), @length(Cons(%x, Nil)))
        }""",
        np.ones(3, "f"),
        np.ones(2, "f"),
    )
    assert [*result.types] == ["List"]


def test_lists_of_known_sizes_are_different_types() -> None:
    text = """import "prelude.rly"
    def @main(%x: Tensor[(3), float32], %y: Tensor[(2), float32]) {
      (@length(Cons(%x, Nil)), @length(Cons(%y, Nil)))
    }"""
    result = check_same_value(text, np.ones(3, "f"), np.ones(2, "f"))
    assert [*result.types] == ["List", "List_1"]
    assert {repr(result.constructors()[each].inputs[0]) for each in ("Cons", "Cons_1")} == {
        "Tensor[(3,), float32]",
        "Tensor[(2,), float32]",
    }


def test_sizes_of_the_same_name_stay_apart() -> None:
    check_same_value(
        """
        def @beside[A](%x: A, %y: Tensor[(n), float32]) -> (A, Tensor[(n), float32]) { (%x, %y) }
        def @main(%x: Tensor[(n), float32], %y: Tensor[(5), float32]) { @beside(%x, %y) }
        """,
        np.ones(3, "f"),
        np.ones(5, "f"),
    )


def test_what_is_shared_is_computed_once() -> None:
    """A node that a generic function and its surroundings share is not copied with it."""
    x, y, a = Var("x", scalar_type("int32")), Var("y", scalar_type("bool")), TypeVar("A")
    shared = Call(Add(), (x, x))
    z = Var("z", a)
    function = Function((z,), Tuple((z, shared)), type_params=(a,))
    f = Var("f", function.type)
    calls = [Call(f, (each,), (each.type,)) for each in (x, y)]
    body = Let(f, function, Tuple((*calls, shared)))
    result = monomorphic(Module.of(Function((x, y), body)))
    assert sum(isinstance(e, Call) and e.op is Add() for e in post_order(result.main)) == 1


def test_a_local_function_makes_new_references_at_each_call() -> None:
    check_same_value("""
    def @main() {
      let %cell = fn [A](%x: A) -> (A, ref(int32)) { (%x, ref(1)) };
      let %a = %cell(True).1;
      let %b = %cell(2).1;
      ref_write(%a, 5);
      (ref_read(%a), ref_read(%b))
    }""")


def test_a_module_with_open_sizes_in_data_is_inferred_again() -> None:
    """A match does not forget a size that is bound outside of it and occurs in its pattern."""
    module = read("""
        type Maybe[A] { Neither, Just(A) }
        def @main(%x: Tensor[(n, 2), float32]) {
          %0 = match? (Just(%x)) { Neither => { %x }, Just(%t) => { %x } };
          let %cell = ref(%0);
          %cell
        }""")
    again = infer(monomorphic(module))
    assert again.main.type == module.main.type


@pytest.mark.parametrize(
    "text",
    [
        """type Maybe[A] { Neither, Just(A) }
        def @main(%x: Tensor[(n), float32]) {
          match (Just((%x, 1))) { Neither => { %x }, Just((%t, _)) => { %t } }
        }""",
        """type Box[A] { Box(A, Tensor[(n), float32]) }
        type Two { Two(Box[(Tensor[(n), float32], int32)]) }
        def @main(%x: Tensor[(n), float32], %y: Tensor[(m), float32]) {
          match (Two(Box((%x, 1), %y))) { Two(Box((%t, _), %u)) => { (%t, %u) } }
        }""",
    ],
)
def test_open_sizes_inside_patterns_are_inferred_again(text: str) -> None:
    """Variables inside tuples and constructors keep the sizes that their first types have."""
    module = read(text)
    assert infer(module).main.type == module.main.type
    assert infer(monomorphic(module)).main.type == module.main.type
