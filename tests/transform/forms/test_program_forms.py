"""Program forms on larger programs: compiled ones, deep ones, and those that have no such form."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.build.verify_passes import Verifier
from relay.ir.expr import Call, Function, GlobalVar, Let, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ops.transcendental import Tanh
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.transform.forms.defunctionalize import Defunctionalize
from relay.transform.forms.lambda_lift import LambdaLift
from relay.transform.forms.to_basic_block_form import ToBasicBlockForm
from relay.transform.forms.to_continuation_passing import ToContinuationPassing
from relay.transform.monomorphize import Monomorphize
from relay.transform.pipeline import Pass
from relay.transform.run_passes import run_passes

HEAD = '#[version = "0.0.5"]\nimport "prelude.rly"\n'
FORMS = [LambdaLift(), ToBasicBlockForm(), ToContinuationPassing(), Defunctionalize()]
classic: Any = relay

LISTS = """
def @twice[A](%f: fn(A) -> A, %x: A) -> A { %f(%f(%x)) }
def @inc(%x: float32) -> float32 { %x + 1f }
def @main(%x: Tensor[(4), float32], %n: int32) -> (Tensor[(4), float32], float32, float32) {
  let %y = exp(%x);
  let %f = fn (%z: Tensor[(4), float32]) { %y * %z };
  let %loop = fn (%i: int32, %a: Tensor[(4), float32]) -> Tensor[(4), float32] {
    if (%i < %n) { %loop(%i + 1, %f(%a) + %y) } else { %a }
  };
  let %ones = @map(@inc, @map(@inc, Cons(1f, Nil())));
  (%loop(0, %x), @twice(@twice(fn (%f: fn(float32) -> float32) {
    fn (%z: float32) { %f(%z) + 3f }
  }, @inc), 2f), @foldl(fn (%a: float32, %b: float32) { %a + %b * 2f }, 0f, %ones))
}
"""
CELLS = """
def @count(%cell: ref(int32), %n: int32) -> int32 {
  let %w = ref_write(%cell, ref_read(%cell) + %n);
  ref_read(%cell)
}
def @main(%x: int32) -> (int32, int32, int32) {
  let %cell = ref(%x);
  let %count = fn (%n: int32) { @count(%cell, %n) };
  (%count(1), if (%count(2) < 5) { %count(10) } else { %count(20) }, ref_read(%cell))
}
"""


@pytest.mark.parametrize("each", FORMS, ids=lambda each: each.title())
def test_programs_in_another_form_compute_the_same(each: Pass):
    x = np.linspace(-1, 1, 4).astype(np.float32)
    for text, inputs in [(LISTS, (x, np.int32(3))), (CELLS, (np.int32(2),))]:
        module = infer(relay.parse(HEAD + text))
        after, _ = run_passes(module, [each], check=Verifier(values=True))
        again = relay.parse(after.astext())
        results: list[Any] = [evaluate(module, *inputs), evaluate(again, *inputs)]
        results.append(relay.compile(after)(*inputs))
        for expected, found, native in zip(*results, strict=True):
            np.testing.assert_array_equal(found, expected)
            np.testing.assert_allclose(native, expected, rtol=1e-5)


def test_lifted_functions_that_call_themselves_are_monomorphic():
    run_passes(infer(relay.parse(HEAD + LISTS)), [LambdaLift(), Monomorphize()], check=Verifier())


@pytest.mark.parametrize("each", FORMS, ids=lambda each: each.title())
def test_sizes_that_closures_know(each: Pass):
    module = infer(relay.parse(HEAD + """
