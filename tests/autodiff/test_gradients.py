"""Gradients of programs: against finite differences where evaluated, and then compiled."""

from collections.abc import Callable
from math import perm
from typing import Any, NamedTuple

import numpy as np
import pytest

import relay
from relay import runtime
from relay.ir.expr import Call, Function, GlobalVar, If
from relay.ir.match_patterns import Match
from relay.ir.module import Module
from relay.ir.walk import post_order
from relay.ops.creation import Zeros, ZerosLike
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.transcendental import Sin
from relay.semantics.evaluate import evaluate
from relay.semantics.evaluator_values import Data
from relay.semantics.infer import infer
from relay.transform.forms.eta_expand import EtaExpand
from relay.transform.fuse_operators import FuseOperators
from relay.transform.monomorphize import Monomorphize
from tools.fuzzing.gradients import check_gradient
from tools.fuzzing.programs.executors import agrees

HEAD = '#[version = "0.0.5"]\nimport "prelude.rly"\n'
RNG = np.random.default_rng(3)
X, Y, M = RNG.standard_normal(3), RNG.standard_normal(3), RNG.standard_normal((2, 3))
ONE, TWO, FIVE = (np.array(each, np.int32) for each in (1, 2, 5))


def program(text: str) -> Module:
    """Return the typed module of a text; `V` stands for a vector of three, `D` for a number."""
    text = text.replace("V", "Tensor[(3), float64]").replace("D", "float64")
    return infer(relay.parse(HEAD + text))


class Case(NamedTuple):
    text: str
    args: tuple[Any, ...]
    argnums: tuple[int, ...] = (0,)


