"""Options of passes: their types, and what callers in Python may mistake."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

import relay as typed
from relay.build.pipeline import optimize
from relay.classic.dataflow_pattern import rewrite
from relay.support.errors import RelayError
from relay.targets.cpu import this_cpu
from relay.transform.fuse_operators import FuseOperators
from relay.transform.instruments import PassPrintingInstrument
from relay.transform.parse_passes import passes_of
from relay.transform.pass_context import PassContext
from relay.transform.remove_unused_functions import RemoveUnusedFunctions
from relay.tune.pass_search import search_passes

relay: Any = typed
transform: Any = typed.transform
MODULE = typed.parse('#[version = "0.0.5"]def @main(%x: float32) { tanh(%x) }')


def _run(**context: Any) -> None:
    own = transform.module_pass(lambda mod, _: mod, opt_level=1, name="own")
    with PassContext(**context):
        transform.Sequential([transform.FoldConstant(), own])(MODULE)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: rewrite(cast("Any", 5), MODULE.main), "U302"),
        (lambda: relay.compile(MODULE, compilers=5), "T007"),
        (lambda: search_passes(MODULE, seconds=-3), "U010"),
        (lambda: search_passes(MODULE, seconds="x"), "U010"),  # pyright: ignore[reportArgumentType] - a mistake
        (lambda: transform.PartialEvaluate(limit="x"), "U321"),
        (lambda: transform.ToMixedPrecision(missing_op_mode=7), "U321"),
        (lambda: _run(disabled_pass=["FoldConstnat"]), "U320"),
        (lambda: _run(required_pass=["FoldConstan"]), "U320"),
        (lambda: _run(instruments=[PassPrintingInstrument(["fuse-opps"])]), "U320"),
        (lambda: PassPrintingInstrument("FuseOps"), "T007"),
    ],
)
def test_mistakes_have_codes(call: Callable[[], object], code: str):
    with pytest.raises(RelayError) as found:
        call()
    assert found.value.code == code


def test_passes_of_users_can_be_disabled_and_printed(capsys):
    _run(disabled_pass=["own", "FuseOps"])
    _run(instruments=[PassPrintingInstrument(["own"])])
    assert capsys.readouterr().out.startswith("// before own")


def test_a_context_may_name_passes_of_users_that_do_not_run_in_it():
    mine = transform.function_pass(lambda f, *_: f, opt_level=1, name="never-in-a-sequence")
    names = [mine.info.name]
    for context in (PassContext(disabled_pass=names), PassContext(required_pass=names)):
        with context:
            mine(MODULE)
            assert relay.compile(MODULE)(np.float32(0)) == 0


@pytest.mark.parametrize(
    "name",
    [
        "eliminate-common-subexpressions", "EliminateCommonSubexpressions",
        "eliminate-common-subexpr", "EliminateCommonSubexpr",
    ],
)  # fmt: skip
def test_a_context_takes_all_names_of_a_pass(name: str):
    def runs(context: PassContext) -> bool:
        found = [each.title() for each in optimize(this_cpu(), context)]
        return "eliminate-common-subexpressions" in found

    assert not runs(PassContext(disabled_pass=[name]))
    assert not runs(PassContext(required_pass=[name], disabled_pass=[name]))
    assert runs(PassContext(0, required_pass=[name]))
    assert not runs(PassContext(0))
    with PassContext(disabled_pass=[name]):
        optimize(this_cpu())  # the end of the context knows the name


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("AlterOpLayout", "ConvertLayout"),
        ("DeadCodeElimination", "ToGraphNormalForm"),
        ("FoldScaleAxis", "BackwardFoldScaleAxis"),
        ("fold-scale", "FoldScaleAxis"),
    ],
)
def test_a_name_denotes_one_pass_of_a_sequence(name: str, other: str):
    without = PassContext(disabled_pass=[name])
    assert without.wants(other, 3)
    assert not without.wants(name, 3)
    assert not PassContext(0, required_pass=[name]).wants(other, 3)
    assert not PassContext(disabled_pass=[other]).wants(other, 3)


def test_a_compilation_without_fusion_has_a_kernel_for_each_operator():
    def fused(context: PassContext) -> list[int]:
        passes = optimize(this_cpu(), context)
        return [each.limit for each in passes if isinstance(each, FuseOperators)]

    whole = FuseOperators().limit
    assert fused(PassContext()) == fused(PassContext(0, required_pass=["FuseOps"])) == [whole]
    for name in ("FuseOps", "fuse-operators"):
        assert fused(PassContext(disabled_pass=[name])) == [1]


def test_lists_become_tuples():
    (found,) = passes_of("remove-unused-functions{entries=['main']}")
    assert found == RemoveUnusedFunctions(("main",))
    assert transform.PartialEvaluate(limit=9, steps=3)(MODULE) is not None
