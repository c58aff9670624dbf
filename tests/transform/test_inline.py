"""Bodies in the place of calls: which functions are taken, and that programs mean the same."""

import numpy as np

import relay
from relay.ir.module import Module
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.semantics.well_formed import check_types, check_well_formed
from relay.transform.inline import Inline

HEAD = '#[version = "0.0.5"]\n'
X = np.array([0.5, -1], np.float32)


def inlined(text: str, **options: int) -> Module:
    before = infer(relay.parse(HEAD + text))
    after = Inline(**options)(before)
    check_well_formed(after)
    check_types(after)
    np.testing.assert_array_equal(evaluate(after, X), evaluate(before, X))
    return after


CHAIN = """
def @square(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { let %y = exp(%x); multiply(%y, %y) }
def @twice(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { @square(@square(%x)) }
def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { add(@twice(%x), @square(%x)) }
"""


def test_small_functions_disappear():
    assert set(inlined(CHAIN).functions) == {"main"}


def test_large_ones_stay():
    assert set(inlined(CHAIN, limit=3).functions) == {"main", "square"}


def test_those_that_are_called_once_disappear_whatever_their_size():
    assert set(inlined(CHAIN, limit=8).functions) == {"main"}


def test_recursive_ones_stay_and_take_others_in():
    after = inlined("""
def @step(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { tanh(%x) }
def @loop(%n: int32, %x: Tensor[(2), float32]) -> Tensor[(2), float32] {
  if (less(%n, 1)) { %x } else { @loop(subtract(%n, 1), @step(%x)) }
}
def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { @loop(5, %x) }
""")
    assert set(after.functions) == {"loop", "main"}


def test_effects_of_arguments_come_first_and_once():
    after = inlined("""
def @second(%a: float32, %b: float32, %r: ref(float32)) -> float32 { subtract(ref_read(%r), %b) }
def @bump(%r: ref(float32)) -> float32 {
  let %_ = ref_write(%r, add(ref_read(%r), 1f));
  ref_read(%r)
}
def @main(%x: Tensor[(2), float32]) -> float32 {
  let %r = ref(1f);
  @second(@bump(%r), @bump(%r), %r)
}
""")
    assert set(after.functions) == {"main"}


def test_a_function_that_is_a_value_stays():
    after = inlined("""
def @double(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { add(%x, %x) }
def @apply(%f: fn (Tensor[(2), float32]) -> Tensor[(2), float32], %x: Tensor[(2), float32]) {
  %f(%x)
}
def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { @double(@apply(@double, %x)) }
""")
    assert set(after.functions) == {"double", "main"}