STRAIGHT = {
    "a tuple, whose fields share a value": Case(
        """def @main(%x: V, %y: Tensor[(2, 3), float64]) {
             let %a = sin(%x);
             let %t = (%a, multiply(%y, %a));
             let %u = %t.1;
             sum(multiply(exp(%u), %t.0))
           }""",
        (X, M),
        (0, 1),
    ),
    "graph sharing": Case(
        "def @main(%x: V) { %0 = sin(%x); %1 = %0 * %0; sum(%1 + %1 * %0) }", (X,)
    ),
    "a result that is a parameter": Case("def @main(%x: D, %y: D) { %x }", (X[0], X[1]), (0, 1)),
    "a result that is a constant": Case("def @main(%x: V) { 2f64 }", (X,)),
    "a tuple argument": Case(
        "def @main(%t: (V, int32, (D,))) { sum(%t.0 * %t.2.0) }", ((X, ONE, (Y[0],)),)
    ),
    "an operator that decomposes": Case(
        "def @main(%x: V) { sum(%x * nn.silu(%x)) }",
        (X,),
    ),
    "an operator with many results": Case(
        """def @main(%x: V) {
             let %s = split(%x, indices_or_sections=3);
             sum(%s.0 * %s.2)
           }""",
        (X,),
    ),
    "an operator of many arguments": Case(
        "def @main(%x: V, %y: V) { let %z = (%x, %y, %x); sum(sin(concatenate(%z))) }",
        (X, Y),
        (0, 1),
    ),
}
BRANCHING = {
    "a choice whose sides read different values": Case(
        """def @main(%x: V, %k: int32) {
             let %a = if (greater(%k, 0)) { let %s = sin(%x); %s * %s } else { %x + %x };
             sum(%a * %x)
           }""",
        (X, ONE),
    ),
    "a choice at the end": Case(
        "def @main(%x: V, %k: int32) { if (%k > 1) { sum(%x) } else { sum(%x * %x) } }",
        (X, ONE),
    ),
    "a choice in a choice, of tuples": Case(
        """def @main(%x: V, %y: V, %k: int32) {
             let %t = if (%k > 0) {
               let %a = if (%k > 3) { %x } else { let %b = cos(%y); %b * %b * %x };
               (%a, exp(%a))
             } else { (%x, %y) };
             sum(%t.0 * %t.1)
           }""",
        (X, Y, TWO),
        (0, 1),
    ),
    "recursion": Case(
        """def @pow(%x: V, %k: int32) -> V {
             if (%k > 0) { %x * @pow(%x, %k - 1) } else { sin(%x) }
           }
           def @main(%x: V, %k: int32) { sum(@pow(%x, %k)) }""",
        (X, TWO),
    ),
    "mutual recursion": Case(
        """def @even(%x: V, %k: int32) -> V { if (%k > 0) { @odd(sin(%x), %k - 1) } else { %x } }
           def @odd(%x: V, %k: int32) -> V { if (%k > 0) { %x * @even(%x, %k - 1) } else { %x } }
           def @main(%x: V, %k: int32) { sum(@even(%x, %k)) }""",
        (X, FIVE),
    ),
    "an entry that calls itself": Case(
        """def @main(%x: D, %k: int32) -> D {
             if (%k > 0) { %x * @main(%x, %k - 1) } else { 1f64 }
           }""",
        (X[0], FIVE),
    ),
    "a loop": Case(
        """def @loop(%x: V, %k: int32, %w: V) -> V {
             if (%k > 0) { @loop(sin(%x) * %w, %k - 1, %w) } else { %x * %w }
           }
           def @main(%x: V, %w: V, %k: int32) { sum(@loop(%x, %k, %w)) }""",
        (X, Y, FIVE),
        (0, 1),
    ),
    "a loop with two kinds of steps, and two ends": Case(
        """def @loop(%x: D, %k: int32) -> D {
             if (%k == 0) { %x * %x }
             else {
               let %y = sin(%x);
               if (%k == 9) { %y }
               else { if (%k == 3) { @loop(%y * %x, %k - 1) } else { @loop(%y + %x, %k - 1) } }
             }
           }
           def @main(%x: D, %k: int32) { @loop(%x, %k) }""",
        (X[0], FIVE),
    ),
    "a choice on the way to two ends": Case(
        """def @f(%x: V, %k: int32) -> V {
             let %a = if (%k > 1) { sin(%x) } else { %x * %x };
             if (%k > 2) { %a * %x } else { cos(%a) }
           }
           def @main(%x: V, %k: int32) { sum(@f(%x, %k) * @f(%x, %k + 1)) }""",
        (X, TWO),
    ),
    "no step of a loop": Case(
        """def @loop(%x: D, %k: int32) -> D { if (%k == 0) { %x } else { @loop(%x * %x, %k - 1) } }
           def @main(%x: D, %k: int32) { @loop(%x, %k) }""",
        (X[0], np.int32(0)),
    ),
    "a list that is built and read": Case(
        """def @sum_of(%l: List[V]) -> V {
             match (%l) {
               Nil => zeros(shape=[3], dtype="float64"),
               Cons(%h, %t) => %h * %h + @sum_of(%t)
             }
           }
           def @main(%x: V, %y: V, %k: int32) {
             let %l = Cons(%x, Cons(%y, Cons(sin(%x), Nil)));
             sum(@nth(%l, %k)) + sum(@sum_of(%l))
           }""",
        (X, Y, ONE),
        (0, 1),
    ),
    "patterns inside patterns": Case(
        """def @main(%x: V) {
             let %l = Cons((%x, 1), Cons((cos(%x), 2), Cons((exp(%x), 3), Nil)));
             sum(match (%l) {
               Cons((%a, _), Cons(_, Cons((%b, %k), Nil))) => if (%k > 2) { %a * %b } else { %a },
               _ => %x,
             })
           }""",
        (X,),
    ),
}
CLOSURES = {
    "a local loop": Case(
        """def @main(%x: V, %w: V, %k: int32) {
             let %loop = fn (%y: V, %i: int32) -> V {
               if (%i < %k) { %loop(sin(%y) * %w, %i + 1) } else { %y }
             };
             sum(%loop(%x, 0))
           }""",
        (X, Y, FIVE),
        (0, 1),
    ),
    "functions passed to functions of the prelude": Case(
        """def @main(%x: V, %y: D) {
             let %l = Cons(%x, Cons(sin(%x), Nil));
             let %f = fn (%a: V) { %a * %y };
             sum(@foldl(fn (%a: V, %b: V) { sin(%a) + %b * %x }, %x, @map(%f, %l)))
           }""",
        (X, Y[0]),
        (0, 1),
    ),
    "functions that are chosen, returned and captured": Case(
        """def @main(%x: V, %y: V, %k: int32) {
             let %f = if (%k > 1) { fn (%a: V) { %a * %x } } else {
               fn (%a: V) { let %g = fn (%b: V) { %b * %y }; %g(sin(%a)) }
             };
             let %compose = fn (%p: fn (V) -> V, %q: fn (V) -> V) { fn (%a: V) { %p(%q(%a)) } };
             let %h = %compose(%f, %f);
             sum(%h(%compose(%h, fn (%z: V) { %z + %y })(%x)))
           }""",
        (X, Y, ONE),
        (0, 1),
    ),
    "a function of integers that captures a float": Case(
        """def @main(%x: V, %k: int32) {
             let %t = sum(%x);
             let %f = fn (%i: int32) { if (%i > 0) { %t * 2f64 } else { 1f64 } };
             @foldl(fn (%a: D, %b: D) { %a * %b + sin(%a) }, %t, @map(%f, Cons(1, Cons(0, Nil))))
           }""",
        (X, ONE),
    ),
    "constructors and global functions as values": Case(
        """def @square(%a: V) -> V { %a * %a }
           def @main(%x: V) {
             let %l = @foldr(fn (%a: V, %b: List[V]) { Cons(@square(%a), %b) }, Nil, Cons(%x, Nil));
             sum(@foldl(fn (%a: V, %b: V) { %a + %b }, %x, @map(@square, %l)))
           }""",
        (X,),
    ),
}
REFERENCES = {
    "a cell that is written twice": Case(
        """def @main(%x: V) {
             let %r = ref(%x);
             let %a = ref_read(%r);
             let %u = ref_write(%r, sin(%a) * %x);
             let %b = ref_read(%r);
             let %v = ref_write(%r, %b * %b);
             sum(%a * ref_read(%r))
           }""",
        (X,),
    ),
    "a cell that functions and branches write": Case(
        """def @bump(%r: ref(V), %k: int32) -> () {
             if (%k > 0) {
               let %u = ref_write(%r, sin(ref_read(%r)) * ref_read(%r));
               @bump(%r, %k - 1)
             } else { () }
           }
           def @main(%x: V, %k: int32) {
             let %r = ref(%x * %x);
             let %s = (%r, 3);
             let %u = @bump(%s.0, %k);
             let %w = if (%k > 1) { ref_write(%r, ref_read(%r) * %x) } else { () };
             sum(%x * ref_read(%r))
           }""",
        (X, FIVE),
    ),
    "a cell that holds functions": Case(
        """def @main(%x: V) {
             let %r = ref(fn (%a: V) -> V { %a * %x });
             let %old = ref_read(%r);
             let %u = ref_write(%r, fn (%a: V) -> V { sin(%old(%a)) * %x });
             let %g = ref_read(%r);
             sum(%g(%g(%x)))
           }""",
        (X,),
    ),
    "a node that some branches need, and that may trap": Case(
        """def @main(%x: V, %k: int32) {
             %0 = take(%x, %k, axis=0, mode="raise");
             if (%k > 1) { if (%k > 2) { 1f64 } else { %0 * sum(%x) } } else { sin(%0) }
           }""",
        (X, TWO),
    ),
}
OPEN = {
    "a loop over a vector of any length": Case(
        """def @loop(%x: Tensor[(n), float64], %k: int32) -> Tensor[(n), float64] {
             if (%k > 0) { @loop(sin(%x) * %x, %k - 1) } else { %x }
           }
           def @main(%x: Tensor[(n), float64], %k: int32) { sum(@loop(%x, %k)) }""",
        (X, FIVE),
    ),
    "sizes that only the way back needs": Case(
        """def @f(%x: Tensor[(n), float64], %y: Tensor[(m), float64], %k: int32) -> D {
             if (%k > 0) {
               let %z = concatenate((sin(%x), %y));
               sum(strided_slice(%z, begin=[0], end=[n], strides=[1]))
                 + sum(reshape(%z, newshape=[n + m, 1]))
             } else { 1f64 }
           }
           def @main(%x: Tensor[(n), float64], %y: Tensor[(m), float64], %k: int32) {
             @f(%x, %y, %k) * @f(%x * %x, %y, %k)
           }""",
        (X, Y[:2], ONE),
        (0, 1),
    ),
    "sizes of which the way back knows the product": Case(
        """def @f(%x: Tensor[(n, m), float64], %k: int32) -> D {
             if (%k > 0) { sum(reshape(%x, newshape=[n * m, 1])) } else { 1f64 }
           }
           def @main(%x: Tensor[(n, m), float64], %k: int32) { @f(%x, %k) * @f(%x * %x, %k) }""",
        (M, ONE),
    ),
    "closures and references of any length": Case(
        """def @main(%x: Tensor[(n), float64]) {
             let %r = ref(%x * %x);
             let %f = fn (%y: Tensor[(n), float64]) -> Tensor[(n), float64] {
               let %u = ref_write(%r, ref_read(%r) * %y);
               %y * ref_read(%r)
             };
             sum(@foldl(fn (%a: Tensor[(n), float64], %b: Tensor[(n), float64])
                        -> Tensor[(n), float64] { %a * %b + %x },
                        %x, @map(%f, Cons(%x, Cons(sin(%x), Nil)))))
           }""",
        (X,),
    ),
}
ALL = {**OPEN, **BRANCHING, **CLOSURES, **REFERENCES}


