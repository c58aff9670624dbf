"""Ten programs that import or build a model, compile it and run it, as classic tutorials do."""

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay as typed
from relay.testing import init
from tests.classic.running import close, data

relay: Any = typed
graph_executor: Any = typed.graph_executor
IRModule = relay.IRModule


def perceptron(weight, bias):
    """Return an ONNX model of one dense layer, with an open batch."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 4])
    nodes = [
        helper.make_node("Gemm", ["x", "w", "b"], ["h"], transB=1),
        helper.make_node("Sigmoid", ["h"], ["y"]),
    ]
    constants = [numpy_helper.from_array(weight, "w"), numpy_helper.from_array(bias, "b")]
    graph = helper.make_graph(nodes, "perceptron", [x], [y], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_from_onnx_with_a_shape_dictionary():
    weight, bias = data(4, 3), data(4)
    shape_dict = {"x": (2, 3)}
    mod, params = relay.frontend.from_onnx(perceptron(weight, bias), shape_dict)
    target = "llvm"
    with relay.transform.PassContext(opt_level=3):
        lib = relay.build(mod, target=target, params=params)
    dev = relay.cpu(0)
    module = graph_executor.GraphModule(lib["default"](dev))
    x = data(2, 3)
    module.set_input("x", x)
    module.run()
    close(module.get_output(0).numpy(), sigmoid(x @ weight.T + bias))


def test_from_onnx_with_the_executor_api():
    weight, bias = data(4, 3), data(4)
    mod, params = relay.frontend.from_onnx(perceptron(weight, bias), {"x": (1, 3)})
    with relay.transform.PassContext(opt_level=1):
        executor = relay.build_module.create_executor(
            "graph", mod, relay.cpu(0), "llvm", params
        ).evaluate()
    x = data(1, 3)
    close(executor(x).numpy(), sigmoid(x @ weight.T + bias))


def test_weights_stay_parameters():
    weight, bias = data(4, 3), data(4)
    mod, params = relay.frontend.from_onnx(
        perceptron(weight, bias), {"x": (1, 3)}, freeze_params=False
    )
    assert [param.name_hint for param in mod["main"].params] == ["x", "w", "b"]
    assert params.keys() == {"w", "b"}
    lib = relay.build(mod, target="llvm", params=params)
    module = graph_executor.GraphModule(lib["default"](relay.cpu(0)))
    x = data(1, 3)
    module.run(x=x)
    close(module.get_output(0), sigmoid(x @ weight.T + bias))


def test_a_network_and_its_random_weights():
    x = relay.var("data", shape=(2, 8))
    net = relay.nn.dense(x, relay.var("fc1_weight", shape=(16, 8)), units=16)
    net = relay.nn.relu(relay.nn.bias_add(net, relay.var("fc1_bias", shape=(16,))))
    net = relay.nn.softmax(relay.nn.dense(net, relay.var("fc2_weight", shape=(3, 16)), units=3))
    net = relay.Function(relay.analysis.free_vars(net), net)
    mod, params = init.create_workload(net)
    lib = relay.build_module.build(mod, "llvm", params=params)
    module = graph_executor.GraphModule(lib["default"](relay.cpu()))
    module.set_input("data", a := data(2, 8))
    module.set_input(**params)
    module.run()
    hidden = np.maximum(a @ params["fc1_weight"].T + params["fc1_bias"], 0)
    powers = np.exp(hidden @ params["fc2_weight"].T)
    close(module.get_output(0).numpy(), powers / powers.sum(axis=1, keepdims=True))


def test_a_network_of_the_zoo():
    from relay.testing import mlp

    mod, params = mlp.get_workload(batch_size=1, image_shape=(1, 4, 4), num_classes=5)
    assert mod["main"].checked_type.ret_type.concrete_shape == (1, 5)
    graph, lib, params = relay.build(mod, target="llvm", params=params)
    module = graph_executor.create(graph, lib, relay.cpu(0))
    module.set_input("data", np.ones((1, 1, 4, 4), "float32"))
    module.set_input(**params)
    module.run()
    out = module.get_output(0, np.empty((1, 5), "float32"))
    close(out.sum(), 1)


def test_a_library_is_exported_and_loaded(tmp_path):
    x = relay.var("x", shape=(2,))
    lib = relay.build(IRModule.from_expr(relay.Function([x], relay.exp(x))), target="llvm")
    path_lib = tmp_path / "deploy_lib.tar"
    lib.export_library(path_lib)
    loaded_lib = relay.runtime.load_module(path_lib)
    a = data(2)
    module = graph_executor.GraphModule(loaded_lib["default"](relay.cpu(0)))
    module.run(x=a)
    close(module.get_output(0).numpy(), np.exp(a))


def test_several_outputs_and_their_number():
    x = relay.var("x", shape=(2, 6))
    func = relay.Function([x], relay.split(x, 3, axis=1).astuple())
    lib = relay.build(func, target="llvm")
    module = graph_executor.GraphModule(lib["default"](relay.cpu(0)))
    module.run(x=(a := data(2, 6)))
    assert module.get_num_outputs() == 3
    outputs = [module.get_output(i).numpy() for i in range(module.get_num_outputs())]
    close(np.concatenate(outputs, axis=1), a)


def test_nested_results():
    x = relay.var("x", shape=(2,))
    nested = relay.Tuple([x, relay.Tuple([relay.exp(x), relay.Tuple([x + x])])])
    mod = IRModule.from_expr(relay.Function([x], nested))
    a = data(2)
    module = graph_executor.GraphModule(relay.build(mod, target="llvm")["default"](relay.cpu(0)))
    module.run(x=a)
    outputs = [module.get_output(i).numpy() for i in range(module.get_num_outputs())]
    close(outputs, [a, np.exp(a), a + a])
    first, (second, (third,)) = relay.create_executor("graph", mod=mod).evaluate()(a)
    close([first, second, third], outputs)


def test_what_a_module_knows_of_its_inputs():
    x, n = relay.var("x", shape=(2, 3)), relay.var("n", shape=(), dtype="int32")
    mod = IRModule.from_expr(relay.Function([x, n], relay.Tuple([x * x, n])))
    module = graph_executor.GraphModule(relay.build(mod, "llvm")["default"](relay.cpu(0)))
    shape_dict, dtype_dict = module.get_input_info()
    assert (shape_dict["x"], dtype_dict["n"]) == ((2, 3), "int32")
    assert (module.get_num_inputs(), module.get_input_index("n")) == (2, 1)
    assert module.get_input_index("nothing") == -1
    module.run(x=np.ones((2, 3)), n=np.int64(3))
    assert module.get_input("n") == 3
    assert module.benchmark(relay.cpu(0), repeat=2, number=1).mean > 0


def test_an_expression_is_evaluated_with_bindings():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    a = data(2)
    for kind in ("debug", "graph"):
        executor = relay.create_executor(kind, IRModule(), relay.cpu(0), "llvm")
        close(executor.evaluate(x * y, {x: a, y: a}), a * a)
        close(executor.evaluate(relay.Function([x], x + x))(a), a + a)
    with pytest.raises(typed.RelayError, match="U063"):
        relay.create_executor("quantum")
