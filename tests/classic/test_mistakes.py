"""Mistakes in classic programs, and classic names that are not there."""

from typing import Any

import numpy as np
import pytest

import relay as typed
from relay.ops.elementwise import Abs
from relay.transform.fold_constants import FoldConstants

relay: Any = typed
X = relay.var("x", shape=(2,))


def assign(value, key="main"):
    relay.IRModule()[key] = value


def set_again(value):
    w = relay.var("w", shape=(2,))
    lib = relay.build(relay.Function([X, w], X + w), params={"w": np.ones(2, np.float32)})
    module = relay.graph_executor.GraphModule(lib["default"](relay.cpu()))
    module.set_input(w=np.full(2, value, np.float32))


@pytest.mark.parametrize(
    ("code", "mistake"),
    [
        ("T031", lambda: assign(relay.Function([], X))),
        ("T038", lambda: assign(relay.Function([v := relay.Var("v", relay.TypeVar("a"))], v))),
        ("U001", lambda: relay.IRModule()["main"]),
        ("U001", lambda: relay.IRModule().update_func("f", relay.GlobalVar("g"))),
        ("U001", lambda: relay.IRModule().get_global_var("f")),
        ("U003", lambda: relay.IRModule(3)),
        ("U050", lambda: relay.IRModule().import_from_std("nope.rly")),
        ("U043", lambda: relay.build_module.bind_params_by_name(
            relay.Function([X, relay.var("x", shape=(2,))], X), {"x": 1.0})),
        ("U060", lambda: relay.transform.PassContext(opt_level=5)),
        ("U320", lambda: relay.transform.Sequential([], required=["NoSuchPass"])),
        ("T023", lambda: relay.Prelude().cons()),
        ("U062", lambda: relay.transform.PassContext(config={"relay.FuseOps.max_dept": 1})),
        ("U072", lambda: relay.transform.CollagePartition({})),
        ("U072", lambda: relay.transform.PassInfo(1, "P", [])),
        ("U074", lambda: relay.load_json('{"root": 1, "nodes": []}')),
        ("U074", lambda: relay.load_json("[1")),
        ("U074", lambda: relay.load_json("[" * 100_000)),
        ("U003", lambda: relay.save_param_dict({1: np.ones(2)})),
        ("U003", lambda: relay.save_param_dict([np.ones(2)])),
        ("U003", lambda: relay.save_param_dict({"a": "b"})),
        ("U003", lambda: relay.save({1: np.ones(2)}, "nowhere.relay")),
        ("U043", lambda: relay.transform.ChangeBatch({"x": 0}, 8)),
        ("U046", lambda: relay.transform.ToMixedPrecision("int8")),
        ("U003", lambda: relay.save_json(3)),
        ("R002", lambda: set_again(2.0)),
        ("U075", lambda: relay.transform.PassContext(instruments=[object()])),
        ("T012", lambda: relay.const(1.5, "int32")),
        ("T012", lambda: relay.const([1.0, float("nan")], "uint8")),
    ],
)  # fmt: skip
def test_a_mistake_has_a_code(code, mistake):
    with pytest.raises(typed.RelayError) as found:
        mistake()
    assert found.value.code == code


def test_every_absent_pass_says_what_to_do():
    absent = typed.transform.tvm_passes.ABSENT
    for name in absent:
        with pytest.raises(typed.RelayError) as found:
            getattr(relay.transform, name)(1, any_option=True)
        assert found.value.help == absent[name]
    assert "FoldConstant" in dir(relay.transform)
    with pytest.raises(AttributeError, match="FoldConstand"):
        _ = relay.transform.FoldConstand


def test_a_constructor_without_its_definition_is_no_program():
    head = relay.GlobalTypeVar("Box")
    box = relay.adt.Constructor("Box", [relay.scalar_type("float32")], head)
    module = relay.IRModule.from_expr(relay.Function([X], box(relay.const(1.0))))
    with pytest.raises(typed.RelayError) as found:
        relay.transform.InferType()(module)
    assert found.value.code == "T027"


@pytest.mark.parametrize(
    ("code", "help_", "mistake"),
    [
        ("U321", "InferType()(module)", lambda: relay.transform.InferType(relay.IRModule())),
        ("U321", "FoldConstants(…)(program)", lambda: FoldConstants(X)),
        (
            "U321",
            "DeadCodeElimination()(module)",
            lambda: relay.transform.DeadCodeElimination(relay.IRModule()),
        ),
        ("U069", "(mod, 'llvm'", lambda: relay.build(relay.Function([X], X), {"w": X})),
        ("T007", "relay.op.get('abs')", lambda: relay.Call("abs", [X])),
        ("T007", "relay.Call(Abs(…), args)", lambda: relay.Call(Abs, [X])),
        ("T007", "call the function itself", lambda: relay.Call(relay.abs, [X])),
        ("T007", "relay.const(1.0)", lambda: relay.Call(int, [X])),
        ("T014", 'dtype="float32"', lambda: relay.var("x", (2, 3), "float32")),
    ],
)
def test_the_help_of_a_mistake(code, help_, mistake):
    with pytest.raises(typed.RelayError) as found:
        mistake()
    assert found.value.code == code
    assert help_ in found.value.help