@pytest.mark.parametrize("case", STRAIGHT.values(), ids=STRAIGHT)
def test_straight_code_has_a_straight_gradient(case: Case) -> None:
    derived = check_gradient(program(case.text), case.args, case.argnums)
    nodes = post_order(*derived.functions.values())
    assert not any(isinstance(each, If | Match | GlobalVar) for each in nodes)
    assert agrees(relay.compile(derived)(*case.args), evaluate(derived, *case.args))


@pytest.mark.parametrize("case", ALL.values(), ids=ALL)
def test_programs(case: Case) -> None:
    derived = check_gradient(program(case.text), case.args, case.argnums)
    assert agrees(relay.compile(derived)(*case.args), evaluate(derived, *case.args))


def test_zeros_are_not_written() -> None:
    """Of a tuple only the field that is read has a derivative, and it is that of one path."""
    text = "def @main(%x: V) { let %t = ((%x, %x), sin(%x), exp(%x)); sum(%t.1) }"
    derived = relay.grad(program(text))
    operators = [each.op for each in post_order(derived.main) if isinstance(each, Call)]
    assert not any(isinstance(each, Zeros | ZerosLike) for each in operators)


def test_a_derivative_prints_and_reads_back() -> None:
    derived = relay.grad(program(BRANCHING["a loop"].text))
    assert relay.structural_equal(relay.parse(derived.astext()), derived)


