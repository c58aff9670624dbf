"""Naming values: the programs that come out, and that they mean the same."""

import numpy as np
import pytest

import relay
from relay.ir.equality import structural_equal
from relay.ir.expr import Call, Let, Var
from relay.ir.module import Module
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.semantics.well_formed import check_well_formed
from relay.transform.to_a_normal_form import ToANormalForm

HEAD = '#[version = "0.0.5"]\n'

CASES = {
    "a value that two branches use is computed before them": (
        """
def @main(%x: Tensor[(4), float32], %n: int32) -> Tensor[(4), float32] {
  %0 = exp(%x);
  if (less(%n, 1)) { add(%0, %x) } else { tanh(%0) }
}
""",
        """
def @main(%x: Tensor[(4), float32], %n: int32) -> Tensor[(4), float32] {
  let %b = less(%n, 1);
  let %a = exp(%x);
  if (%b) { add(%a, %x) } else { tanh(%a) }
}
""",
    ),
    "a value that one branch uses stays there": (
        """
def @main(%x: Tensor[(4), float32], %n: int32) -> Tensor[(4), float32] {
  if (less(%n, 1)) { add(exp(%x), %x) } else { %x }
}
""",
        """
def @main(%x: Tensor[(4), float32], %n: int32) -> Tensor[(4), float32] {
  let %b = less(%n, 1);
  if (%b) { let %a = exp(%x); add(%a, %x) } else { %x }
}
""",
    ),
    "a closure's surroundings compute what belongs to them": (
        """
def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
  %0 = exp(%x);
  let %f = fn (%y: Tensor[(4), float32]) { multiply(%0, tanh(%y)) };
  %f(%f(%0))
}
""",
        """
def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
  let %a = exp(%x);
  let %f = fn (%y: Tensor[(4), float32]) { let %b = tanh(%y); multiply(%a, %b) };
  let %c = %f(%a);
  %f(%c)
}
""",
    ),
    "a call in tail position stays there, a let inside a value comes out": (
        """
def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
  let %y = (let %z = exp(%x); add(%z, %z));
  @main(tanh(%y))
}
""",
        """
def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
  let %z = exp(%x);
  let %y = add(%z, %z);
  let %a = tanh(%y);
  @main(%a)
}
""",
    ),
}


def named(text: str) -> Module:
    module = ToANormalForm()(infer(relay.parse(HEAD + text)))
    check_well_formed(module)
    return module


@pytest.mark.parametrize("case", CASES)
def test_values_get_names(case: str):
    before, after = CASES[case]
    expected = infer(relay.parse(HEAD + after))
    assert structural_equal(named(before), expected), relay.astext(named(before))


@pytest.mark.parametrize("case", CASES)
def test_what_is_named_stays_as_it_is(case: str):
    after = named(CASES[case][1])
    assert structural_equal(ToANormalForm()(after), after)


def test_effects_keep_their_order():
    text = """
def @main(%x: float32) -> float32 {
  let %r = ref(%x);
  let %a = ref_read(%r);
  let %_ = ref_write(%r, add(%a, %a));
  subtract(ref_read(%r), %a)
}
"""
    assert evaluate(named(text), np.float32(3)) == 3


def test_a_value_that_is_bound_under_two_names():
    text = """
def @main(%x: float32) -> (float32, float32) {
  let %a = (let %b = (%0 = exp(%x); let %c = %0; %c); %b);
  (%a, %0)
}
"""
    check_well_formed(named(text))
    a, again = evaluate(named(text), np.float32(1))  # pyright: ignore[reportGeneralTypeIssues]
    assert a == again == np.exp(np.float32(1))


def test_a_call_behind_two_names_is_in_tail_position():
    text = """
def @main(%x: float32) -> float32 {
  let %a = @main(%x);
  let %b = %a;
  %b
}
"""
    assert isinstance(named(text).main.body, Call)


def test_a_long_chain():
    x = Var("x", relay.TensorType(()))
    chain = x
    for _ in range(5_000):
        chain = relay.tanh(chain)
    module = ToANormalForm()(Module.of(relay.Function((x,), chain)))
    body, count = module.main.body, 0
    while isinstance(body, Let):
        body, count = body.body, count + 1
    assert count == 4_999
