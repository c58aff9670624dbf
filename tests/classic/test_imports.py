"""Imports that classic programs begin with, with `relay` for `tvm.relay`."""

import importlib
import pickle

import numpy as np
import pytest
from onnx import TensorProto, helper

import relay


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("adt", "Constructor"),
        ("analysis", "free_vars"),
        ("build_module", "bind_params_by_name"),
        ("expr", "Call"),
        ("expr_functor", "ExprMutator"),
        ("frontend", "from_onnx"),
        ("frontend.mxnet", "from_mxnet"),
        ("loops", "while_loop"),
        ("op", "add"),
        ("op.nn", "dense"),
        ("op.op", "get"),
        ("op.transform", "reshape"),
        ("param_dict", "save_param_dict"),
        ("prelude", "Prelude"),
        ("runtime.executor", "AotModule"),
        ("scope_builder", "ScopeBuilder"),
        ("testing.init", "create_workload"),
        ("testing.resnet", "get_workload"),
        ("transform", "FuseOps"),
        ("ty", "TensorType"),
        ("type_functor", "TypeVisitor"),
    ],
)
def test_modules_are_imported_by_their_classic_names(module, name):
    imported = importlib.import_module(f"relay.{module}")
    assert getattr(imported, name) is not None
    assert importlib.import_module(f"relay.{module}") is imported


def test_an_imported_module_is_the_one_that_is_read_as_an_attribute():
    names: dict[str, object] = {}
    exec("from relay.op import nn", names)
    assert names["nn"] is importlib.import_module("relay.op.nn") is relay.nn
    assert relay.analysis.__spec__.name == "relay.semantics.analysis"
    x = relay.var("x", shape=(2,))
    assert isinstance(x + x, relay.expr.Call)
    assert isinstance((x + x).op, relay.op.Op)
    assert pickle.loads(pickle.dumps(relay.expr.Call)) is relay.Call


@pytest.mark.parametrize(
    "statement",
    [
        "from relay import quantize",
        "from relay.analysis.feature import Feature",
        "from relay.function import Function",  # a decorator, not a module
        "from relay.quantize import quantize",
        "from relay.backend import contrib",
        "from relay.op.annotation import compiler_begin",
        "from relay.contrib.download import download_testdata",
    ],
)
def test_importing_what_is_not_there_says_what_to_do_instead(statement):
    with pytest.raises(relay.RelayError, match=r"does not have relay|is not a module") as found:
        exec(statement)
    assert (found.value.code, isinstance(found.value, ImportError)) == ("U072", True)
    assert found.value.help


@pytest.mark.parametrize(
    "read",
    [
        lambda: relay.quantize,
        lambda: relay.op.memory,
        lambda: relay.frontend.from_darknet,
        lambda: relay.testing.yolo_detection,
        lambda: relay.testing.tflite,
        lambda: relay.expr.VarWithFields,
        lambda: relay.FunctionWithFields,
        lambda: relay.register_func,
    ],
)
def test_reading_what_is_not_there_says_what_to_do_instead(read):
    with pytest.raises(relay.RelayError, match="Relay does not have relay") as found:
        read()
    assert (found.value.code, isinstance(found.value, AttributeError)) == ("U072", True)


def test_names_that_never_were_are_ordinary_errors():
    assert not hasattr(relay, "quantize")
    with pytest.raises(ModuleNotFoundError, match="nonsense"):
        importlib.import_module("relay.nonsense")
    with pytest.raises(AttributeError, match="nonsense"):
        _ = relay.frontend.nonsense


def test_a_model_comes_in_as_it_did():
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 3])]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    mod, params = relay.frontend.from_onnx(model, {"x": (1, 3)}, convert_config=None)
    with pytest.raises(relay.RelayError, match="U072"):
        relay.frontend.from_onnx(model, convert_config={"use_welford_in_layer_norm": True})
    lib = relay.build(mod, target="llvm", params=params)
    module = relay.graph_executor.GraphModule(lib["default"](relay.cpu(0)))
    module.run(x=np.array([[-1, 0, 2]], np.float32))
    assert module.get_output(0).numpy().tolist() == [[0, 0, 2]]