def test_a_gradient_by_data_has_its_structure() -> None:
    """Numbers and lists of them are their own gradient types; what holds integers has another."""
    text = """
      type Expr { Leaf(int32, D), Node(Expr, Expr), }
      def @total(%t: Expr) -> D { match (%t) { Leaf(_, %x) => sin(%x), Node(%a, _) => @total(%a) } }
      def @main(%l: List[D], %t: Expr) {
        (match (%l) { Cons(%a, _) => %a * %a, Nil => 0f64 }) * @total(%t)
      }"""
    module = program(text)
    of = module.constructors()
    nil = Data(of["Nil"], ())
    numbers = Data(of["Cons"], (X[0], Data(of["Cons"], (X[1], nil))))
    leaves = [Data(of["Leaf"], (ONE, each)) for each in Y[:2]]
    tree = Data(of["Node"], (Data(of["Node"], (leaves[0], leaves[1])), leaves[1]))
    derived = check_gradient(module, (numbers, tree), (0, 1))
    found = relay.compile(derived)(numbers, tree)
    assert agrees(found, evaluate(derived, numbers, tree))
    slope, rest = found[1][0].fields
    assert found[1][0].constructor == "Cons"
    assert slope == pytest.approx(2 * X[0] * np.sin(Y[0]))
    assert rest.fields[0] == 0.0
    assert found[1][1].constructor == "NodeGradient"


