"""Regions for other compilers: which calls they have, and that programs stay what they are."""

from importlib.metadata import EntryPoints
from typing import Any

import numpy as np
import pytest

import relay as typed
from relay.build.verify_passes import Verifier
from relay.ir.expr import Call, Function
from relay.ir.module import Module
from relay.ir.walk import post_order
from relay.opdef.user_rules import HOOKS
from relay.ops.transcendental import Tanh
from relay.semantics.infer import infer
from relay.transform.compilers import external_compiler
from relay.transform.compilers.region_attributes import compiler_of, outside_regions
from relay.transform.pipeline import Pass
from relay.transform.run_passes import run_passes

relay: Any = typed
transform = relay.transform
is_op, wildcard = relay.dataflow_pattern.is_op, relay.dataflow_pattern.wildcard
HEAD = '#[version = "0.0.5"]\n'
PROGRAM = """def @main(%x: Tensor[(2, 4), float32], %w: Tensor[(4, 4), float32]) {
  %0 = nn.relu(nn.dense(%x, %w) + 1f);
  (nn.relu(nn.dense(%0, %w) + 2f), exp(%0))
}
"""
DIAMOND = """def @main(%x: Tensor[(2), float32]) {
  %0 = tanh(%x);
  %1 = exp(%0);
  %2 = tanh(%0 + 1f);
  (tanh(%1) + %2, %0)
}
"""


@pytest.fixture(autouse=True)
def _operators():
    """`t` supports some operators, `u` the exponential, too."""
    with (
        HOOKS.added(Tanh.name, "target.t", value(answer=True)),
        HOOKS.added("add", "target.t", lambda call: call.tensor_type.rank < 3),
        HOOKS.added("exp", "target.u", value(answer=True)),
    ):
        yield


def value(*, answer: bool) -> Any:
    return lambda _: answer


def after(text: str, *passes: Pass) -> Module:
    """The module after passes, each of which keeps what it computes."""
    return run_passes(infer(typed.parse(HEAD + text)), passes, check=Verifier(values=True))[0]


def regions(module: Module) -> list[tuple[str | None, list[str]]]:
    """The regions of main in order: the compiler, and the operators."""
    order = post_order(module.main.body, edges=outside_regions)
    calls = [each for each in order if compiler_of(each) is not None]
    return [(compiler_of(each), operators(each.op)) for each in calls if isinstance(each, Call)]


def operators(root: Any) -> list[str]:
    found = relay.analysis.list_op_freqs(typed.Module.of(root))
    return sorted(name for name, count in found.items() for _ in range(count))


@pytest.mark.parametrize("name", ["MergeComposite", "Legalize", "AnnotateTarget"])
def test_no_pass_is_blamed_for_a_function_of_the_user_that_fails(name: str):
    def fails(*_: Any) -> Any:
        raise ZeroDivisionError("of the user")

    passes = {
        "MergeComposite": transform.MergeComposite([("t.tanh", is_op("tanh")(wildcard()), fails)]),
        "Legalize": transform.Legalize("t.legalize"),
        "AnnotateTarget": transform.AnnotateTarget("v"),
    }
    with (
        HOOKS.added(Tanh.name, "t.legalize", fails),
        HOOKS.added(Tanh.name, "target.v", fails),
        pytest.raises(ZeroDivisionError, match="of the user"),
    ):
        after(DIAMOND, passes[name])


@pytest.mark.parametrize("entry", [("a",), ("a.b", 5), (5, wildcard()), ("a.b", wildcard(), 5), 5])
def test_an_entry_of_a_table_is_a_name_a_pattern_and_a_check(entry: Any):
    with pytest.raises(typed.RelayError, match="an entry of a pattern table") as found:
        transform.MergeComposite([entry])
    assert found.value.code == "T007"


def test_patterns_become_composite_functions():
    table = [
        ("t.small", is_op("nn.relu")(wildcard()), value(answer=False)),
        ("t.layer", is_op("nn.relu")(is_op("add")(wildcard(), wildcard())), None),
        ("t.dense", is_op("nn.dense")(wildcard(), wildcard())),
    ]
    module = after(PROGRAM, transform.MergeComposite(table))
    found = [e for e in post_order(module.main) if isinstance(e, Function) and e.attrs]
    assert [each.attrs["Composite"] for each in found] == ["t.dense", "t.layer"] * 2
    annotated = after(
        PROGRAM, transform.MergeComposite(table), transform.AnnotateTarget(["t", "u"])
    )
    assert [name for name, _ in regions(annotated)] == ["t"] * 4 + ["u"]
    merged = transform.MergeCompilerRegions()(annotated)
    assert sorted(regions(merged)) == [
        ("t", ["add", "add", "nn.dense", "nn.dense", "nn.relu", "nn.relu"]), ("u", ["exp"])
    ]  # fmt: skip


def test_calls_that_are_supported_become_regions():
    module = after(DIAMOND, transform.AnnotateTarget("t", include_non_call_ops=False))
    assert [names for _, (names,) in regions(module)] == ["tanh", "tanh", "add", "tanh", "add"]
    with_tuple = after(DIAMOND, transform.AnnotateTarget("t"))
    assert regions(with_tuple) == [*regions(module), ("t", [])]
    assert transform.AnnotateTarget("t")(with_tuple) is with_tuple
    assert regions(after(DIAMOND, transform.AnnotateTarget("v"))) == []