def @main(%x: Tensor[(2, 3), float32]) -> Tensor[(?, ?), float32] { @rows(%x) }
def @rows(%x: Tensor[(n, m), float32]) -> Tensor[(n, m), float32] {
  let %f = fn (%y: Tensor[(k, m), float32]) -> Tensor[(k, m), float32] {
    %y + zeros(shape=[m], dtype="float32")
  };
  let %g = fn (%y: Tensor[(n, m), float32]) { %f(%x) * %y };
  %g(%x)
}
"""))  # fmt: skip
    run_passes(module, [each], check=Verifier(values=True))


@pytest.mark.parametrize("each", FORMS, ids=lambda each: each.title())
def test_long_programs(each: Pass):
    """A chain of calls, each with its own closure, is not walked by recursion."""
    x = Var("x", TensorType((2,)))
    step = Function((y := Var("y", x.type),), Call(Tanh(), (y,)))
    body = value = x
    lets: list[tuple[Var, Call]] = []
    for _ in range(1500):
        call = Call(GlobalVar("step", ty=step.type), (value,))
        lets.append((value := Var("v", x.type), call))
    body = value
    for var, call in reversed(lets):
        body = Let(var, call, body)
    after = each(Module({"main": Function((x,), body), "step": step}))
    zeros = np.zeros(2, np.float32)
    np.testing.assert_array_equal(evaluate(after, zeros), zeros)


def test_an_entry_that_takes_functions_has_no_other_form():
    text = "type Box { Put(fn (int32) -> int32) }\ndef @main(%x: Box) -> int32 { 1 }"
    module = infer(relay.parse('#[version = "0.0.5"]\n' + text))
    for each in (ToContinuationPassing(), Defunctionalize()):
        with pytest.raises(relay.RelayError) as found:
            each(module)
        assert found.value.code == "C160"
    with pytest.raises(relay.RelayError) as found:
        classic.transform.to_cps(module.main, module)
    assert found.value.code == "C160"


def test_a_function_that_knows_a_size_of_a_list_is_no_data():
    module = infer(relay.parse(HEAD + """
def @main(%xs: List[Tensor[(?), float32]]) -> Tensor[(?), float32] {
  match? (%xs) {
    Cons(%x: Tensor[(n), float32], _) => {
      let %f = fn (%y: Tensor[(n), float32]) -> Tensor[(n), float32] { %y * 2f };
      @apply(%f, %x)
    }
  }
}
def @apply(%f: fn(Tensor[(?), float32]) -> Tensor[(?), float32], %x: Tensor[(?), float32]) {
  %f(%x)
}
"""))  # fmt: skip
    with pytest.raises(relay.RelayError) as found:
        Defunctionalize()(module)
    assert found.value.code == "C161"
    run_passes(module, [LambdaLift()], check=Verifier())


def test_classic_functions_change_a_function_and_its_module():
    mod = classic.IRModule(relay.parse('#[version = "0.0.5"]\n' + LISTS.partition("def @main")[0]))
    x = classic.var("x", shape=(), dtype="float32")
    inc = classic.GlobalVar("inc")
    function = classic.Function([x], classic.GlobalVar("twice")(inc, inc(x)))
    in_cps = classic.transform.to_cps(function, mod)
    assert "twice_cps" in mod
    assert len(in_cps.params) == 2
    mod["main"] = classic.transform.un_cps(in_cps)
    assert classic.create_executor("debug", mod=mod).evaluate()(np.float32(1)) == 4
    mod["main"] = classic.transform.Defunctionalization(function, mod)
    assert "twice_cps" not in mod
    assert classic.create_executor("debug", mod=mod).evaluate()(np.float32(1)) == 4


def test_basic_block_form_is_checked():
    shared = infer(relay.parse('#[version = "0.0.5"]\n' + """
def @main(%x: float32, %b: bool) {
  %0 = exp(%x);
  if (%b) { %0 } else { tanh(%0) }
}"""))  # fmt: skip
    classic.analysis.check_basic_block_normal_form(ToBasicBlockForm()(shared).main)
    with pytest.raises(relay.RelayError) as found:
        classic.analysis.check_basic_block_normal_form(shared.main)
    assert found.value.code == "T049"


def test_a_function_without_a_module_in_continuation_passing_style():
    """Its data types are those of its constructors, of which it may know only some."""
    module = infer(
        relay.parse("""#[version = "0.0.5"]
type Some { Most(float64), Other, Last(float64) }
def @main(%x: float64) -> float64 { match (Last(%x)) { Last(%y) => %y * %y, _ => %x } }""")
    )
    styled = relay.transform.to_cps(module.main)
    plain = relay.transform.un_cps(styled)
    assert evaluate(module.with_function("main", plain), 3.0) == 9.0
