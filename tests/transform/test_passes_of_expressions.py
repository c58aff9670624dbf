"""Passes called with a function or another expression instead of a module."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay as typed
from relay.ir.equality import structural_equal
from relay.ir.expr import GlobalVar
from relay.ir.module import Module
from relay.ir.walk import free_vars, post_order
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.transform.pass_contract import TYPED
from relay.transform.tvm_passes import PASSES
from relay.transform.user_passes import Sequential
from tests.classic.running import data
from tools.fuzzing.programs.pass_cases import passes_of_line, read_case
from tools.fuzzing.programs.pass_draws import drawn_passes

relay: Any = typed
T = relay.transform

ADDS = {
    "Defunctionalization", "LambdaLift", "ToCPS", "behind-rows", "defunctionalize",
    "lower-complex", "monomorphize", "monomorphize-dims", "outline-devices", "over-many",
    "partition-graph", "pass-rows", "specialize-for-weights", "to-continuation-passing",
}  # fmt: skip
"""Passes whose golden tests add functions or data types to those that `main` itself needs.

Or whose golden tests change the types of functions that `main` calls.
"""

CHANGES_TYPES = {"open-existential-dims", "specialize"}
"""Passes that change the types of parameters, which are other variables then."""


def golden_cases() -> dict[str, Path]:
    """Return a golden case of each last pass that has one whose `main` is not recursive."""
    found = dict[str, Path]()
    for path in sorted(Path(__file__).parent.joinpath("golden").glob("*.rly")):
        text = path.read_text("utf-8")
        name = passes_of_line(text.splitlines()[0])[-1].info.name
        if "def @main(" in text and "recursive_entry" not in path.stem:
            found.setdefault(name, path)
    return found


CASES = golden_cases()


@pytest.mark.parametrize("name", CASES)
def test_a_pass_transforms_the_function_of_a_module_and_its_body(name: str):
    case = read_case(CASES[name])
    each, module = Sequential(case.passes), case.module
    main = module.main
    if name in ADDS:
        for expr in (main, main.body):
            with pytest.raises(relay.RelayError, match="U325"):
                each(expr, module)
        return
    wanted = each(module).main
    body = each(main.body, module)
    assert structural_equal(each(main, module), wanted)
    assert structural_equal(body, wanted.body, map_free_vars=True)
    assert name in CHANGES_TYPES or {*free_vars(body)} <= {*main.params}
    assert body.ty is not None


X, W = relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 3))
GRADIENT = "FirstOrderGradient"
VALUES = data(2, 3), data(4, 3)
WANTED = 3 * np.maximum(VALUES[0] @ VALUES[1].T, 0)
LAYER = relay.nn.relu(relay.nn.dense(X, W)) * (relay.const(2.0) + relay.const(1.0))

RECURSIVE = """
#[version = "0.0.5"]
def @main(%x: int32, %y: int32) -> int32 { if (%x == 0) { %y } else { @main(%x - 1, %y) } }
"""

REQUIRED = {
    "AnnotateTarget": "dnnl", "ChangeBatch": {}, "ChooseCheckpoints": 1000, "ConvertLayout": {},
    "MergeComposite": [], "SplitArgs": 8,
}  # fmt: skip
ADDS_FUNCTIONS = {"ToCPS", "to-continuation-passing"}


def every_pass() -> dict[str, Any]:
    """Return each pass of TVM and of ours that any program can be given to, by name."""
    of_tvm = {n: make(*([REQUIRED[n]] if n in REQUIRED else [])) for n, make in PASSES.items()}
    of_ours = {each.title(): each for each in drawn_passes() if each.requires <= TYPED}
    del of_ours["choose-checkpoints"]  # its budget is for other programs
    return {**of_tvm, **of_ours}


EVERY = every_pass()


@pytest.mark.parametrize("name", EVERY)
def test_every_pass_transforms_an_expression_with_free_variables(name: str):
    if name in ADDS_FUNCTIONS:
        with pytest.raises(relay.RelayError, match=r"U325.*adds a function, which"):
            EVERY[name](LAYER)
        return
    after = EVERY[name](LAYER)
    assert isinstance(after.checked_type, relay.TupleType if name == GRADIENT else relay.TensorType)
    function = relay.Function([X, W], after)  # the variables are the same objects
    found: Any = evaluate(infer(Module.of(function)), *VALUES)
    value = found[0] if name == GRADIENT else found
    tolerance = 1e-2 if name == "ToMixedPrecision" else 1e-5
    np.testing.assert_allclose(value, WANTED, rtol=tolerance)


def test_variables_without_types_get_types():
    w = relay.var("w")
    after = T.InferType()(relay.nn.dense(X, w, units=4))
    x, typed_w = relay.analysis.free_vars(after)
    assert x is X
    assert (typed_w.name_hint, typed_w.checked_type) == ("w", relay.TensorType((4, 3)))
    resized = T.ChangeBatch({X: 0}, 8)(relay.exp(X))
    assert relay.analysis.free_vars(resized)[0].checked_type == relay.TensorType((8, 3))


def test_functions_and_data_types_come_from_a_module():
    p = relay.Prelude()
    n = relay.var("n", shape=(), dtype="int32")
    length = p.length(p.cons(n, p.nil()))
    assert T.PartialEvaluate()(length, p).data == 1
    assert T.PartialEvaluate()(relay.Function([n], length), p.mod).body.data == 1
    only_data = T.FoldConstant()(relay.Tuple([p.cons(n, p.nil())]))
    assert only_data.checked_type.fields[0].head == p.list
    with pytest.raises(
        relay.RelayError, match=r"(?s)T021.*@length.*FoldConstant\(\)\(expr, module"
    ):
        T.InferType()(length)
    with pytest.raises(relay.RelayError, match="T007"):
        T.InferType()(p.mod, p.mod)


def test_functions_that_others_need_are_not_needed_by_an_expression():
    p = relay.Prelude()
    total = p.sum(p.nil())
    assert "sum_fn_1" in T.LambdaLift()(p.mod)
    assert structural_equal(T.LambdaLift()(total, p), T.InferType()(total, p))


def test_the_module_of_an_expression_is_named():
    mod = relay.parse('#[version = "0.0.5"]\ndef @f(%x: float32) { exp(%x) }')
    f = mod["f"]
    for args, code in (
        ((f, mod), "mod"),
        ((f.body, mod), "relay.IRModule.from_expr(expr, mod.functions, mod.type_definitions)"),
        ((f,), "relay.IRModule.from_expr(expr)"),
    ):
        with pytest.raises(relay.RelayError, match=re.escape(f"ToCPS(…)({code})")):
            T.ToCPS()(*args)


def test_a_recursive_function_of_a_module():
    module = infer(relay.parse(RECURSIVE))
    main = T.PartialEvaluate()(module["main"], module)
    assert any(isinstance(each, GlobalVar) for each in post_order(main))
    with pytest.raises(
        relay.RelayError, match=r"U325.*begins at @main, which the expression calls"
    ):
        T.PartialEvaluate()(module["main"].body, module)


def test_a_pass_that_changes_the_function_around_an_expression():
    @T.function_pass(opt_level=0)
    def add_parameter(function, mod, context):
        del mod, context
        return relay.Function([*function.params, relay.var("k", shape=(2,))], function.body)

    @T.module_pass(opt_level=0)
    def rename(mod, context):
        del context
        return relay.IRModule({"other": mod["main"]})

    function = relay.Function([X], relay.exp(X))
    assert len(add_parameter(function).params) == 2
    for each, why in ((add_parameter, "adds parameters"), (rename, "removes its function")):
        with pytest.raises(relay.RelayError, match=f"U325.*{why}"):
            each(function.body)
