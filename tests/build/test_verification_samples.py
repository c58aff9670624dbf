"""Rewrites that are wrong for a few inputs only: one of the samples finds them."""

from collections.abc import Callable
from itertools import combinations
from typing import Any, cast

import pytest

import relay
from relay.build.sample_inputs import random_inputs
from relay.build.suitable_samples import suitable_samples
from relay.build.verification_samples import DEEP, Sample
from relay.build.verify_passes import Verifier
from relay.ir.expr import Call, Constant, Constructor, Expr, Function, If, Tuple
from relay.ir.match_patterns import Match
from relay.ir.module import Module
from relay.ir.reference_cells import RefWrite
from relay.ir.walk import rewrite
from relay.ops.binary import Add, Divide, FloorDivide, Maximum, Minimum, Subtract
from relay.ops.comparison import Greater, LessEqual, NotEqual
from relay.ops.elementwise import Abs, Clip, IsNan
from relay.ops.logical import LogicalNot
from relay.semantics.evaluator_values import Data, Reference, Value
from relay.semantics.infer import infer
from relay.support.errors import CompileError
from relay.support.node import replace, value
from relay.transform.parse_passes import passes_of
from relay.transform.pipeline import Pass
from relay.transform.run_passes import run_passes
from relay.transform.to_a_normal_form import ToANormalForm


@value
class Rewrites(Pass):
    """A pass that is wrong: it applies a rule that does not hold for all values."""

    rule: Callable[[Expr], Expr | None]

    def transform(self, module: Module) -> Module:
        def rule(expr: Expr) -> Expr:
            new = self.rule(expr)
            return expr if new is None else new

        found = {k: cast("Function", rewrite(f, rule)) for k, f in module.functions.items()}
        return module.with_functions(found)


def _first_operand(expr: Expr) -> Expr | None:
    match expr:
        case Call(Abs() | Minimum() | Maximum() | Clip(), (x, *_)):
            return x
        case _:
            return None


def _second_operand(expr: Expr) -> Expr | None:
    match expr:
        case Call(Minimum(), (_, Constant() as y)):
            return y
        case _:
            return None


def _true_quotient(expr: Expr) -> Expr | None:
    return (
        Call(Divide(), expr.args) if isinstance(expr, Call) and expr.op == FloorDivide() else None
    )


def _first_branch(expr: Expr) -> Expr | None:
    return expr.then if isinstance(expr, If) else None


def _second_branch(expr: Expr) -> Expr | None:
    return expr.other if isinstance(expr, If) else None


def _no_write(expr: Expr) -> Expr | None:
    return Tuple(()) if isinstance(expr, RefWrite) else None


def _other_comparison(expr: Expr) -> Expr | None:
    match expr:
        case Call(Greater(), args):
            return Call(LogicalNot(), (Call(LessEqual(), args),))
        case _:
            return None


def _unequal_to_itself(expr: Expr) -> Expr | None:
    match expr:
        case Call(IsNan(), (x,)):
            return Call(NotEqual(), (x - x, x - x))
        case _:
            return None


def _wrong_end(expr: Expr) -> Expr | None:
    match expr:
        case Match(clauses=(first, end)):
            return replace(expr, clauses=(first, replace(end, body=first.body)))
        case _:
            return None


