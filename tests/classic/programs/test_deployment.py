"""Programs that build a network, save it, load it and run it in the ways of tutorials."""

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay as typed
from tests.classic.running import RNG, close, data, run

relay: Any = typed
IRModule = relay.IRModule
X, WEIGHTS = data(1, 3, 8, 8), {"weight": data(4, 3, 3, 3), "bias": data(4)}


def network():
    image = relay.var("data", shape=(1, 3, 8, 8), dtype="float32")
    weight, bias = relay.var("weight", shape=(4, 3, 3, 3)), relay.var("bias", shape=(4,))
    out = relay.nn.conv2d(image, weight, kernel_size=(3, 3), padding=(1, 1), channels=4)
    return relay.Function([image, weight, bias], relay.nn.relu(relay.nn.bias_add(out, bias)))


def expected(x, weight, bias):
    windows = np.lib.stride_tricks.sliding_window_view(
        np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), axis=(2, 3)
    )
    found = np.einsum("nchwij,ocij->nohw", windows, weight) + bias[:, None, None]
    return np.maximum(found, 0)


WANTED = expected(X, **WEIGHTS)


def library(**options):
    with relay.transform.PassContext(opt_level=3):
        return relay.build(IRModule.from_expr(network()), "llvm", params=WEIGHTS, **options)


def graph_module():
    return relay.graph_executor.GraphModule(library()["default"](relay.cpu(0)))


def test_graph_library_and_parameters_are_three_files(tmp_path):
    graph, lib, params = library()
    lib.export_library(str(tmp_path / "deploy.tar"))
    (tmp_path / "deploy.json").write_text(graph)
    (tmp_path / "deploy.params").write_bytes(relay.save_param_dict(params))
    loaded = relay.runtime.load_module(str(tmp_path / "deploy.tar"))
    m = relay.graph_executor.create((tmp_path / "deploy.json").read_text(), loaded, relay.cpu())
    m.load_params(bytearray((tmp_path / "deploy.params").read_bytes()))
    m.run(data=X)
    close(m.get_output(0).numpy(), WANTED)


def test_functions_of_a_module_by_name():
    module = library()["default"](relay.cpu(0))
    set_input, run_it, get_output = module["set_input"], module["run"], module["get_output"]
    set_input("data", X)
    run_it()
    close(get_output(0).asnumpy(), WANTED)


def test_a_module_to_debug_is_created_by_name(tmp_path):
    lib = library()
    created = lib["debug_create"]("default", relay.cpu(0))
    graph = lib.get_graph_json()
    m = relay.debug_executor.GraphModuleDebug(created, [relay.cpu(0)], graph, tmp_path)
    m.run(data=X)
    close(m.get_output(0).numpy(), WANTED)
    lib.export_library(str(tmp_path / "lib.tar"))
    loaded = relay.runtime.load_module(str(tmp_path / "lib.tar"))
    m = loaded["debug_create"]("default", relay.cpu(0))
    m.run(data=X)
    close(m.get_output(0).copyto(relay.cpu(0)), WANTED)


def test_arrays_are_copied_as_in_tvm():
    found = run(IRModule.from_expr(network()), X, *WEIGHTS.values(), kind="graph")
    target = np.empty_like(WANTED)
    close(found.copyto(target), target)
    assert target.any()
    assert not found.copyfrom(np.zeros_like(WANTED)).any()
    close(target, WANTED)


def test_an_output_is_copied_into_an_array():
    m = graph_module()
    m.set_input(0, X)
    m.run()
    m.get_output(0, out := np.empty((1, 4, 8, 8), "float32"))
    close(out, WANTED)


def test_times_are_measured_in_two_ways():
    m = graph_module()
    m.set_input("data", X)
    timer = m.module.time_evaluator("run", relay.cpu(0), number=1, repeat=3)
    assert (np.array(timer().results) * 1000).shape == (3,)
    assert m.benchmark(relay.cpu(0), number=1, repeat=2, end_to_end=True, data=X).mean > 0


@pytest.mark.parametrize("kind", ["graph", "vm", "aot", "debug"])
def test_executors_take_parameters_and_names(kind):
    mod = IRModule.from_expr(network())
    bound = relay.create_executor(kind, mod, relay.cpu(0), "llvm", WEIGHTS).evaluate()
    free = relay.create_executor(kind, mod=mod, device=relay.cpu(0), target="llvm").evaluate()
    close(bound(data=X).numpy(), WANTED)
    close(free(X, **WEIGHTS).numpy(), WANTED)


def test_code_and_library_of_the_virtual_machine_are_two_files(tmp_path):
    with relay.transform.PassContext(opt_level=3, disabled_pass=["FoldConstant"]):
        exe = relay.vm.compile(IRModule.from_expr(network()), target="llvm", params=WEIGHTS)
    code, lib = exe.save()
    lib.export_library(str(tmp_path / "lib.tar"))
    (tmp_path / "code.ro").write_bytes(code)
    loaded = relay.runtime.load_module(str(tmp_path / "lib.tar"))
    code = bytearray((tmp_path / "code.ro").read_bytes())
    vm = relay.vm.VirtualMachine(relay.vm.Executable.load_exec(code, loaded), relay.cpu())
    vm.set_input("main", data=X)
    vm.run()
    close(vm.get_outputs()[0].numpy(), WANTED)