def number(value: float) -> runtime.Data:
    """Return an optional number, whose constructor is given by its name."""
    return runtime.Data("Some", (np.array(value),))


POLYMORPHIC = """
  def @main(%a: Option[int32], %b: Option[float64]) -> D {
    match (%b) {
      Some(%x) => match (%a) { Some(%i) => sin(%x) * cast(%i, dtype="float64"), None => %x },
      None => 0f64,
    }
  }"""


@pytest.mark.parametrize(
    ("derive", "more"),
    [(relay.grad, ()), (relay.vjp, (np.array(1.0),)), (relay.jvp, (number(1.0),))],
)
def test_derivatives_keep_the_constructors_of_generic_types(derive: Any, more: Any) -> None:
    """They do so in printed derivatives, too."""
    module, args = program(POLYMORPHIC), (runtime.Data("Some", (TWO,)), number(0.5))
    derived = derive(module, "b")
    evaluated: Any = evaluate(derived, *args, *more)
    found = relay.compile(relay.parse(str(derived)))(*args, *more)
    assert agrees(found, evaluated)
    last = found if derive is relay.grad else found[1]
    step = 1e-6
    ends: list[Any] = [evaluate(module, args[0], number(0.5 + each)) for each in (step, -step)]
    assert (last if derive is relay.jvp else last.fields[0]) == pytest.approx(
        (ends[0] - ends[1]) / (2 * step), rel=1e-7
    )
    assert derive is relay.jvp or last.constructor == "Some"


def test_generic_types_that_only_the_program_uses_keep_the_names_of_the_others() -> None:
    """The function in a field becomes data, and has no generic type afterwards."""
    text = """
      type Map[A] { Map(fn (A) -> A) }
      def @main(%l: List[(D, int32)], %o: Option[D]) -> D {
        let %m = Map(fn (%x: D) { %x * %x });
        let %n = Map(fn (%i: int32) { %i });
        let %k = @map(fn (%p: (D, int32)) { match (%n) {
          Map(%g) => %p.0 * cast(%g(%p.1), dtype="float64") } }, %l);
        match (%k) { Cons(%x, _) => match (%m) { Map(%f) => %f(%x) }, Nil => 0f64 }
      }"""
    derived = relay.grad(program(text), 0)
    args = runtime.Data("Cons", ((X[0], TWO), runtime.Data("Nil"))), number(1.0)
    found = relay.compile(derived)(*args)
    assert found.constructor == "ConsGradient"
    assert found.fields[0][0] == pytest.approx(8 * X[0])
    assert agrees(found, evaluate(derived, *args))


FIELDS = {
    "references": (
        """type Cell[A] { Held(A), Cell(ref(A)) }
        type Pair[A] { Pair(Cell[A], A) }
        def @main(%a: Pair[int32], %b: Pair[D]) -> D {
          match (%b) { Pair(Held(%x), %y) => %x * %x * %y, Pair(Cell(%r), _) => ref_read(%r) }
        }""",
        lambda x: runtime.Data("Pair", (runtime.Data("Held", (x,)), x)),
    ),
    "functions": (
        """type Lazy[A] { Held(A), Lazy(fn (A) -> A, Lazy[A]) }
        def @force(%l: Lazy[int32]) -> int32 {
          match (%l) { Held(%x) => %x, Lazy(%f, %more) => %f(@force(%more)) }
        }
        def @main(%a: Lazy[int32], %b: Lazy[D]) -> D {
          let %n = @force(Lazy(fn (%i: int32) { %i * %i }, %a));
          match (%b) {
            Held(%x) => %x * %x * %x * cast(%n, dtype="float64"), Lazy(%f, _) => %f(1f64) }
        }""",
        lambda x: runtime.Data("Held", (x,)),
    ),
}