INTEGERS, BYTES = "(%x: Tensor[(1000), int32])", "(%x: Tensor[(1000), uint8])"
SMALL, FLOATS = "(%x: Tensor[(1000), int8])", "(%x: Tensor[(1000), float32])"
LIST = "type L { C(float32, L), N, }"
CASES = {
    "the sign of a float": (_first_operand, "(%x: float32) { abs(%x) }"),
    "the sign of an integer": (_first_operand, INTEGERS + "{ abs(%x) }"),
    "a negative quotient": (_true_quotient, INTEGERS + "{ floor_divide(%x, 2) }"),
    "a small maximum": (_first_operand, INTEGERS + "{ maximum(%x, 0) }"),
    "a small integer": (_first_operand, INTEGERS + "{ minimum(%x, 3) }"),
    "a large byte": (_first_operand, BYTES + "{ minimum(%x, 100u8) }"),
    "a large float": (_first_operand, FLOATS + "{ minimum(%x, 6f) }"),
    "large integers of a type": (_first_operand, SMALL + "{ clip(%x, a_min=-100f, a_max=100f) }"),
    "a large scalar": (_first_operand, "(%x: float16) { minimum(%x, 6f16) }"),
    "a small scalar": (_first_operand, "(%x: float32) { maximum(%x, -6f) }"),
    "the largest scalar": (_first_operand, "(%x: int8) { minimum(%x, 126i8) }"),
    "the smallest scalar": (_first_operand, "(%x: int64) { maximum(%x, -1000000i64) }"),
    "a small size": (
        _second_operand,
        "(%x: Tensor[(n), float32]) { sum(minimum(shape_of(%x), 2)) }",
    ),
    "a truth value": (
        _first_branch,
        "(%x: float32, %c: bool) -> float32 { if (%c) { %x } else { negative(%x) } }",
    ),
    "another truth value": (
        _first_branch,
        "(%x: float32, %c: bool) { if (logical_not(%c)) { %x } else { negative(%x) } }",
    ),
    "a scalar of 0": (_second_branch, "(%n: int32) { if (%n == 0) { 1 } else { 2 } }"),
    "0 beside another number": (
        _second_branch,
        "(%x: int64, %y: int64) { if (%y == 0i64) { %x != 0i64 } else { False } }",
    ),
    "an empty list": (_wrong_end, "(%l: L) { match (%l) { C(_, _) => 1f, N => tanh(2f) } }"),
    "what a reference holds": (
        _no_write,
        "(%r: ref(int32), %x: int32) { ref_write(%r, %x + 1); 3 }",
    ),
    "not a number": (_other_comparison, "(%x: Tensor[(8), float32]) { %x > 1f }"),
    "an infinity, although a difference is new": (_unequal_to_itself, FLOATS + "{ isnan(%x) }"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_sample_shows(name: str):
    rule, main = CASES[name]
    module = infer(relay.parse(f'#[version = "0.0.5"]\n{LIST}\ndef @main{main}'))
    with pytest.raises(CompileError, match=r"C041.*: the pass rewrites changed the results"):
        run_passes(module, [Rewrites(rule)], check=Verifier(values=True))


def _sum(expr: Expr) -> Expr | None:
    return Call(Add(), expr.args) if isinstance(expr, Call) and expr.op == Subtract() else None


DATA = {
    "(float32, float32)": "(%a, %b) => %a - %b",
    "Pair[Pair[float32]]": "P(P(%a, %b), _) => %a - %b",
    "(Option[float32], float32)": "(Some(%a), %b) => %a - %b, (_, %b) => %b",
    "ref(float32)": "%r => ref_read(%r) - 1f",
    "List[Tree]": "Cons(Node(%a, _), _) => %a - 1f, _ => 0f",
    "List[Color]": "Cons(Blue, _) => 3f - 1f, _ => 0f",
    "List[float32]": """
        Cons(_, Cons(_, Cons(_, Cons(_, Cons(%a, Cons(%b, Nil)))))) => %a - %b,
        _ => 0f""",
    "Tree": """
        Node(_, Cons(_, Cons(Node(_, Cons(Node(%a, _), Cons(Node(%b, _), _))), _))) => %a - %b,
        _ => 0f""",
}
TYPES = """#[version = "0.0.5"]
type Pair[A] { P(A, A) }
type Option[A] { Some(A), None }
type List[A] { Cons(A, List[A]), Nil }
type Tree { Node(float32, List[Tree]) }
type Color { Red, Blue }
type Record { R(%s) }"""


@pytest.mark.parametrize("field", DATA)
def test_values_of_a_data_type_are_compared_that_holds(field: str):
    body = f"match (%r) {{ R(%f) => match (%f) {{ {DATA[field]} }} }}"
    main = f"def @main(%r: Record) -> float32 {{ {body} }}"
    module = infer(relay.parse(f"{TYPES % field}\n{main}"))
    with pytest.raises(CompileError, match=r"C041.*: the pass rewrites changed the results"):
        run_passes(module, [Rewrites(_sum)], check=Verifier(values=True))


@pytest.mark.parametrize("field", ["List[Tree]", "Four", "Nest"])
def test_values_of_data_types_are_small(field: str):
    more = "type Four { F(Four, Four, Four, Four), E } type Nest { O(List[List[Nest]], Nest), I }"
    main = "def @main(%r: Record) -> int32 { 1 }"
    module = infer(relay.parse(f"{TYPES % field}\n{more}\n{main}"))
    (found,) = random_inputs(module, DEEP)
    assert 60 < _size(found) < 100  # with the ends


def _size(value: Any) -> int:
    return 1 + sum(map(_size, value.fields)) if isinstance(value, Data) else 0


def test_results_of_a_pass_that_changes_them_are_not_compared():
    text = '#[version = "0.0.5"]\ndef @main(%x: float32) { %x * %x }'
    check = Verifier(values=True)
    run_passes(
        infer(relay.parse(text)), passes_of("FirstOrderGradient,fold-constants"), check=check
    )
    reason = "the pass FirstOrderGradient changes what the program computes"
    assert check.not_compared == {"main": reason}


@value
class Rearranges(Pass):
    """A pass that is right, but rounds differently: it adds and subtracts a number."""

    def transform(self, module: Module) -> Module:
        body = module.main.body
        (cosine,) = [e for e in (body,) if isinstance(e, Call)]
        (x,) = cosine.args
        return module.with_function(
            "main", replace(module.main, body=Call(cosine.op, (x * 3.0 / 3.0,)))
        )


def test_rounding_errors_of_sensitive_programs_are_accepted():
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(1000), float32]) { cos(%x * 100f) }'
    run_passes(infer(relay.parse(text)), [Rearranges()], check=Verifier(values=True))