def test_the_compiler_of_the_virtual_machine_by_steps():
    compiler = relay.vm.VMCompiler()
    compiler.set_params(WEIGHTS)
    compiler.lower(IRModule.from_expr(network()), "llvm")
    compiler.codegen()
    vm = relay.vm.VirtualMachine(compiler.get_exec(), relay.cpu())
    close(vm.invoke("main", X).numpy(), WANTED)


def test_an_executor_compiled_ahead_of_time_with_a_name():
    ahead = relay.backend.Executor("aot", {"link-params": True})
    lib = library(executor=ahead, runtime=relay.backend.Runtime("cpp"), mod_name="net")
    m = relay.runtime.executor.AotModule(lib["net"](relay.cpu(0)))
    m.run(data=X)
    close(m.get_output(0).numpy(), WANTED)


def onnx_model(rows):
    w = numpy_helper.from_array(data(4), "w")
    nodes = [helper.make_node("Mul", ["x", "w"], ["h"]), helper.make_node("Relu", ["h"], ["y"])]
    x, y = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [rows, 4]) for name in ("x", "y")
    )
    graph = helper.make_graph(nodes, "g", [x], [y], [w])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def test_weights_of_an_onnx_model_are_arrays_of_tvm():
    model = onnx_model(2)
    mod, params = relay.frontend.from_onnx(model, {"x": (2, 4)}, freeze_params=False)
    weight = params["w"].numpy()
    close(weight, numpy_helper.to_array(model.graph.initializer[0]))
    executor = relay.build_module.create_executor("graph", mod, relay.cpu(0), "llvm", params)
    x = data(2, 4)
    close(np.squeeze(executor.evaluate()(x).numpy()), np.maximum(x * weight, 0))


def test_an_onnx_model_with_any_number_of_rows():
    mod, _ = relay.frontend.from_onnx(onnx_model("N"), shape={"x": (relay.Any(), 4)})
    vm = relay.vm.VirtualMachine(relay.vm.compile(mod, "llvm"), relay.cpu())
    assert [vm.invoke("main", data(rows, 4)).numpy().shape for rows in (1, 5)] == [(1, 4), (5, 4)]


def test_parameters_of_bytes_and_of_the_zoo_are_arrays_of_tvm():
    saved = relay.save_param_dict({"a": np.arange(3), "b": WEIGHTS["bias"]})
    loaded = relay.load_param_dict(saved)
    close(loaded["b"].asnumpy(), WEIGHTS["bias"])
    mod, params = relay.testing.create_workload(network())
    bound = relay.build_module.bind_params_by_name(mod["main"], params)
    _, params_of_zoo = relay.testing.mlp.get_workload(batch_size=1, image_shape=(1, 4, 4))
    assert all(type(each.asnumpy()) is np.ndarray for each in params_of_zoo.values())
    assert bound.body.args[0].args[1].data.numpy().shape == params["bias"].numpy().shape == (4,)


def test_results_of_open_sizes_are_nested_lists_of_arrays():
    a = relay.var("a", shape=(relay.Any(), 4))
    rows = relay.take(relay.shape_of(a, dtype="int64"), relay.const(0))
    pairs = relay.reshape(a, newshape=(-1, 2))
    mod = IRModule.from_expr(relay.Function([a], relay.Tuple([rows, relay.Tuple([pairs])])))

    def flat(found):
        if isinstance(found, relay.runtime.NDArray):
            return [found.numpy()]
        return [array for each in found for array in flat(each)]

    x = data(3, 4)
    for kind in ("vm", "debug"):
        count, halves = flat(run(mod, x, kind=kind))
        assert count == 3
        close(halves, x.reshape(6, 2))


def test_a_debugging_function_gets_an_array_of_tvm():
    seen = []
    x = relay.var("x", shape=(2,))
    shown = relay.exp(relay.debug(x + x, lambda value: seen.append(value.numpy())))
    relay.create_executor("debug").evaluate(relay.Function([x], shown))(np.ones(2, "float32"))
    close(seen[0], [2, 2])


def test_a_quantised_layer_step_by_step():
    x, w = relay.var("x", shape=(2, 4)), RNG.integers(-5, 5, (3, 4)).astype("int8")
    zero, eight = relay.const(0, "int32"), relay.const(8, "int32")
    q = relay.qnn.op.quantize(x, relay.const(0.125), eight, out_dtype="uint8")
    scales = relay.const(0.125), relay.const(0.25)
    q = relay.qnn.op.dense(q, relay.const(w), eight, zero, *scales, units=3, out_dtype="int32")
    q = relay.qnn.op.requantize(
        q, relay.const(0.03125), zero, relay.const(0.5), zero, out_dtype="int8"
    )
    mod = IRModule.from_expr(
        relay.Function([x], relay.qnn.op.dequantize(q, relay.const(0.5), zero))
    )
    values = RNG.integers(-8, 8, (2, 4)).astype("float32") * 0.125
    sums = (values * 8) @ w.T.astype("float32")  # exact: steps of 1/8 are integers
    assert np.abs(run(mod, values, kind="graph") - sums / 32).max() <= 0.25  # half a step


def test_programs_that_differ_raise_an_error_of_tvm():
    with pytest.raises(ValueError, match="differ"):
        relay.assert_structural_equal(relay.const(1), relay.const(2))