@pytest.mark.parametrize(("text", "value"), FIELDS.values(), ids=FIELDS)
def test_types_with_functions_or_references_keep_their_names(text: str, value: Any) -> None:
    """Their fields have other types in a derivative: these become type arguments."""
    derived = relay.grad(program(text), "b")
    args = value(np.array(1, np.int32)), value(X[0])
    found = relay.compile(relay.parse(str(derived)))(*args)
    assert agrees(found, evaluate(derived, *args))
    slope = found.fields[0].fields[0] if len(found.fields) == 2 else found.fields[0]
    assert slope == pytest.approx((2 if len(found.fields) == 2 else 3) * X[0] ** 2)


def test_a_type_that_refers_to_itself_keeps_its_own_names() -> None:
    """A type argument for the reference would contain itself."""
    text = """
      type Chain[A] { End, Link(A, ref(Chain[A])) }
      def @main(%x: D) -> D {
        let %a = Link(%x, ref(End));
        let %b = Link(1, ref(End));
        match (%a) { Link(%y, _) => %y * %y, End => 0f64 }
      }"""
    assert evaluate(relay.grad(program(text), 0), X[0]) == pytest.approx(2 * X[0])


def test_derivatives_of_monomorphic_programs_keep_their_names() -> None:
    module = Monomorphize()(program(POLYMORPHIC))
    args = runtime.Data("Some", (TWO,)), runtime.Data("Some_1", (X[0],))
    assert relay.compile(relay.grad(module, "b"))(*args).constructor == "Some_1"


ORDERS: dict[str, tuple[str, Callable[[int], float]]] = {
    "straight code": (
        "def @main(%x: D) { sin(%x) * exp(%x) }",
        lambda n: 2 ** (n / 2) * np.exp(0.5) * np.sin(0.5 + n * np.pi / 4),
    ),
    "recursion": (
        """def @power(%x: D, %k: int32) -> D {
             if (%k > 0) { %x * @power(%x, %k - 1) } else { 1f64 }
           }
           def @main(%x: D) -> D { @power(%x, 6) }""",
        lambda n: perm(6, n) * 0.5 ** (6 - n),
    ),
}
SECOND = {
    "a loop": FIVE,
    "a list that is built and read": ONE,
    "a cell that functions and branches write": TWO,
    "a function of integers that captures a float": ONE,
}


@pytest.mark.parametrize(("text", "closed_form"), ORDERS.values(), ids=ORDERS)
def test_derivatives_of_order_five(text: str, closed_form: Callable[[int], float]) -> None:
    derived = program(text)
    for order in range(1, 6):
        derived = relay.grad(derived)
        assert evaluate(derived, 0.5) == pytest.approx(closed_form(order))


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives(name: str) -> None:
    """The gradient of a number that depends on the gradient."""
    case = ALL[name]
    args = [*case.args[:-1], SECOND[name]]
    first = relay.grad(program(case.text)).module
    slope = Call(Sum(), (Call(Sin(), (first.main.body,)),))
    second = first.with_function("main", Function(first.main.params, slope))
    check_gradient(second, args, tolerance=1e-4)


def test_kernels_have_the_derivatives_of_their_operators() -> None:
    """Called, as a global function, and as a value."""
    module = program(
        """def @f(%f: fn(V) -> V, %x: V) { %f(%x) }
           def @kernel(%x: V, Primitive=1) -> V { sin(%x) * %x }
           def @main(%x: V) { sum(exp(%x) * @kernel(%x)) + sum(@f(fn (%y: V) { cos(%y) }, %x)) }"""
    )
    fused = EtaExpand(kernels=True)(FuseOperators()(module))
    assert agrees(*(evaluate(relay.value_and_grad(each), X) for each in (fused, module)))
