"""Partial evaluation keeps values, always ends, and leaves nothing of what it knows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import relay
from relay.ir.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.module import Module
from relay.ir.walk import post_order
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.transform.partial_evaluation.partial_evaluate import PartialEvaluate
from tools.fuzzing.programs.choices import RandomChoices
from tools.fuzzing.programs.laws import keeps
from tools.fuzzing.programs.outcomes import expected
from tools.fuzzing.programs.pass_cases import read_case
from tools.fuzzing.programs.program import Program, random_program
from tools.fuzzing.programs.sizes import random_sizes

GOLDEN = Path(__file__).parents[1] / "golden"
KINDS = [{}, {"guarded_reads": True}, {"generic_values": True}, {"open_meetings": True}]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: next(iter(kind), "plain"))
@pytest.mark.parametrize("limit", [1 << 15, 100])
def test_values_are_kept(kind: dict[str, Any], limit: int):
    for number in range(12):
        drawn = random_program(RandomChoices(number), 30, **kind)
        program = Program(infer(drawn.module), drawn.inputs)
        keeps(PartialEvaluate(limit), program, expected(program.module, *program.inputs))


def test_sizes_are_tested_where_they_were():
    drawn = [random_sizes(RandomChoices(number)) for number in (68, 89, 255, 315, 316, 421, 549)]
    for program in [each for each in drawn if each is not None]:
        for inputs in program.runs[:2]:
            right = expected(program.module, *inputs)
            keeps(PartialEvaluate(), Program(program.module, inputs), right)


HEAD = '#[version = "0.0.5"]\n'
ENDLESS = {
    "a call of itself": "def @main(%x: float32) -> float32 { @main(%x) }",
    "what grows": """
        type List[A] { Cons(A, List[A]), Nil, }
        def @f(%xs: List[float32], %c: bool) -> float32 {
          if (%c) { @f(Cons(1f, %xs), %c) } else { 0f }
        }
        def @main(%c: bool) -> float32 { @f(Nil, %c) }""",
    "what grows without a decision": """
        type List[A] { Cons(A, List[A]), Nil, }
        def @f(%xs: List[float32]) -> float32 { @f(Cons(1f, %xs)) }
        def @main() -> float32 { @f(Nil) }""",
    "a function that makes functions": """
        def @f(%g: fn (int32) -> int32, %n: int32) -> fn (int32) -> int32 {
          if (%n == 0) { %g } else { @f(fn (%x: int32) -> int32 { %g(%x) + %n }, %n - 1) }
        }
        def @main(%n: int32) -> int32 { @f(fn (%x: int32) -> int32 { %x }, %n)(3) }""",
    "a function inside of itself": """
        def @f(%n: int32) -> fn (int32) -> int32 {
          fn (%m: int32) -> int32 { if (%m == 0) { %n } else { @f(%n + %m)(%m - 1) } }
        }
        def @main(%use: fn (fn (int32) -> int32) -> int32) -> int32 { %use(@f(1)) }""",
    "many branches": """
        type List[A] { Cons(A, List[A]), Nil, }
        def @f(%c: bool, %xs: List[float32], %sum: float32) -> float32 {
          match (%xs) {
            Cons(%x, %rest) => {
              if (%sum < %x) { @f(%c, %rest, %sum + %x) } else { @f(%c, %rest, tanh(%sum)) }
            },
            Nil => %sum,
          }
        }
        def @main(%c: bool, %x: float32) -> float32 {
          let %four = fn (%xs: List[float32]) { Cons(1f, Cons(2f, Cons(3f, Cons(%x, %xs)))) };
          @f(%c, %four(%four(%four(%four(%four(Nil))))), %x)
        }""",
    "more calls than anyone can count": """
        def @f(%m: int32, %n: int32, %x: float32) -> float32 {
          if (%m == 0) { tanh(%x) } else {
            if (%n == 0) { @f(%m - 1, 9, %x) } else { @f(%m - 1, 9, @f(%m, %n - 1, %x)) }
          }
        }
        def @main(%x: float32) -> float32 { @f(9, 9, %x) }""",
    "a loop through a cell": """
        def @main(%n: int32) -> int32 {
          let %self = ref(fn (%k: int32) -> int32 { %k });
          let %f = fn (%k: int32) -> int32 { if (%k == 0) { 0 } else { ref_read(%self)(%k - 1) } };
          ref_write(%self, %f);
          %f(%n)
        }""",
    "types that grow": """
        type List[A] { Cons(A, List[A]), Nil, }
        def @f[A](%x: A, %n: int32) -> int32 { if (%n == 0) { 0 } else { @f((%x, %x), %n - 1) } }
        def @main(%n: int32) -> int32 { @f(1f, %n) }""",
}


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS)
def test_it_ends(text: str):
    module = relay.parse(HEAD + text)
    after = PartialEvaluate(limit=2000, steps=32)(module)
    before = sum(len(post_order(each)) for each in module.functions.values())
    assert sum(len(post_order(each)) for each in after.functions.values()) < 3 * (2000 + before)


def residual(name: str) -> Module:
    source = GOLDEN.joinpath(f"partial_evaluate_{name}.rly").read_text(encoding="utf-8")
    return PartialEvaluate()(relay.parse(source.partition("// ---")[0]))


def kinds(module: Module) -> set[type[Expr]]:
    """Return of which classes the nodes are that functions are made of."""
    inside = (post_order(each.body) for each in module.functions.values())
    return {type(expr) for order in inside for expr in order if not isinstance(expr, Operator)}


STRAIGHT = {Var, Constant, Let, Call, Tuple, TupleGetItem}


def test_an_interpreter_leaves_the_program():
    after = residual("an_interpreter")
    assert kinds(after) == {Var, Constant, Let, Call, If, GlobalVar}
    assert [evaluate(after, np.int32(n)) for n in range(6)] == [1, 1, 2, 6, 24, 120]
    assert relay.compile(after)(np.int32(6)) == 720


def test_a_derivative_leaves_no_closure_and_no_cell():
    after = residual("backpropagators")
    assert kinds(after) <= STRAIGHT
    x, y = np.array([0.5, -1.0], np.float32), np.array([2.0, 0.25], np.float32)
    value, (d_x, d_y) = cast("Any", evaluate(after, x, y))
    slope = 1 - np.tanh(x * y) ** 2
    for found, wanted in [(value, np.tanh(x * y) + x), (d_x, slope * y + 1), (d_y, slope * x)]:
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_a_tree_leaves_straight_code():
    assert kinds(residual("a_tree_lstm")) <= STRAIGHT


def chain(x: Expr, length: int) -> Expr:
    for _ in range(length):
        x = relay.add(x, x)
    return x


def choices(x: Expr, length: int) -> Expr:
    condition, inner = relay.less(x, relay.const(1.0)), x
    for _ in range(length):
        inner = relay.If(condition, inner, relay.tanh(x))
    return inner


def calls(x: Expr, length: int) -> Expr:
    for _ in range(length):
        x = Call(Function((), x), ())
    return x


@pytest.mark.parametrize(("deep", "length"), [(chain, 3_000), (choices, 1000), (calls, 1000)])
def test_deep_programs(deep: Callable[[Expr, int], Expr], length: int):
    x = relay.var("x", shape=())
    module = infer(Module.of(Function((x,), deep(x, length))))
    before = len(post_order(module.main))
    after = len(post_order(PartialEvaluate()(module).main))
    assert after <= 3 * before


def test_functions_keep_the_results_that_they_declare():
    """Inference, which knows more of the body, would find another type."""
    module = read_case(GOLDEN / "partial_evaluate_keeps_promised_types.rly").module
    after = PartialEvaluate()(module)
    literals = [each for each in post_order(after.main.body) if isinstance(each, Function)]
    assert [str(each.result) for each in literals] == ["Tensor[(?,), float32]"]