def test_a_large_number_of_steps_ends_a_sample_only():
    text = """#[version = "0.0.5"]
    def @count(%n: int32, %x: float32) -> float32 {
      if (%n == 0) { %x } else { @count(%n - 1, %x + 1f) }
    }
    def @main(%n: int32, %x: float32) { @count(%n, %x) }"""
    check = Verifier(values=True)
    run_passes(infer(relay.parse(text)), [ToANormalForm()], check=check)
    assert not check.not_compared


@pytest.mark.parametrize("params", ["%a: bool, %t: (bool, ref(bool))", "%r: R", "%a: bool, %q: Q"])
def test_samples_have_all_combinations_of_three_alternatives(params: str):
    types = "type R { Three(bool, (bool, bool)) }\ntype Q { A(bool), B, C(float32), D }"
    module = infer(relay.parse(f'#[version = "0.0.5"]\n{types}\ndef @main({params}) {{ () }}'))
    found = {_alternatives(random_inputs(module, s)) for s in suitable_samples(module, "main")}
    assert len(found) == 8


def _alternatives(values: list[Value]) -> str:
    """Return the truth values and the outermost constructors in values, as text."""
    stack, text = [*values], ""
    while stack:
        match stack.pop():
            case tuple() as fields:
                stack += fields
            case Reference(content=content):
                stack.append(content)
            case Data(Constructor(name="Three"), fields):
                stack += fields
            case Data(constructor):
                text += constructor.name
            case each:
                text += str(each)
    return text


def test_sixteen_samples_have_all_triples_of_eight_truth_values():
    rows = [Sample(number).choices((2,) * 8) for number in range(16)]
    for places in combinations(range(8), 3):
        assert len({tuple(row[place] for place in places) for row in rows}) == 8


def test_the_samples_of_values_that_decide_sizes_are_small():
    text = '#[version = "0.0.5"]\ndef @main(%n: Tensor[(1), int32]) { dyn.zeros(%n) }'
    module = infer(relay.parse(text))
    found = [each.most for each in suitable_samples(module, "main")]
    assert max(most or 1000 for most in found) < 1000