def test_regions_end_at_lets_and_branches():
    text = """def @main(%x: Tensor[(2), float32], %b: bool) {
      let %a = tanh(%x);
      let %c = %a + 1f;
      if (%b) { tanh(%c) } else { %c }
    }"""
    partition = transform.AnnotateTarget("t"), transform.MergeCompilerRegions()
    assert regions(after(text, *partition)) == [("t", ["tanh"]), ("t", ["add"]), ("t", ["tanh"])]
    as_graph = after(text, transform.ToGraphNormalForm(), *partition)
    assert regions(as_graph) == [("t", ["add", "tanh"]), ("t", ["tanh"])]


@pytest.mark.parametrize(("with_tuples", "count"), [(True, 1), (False, 3)])
def test_tuples_and_fields_between_calls_are_in_regions(with_tuples: bool, count: int):
    text = """def @main(%x: Tensor[(2), float32]) {
      %0 = (tanh(%x), %x + 1f);
      (tanh(%0.0), %0)
    }"""
    annotate = transform.AnnotateTarget("t", include_non_call_ops=with_tuples)
    assert len(regions(after(text, annotate, transform.MergeCompilerRegions()))) == count


def test_regions_are_merged_unless_a_path_leads_around():
    module = after(DIAMOND, transform.AnnotateTarget("t"), transform.MergeCompilerRegions())
    assert regions(module) == [("t", ["add", "tanh", "tanh"]), ("t", ["add", "tanh"])]
    both = after(DIAMOND, transform.AnnotateTarget(["t", "u"]), transform.MergeCompilerRegions())
    assert sorted(regions(both)) == [
        ("t", ["add", "tanh"]), ("t", ["add", "tanh", "tanh"]), ("u", ["exp"])
    ]  # fmt: skip
    assert transform.MergeCompilerRegions()(module) is module


def test_a_region_with_several_results_is_a_tuple():
    text = "def @main(%x: Tensor[(2), float32]) { %0 = tanh(%x); %1 = tanh(%0); (%0, exp(%1), %1) }"
    module = after(text, transform.AnnotateTarget("t"), transform.MergeCompilerRegions())
    (call,) = [e for e in post_order(module.main.body, edges=outside_regions) if compiler_of(e)]
    assert repr(call.ty) == "(Tensor[(2,), float32], Tensor[(2,), float32])"


def test_branches_keep_their_regions():
    text = """def @main(%x: Tensor[(2), float32], %b: bool) {
      %0 = tanh(%x);
      if (%b) { tanh(tanh(%0)) } else { %0 }
    }"""
    module = after(text, transform.AnnotateTarget("t"), transform.MergeCompilerRegions())
    assert regions(module) == [("t", ["tanh"]), ("t", ["tanh", "tanh"])]


def test_regions_become_global_functions():
    passes = [transform.AnnotateTarget("t"), transform.MergeCompilerRegions()]
    module = after(DIAMOND, *passes, transform.PartitionGraph())
    names = [name for name in module.functions if name != "main"]
    assert names == ["tvmgen_default_t_main_0", "tvmgen_default_t_main_1"]
    function = module["tvmgen_default_t_main_0"]
    assert dict(function.attrs) == {
        "Compiler": "t", "Primitive": 1, "Inline": 1, "global_symbol": names[0]
    }  # fmt: skip
    assert [param.name for param in function.params] == ["t_0_i0"]
    passed = after(DIAMOND, *passes, transform.PartitionGraph(bind_constants=False))
    assert (
        sum(len(f.params) for n, f in passed.functions.items() if n != "main") == 5
    )  # two are constants


def test_equal_regions_are_one_function():
    text = "def @main(%x: Tensor[(2), float32]) { tanh(exp(tanh(exp(tanh(%x))))) }"
    module = after(text, transform.AnnotateTarget("t"), transform.PartitionGraph("m"))
    assert [*module.functions] == ["main", "tvmgen_m_t_main_0"]


def test_long_chains_are_merged_in_linear_time():
    x = y = relay.var("x", shape=(2,))
    for _ in range(600):
        y = relay.exp(relay.tanh(relay.tanh(y)))
    module = infer(Module.of(relay.Function([x], y)))
    merged = transform.MergeCompilerRegions()(transform.AnnotateTarget("t")(module))
    assert len(regions(merged)) == 600
    assert np.isfinite(len(merged.functions))


def test_regions_without_their_compiler_are_evaluated():
    region = after(DIAMOND, transform.AnnotateTarget("t"))
    np.testing.assert_allclose(relay.compile(region)(np.zeros(2, np.float32))[1], 0)
    function = transform.PartitionGraph()(region)
    assert relay.create_executor("debug", mod=function).evaluate()(np.zeros(2, np.float32))
    with pytest.raises(typed.RelayError) as found:
        relay.compile(function)
    assert found.value.code == "C162"


def test_an_error_says_that_no_compiler_is_installed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(external_compiler, "entry_points", lambda **_: EntryPoints())
    with pytest.raises(typed.RelayError, match="installed compilers: none"):
        external_compiler.compiler_named("acme")
