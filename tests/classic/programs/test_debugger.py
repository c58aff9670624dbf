"""Ten programs that look into a running model: times, values, instructions, texts."""

from typing import Any

import numpy as np
import pytest

import relay as typed
from relay import debug_executor  # tvm.contrib.debugger.debug_executor
from tests.classic.running import close, data, run

relay: Any = typed
IRModule = relay.IRModule


def library():
    x, w = relay.var("x", shape=(2, 3)), data(4, 3)
    func = relay.Function([x], relay.nn.softmax(relay.nn.dense(x, relay.const(w))))
    return relay.build(IRModule.from_expr(func), target="llvm"), w


def softmax(x):
    powers = np.exp(x)
    return powers / powers.sum(axis=-1, keepdims=True)


def test_the_debug_executor_runs_like_the_graph_executor():
    lib, w = library()
    m = debug_executor.create(lib.get_graph_json(), lib.lib, relay.cpu(0))
    m.set_input("x", x := data(2, 3))
    m.run()
    close(m.get_output(0).numpy(), softmax(x @ w.T))


def test_what_a_run_did_is_written_to_a_folder(tmp_path):
    graph, lib, params = library()[0]
    m = debug_executor.create(graph, lib, relay.cpu(0), dump_root=tmp_path / "debug")
    m.run(x=data(2, 3), **params)
    close(np.load(tmp_path / "debug" / "output_0.npy"), m.get_output(0))
    assert "dense" in (tmp_path / "debug" / "kernels.csv").read_text()
    m.exit()
    assert not list((tmp_path / "debug").iterdir())


def test_the_constructor_takes_the_device_and_the_graph(tmp_path):
    lib, _ = library()
    device, graph = relay.cpu(0), lib.get_graph_json()
    m = debug_executor.GraphModuleDebug(lib["default"](device), [device], graph, tmp_path / "debug")
    m.run(x=data(2, 3))
    assert (tmp_path / "debug" / "kernels.csv").exists()
    (tmp_path / "file").touch()
    m = debug_executor.create(graph, lib, device, dump_root=tmp_path / "file")
    with pytest.raises(typed.RelayError, match="A009"):
        m.run(x=data(2, 3))


def test_kernels_are_measured_one_by_one():
    lib, _ = library()
    m = debug_executor.GraphModuleDebug(lib["default"](relay.cpu(0)))
    m.set_input(x=data(2, 3))
    times = m.run_individual(number=2, repeat=3)
    assert {len(each) for each in times} == {3}
    assert all(seconds > 0 for each in times for seconds in each)


def test_a_profile():
    lib, _ = library()
    m = debug_executor.GraphModuleDebug(lib["default"](relay.cpu(0)))
    report = m.profile(x=data(2, 3))
    assert "dense" in str(report)
    assert report.total.flops > 0


def test_a_module_of_one_native_function():
    x = relay.var("x", shape=(2,))
    mod = IRModule.from_expr(relay.Function([x], relay.exp(x)))
    lib = relay.build(mod, target="llvm", executor=relay.backend.Executor("aot"))
    m = relay.runtime.executor.AotModule(lib["default"](relay.cpu()))
    m.set_input(m.get_input_name(0), a := data(2))
    m.run()
    close(m.get_output(0).numpy(), np.exp(a))
    with pytest.raises(typed.RelayError, match="R015"):
        m.get_input_name(1)


def test_a_profile_of_the_virtual_machine():
    x = relay.var("x", shape=(2,))
    exe = relay.vm.compile(IRModule.from_expr(relay.Function([x], relay.exp(x))), "llvm")
    report = relay.vm.VirtualMachineProfiler(exe, relay.cpu()).profile(data(2), func_name="main")
    assert report.calls[0]["Name"] == "exp"
    assert report.device_metrics["cpu0"]["Percent"] == 100
    assert report.configuration == {"Device": "cpu0", "Steps": len(report.calls)}


def test_values_between_kernels_are_not_kept():
    lib, _ = library()
    m = debug_executor.GraphModuleDebug(lib["default"](relay.cpu(0)))
    with pytest.raises(typed.RelayError, match="U072"):
        m.debug_get_output("dense")


def test_a_value_in_the_program_is_shown(capsys):
    x = relay.var("x", shape=(2,))
    mod = IRModule.from_expr(relay.Function([x], relay.exp(relay.debug(x + x))))
    a = np.array([1, 2], "float32")
    close(run(mod, a, kind="debug"), np.exp(a + a))


def test_compiled_programs_warn_that_a_function_is_not_called():
    x = relay.var("x", shape=(2,))
    mod = IRModule.from_expr(relay.Function([x], relay.exp(relay.debug(x, print))))
    with pytest.warns(UserWarning, match="U328"):
        relay.create_executor("graph", mod).evaluate()
    with pytest.warns(UserWarning, match="U328"):
        relay.compile(mod)


def test_a_debugging_function_that_fails():
    x = relay.var("x", shape=(2,))
    func = relay.Function([x], relay.debug(x, lambda array: array[5]))
    with pytest.raises(typed.RelayError, match=r"U329.* raised IndexError") as found:
        relay.create_executor("debug").evaluate(func)(data(2))
    assert isinstance(found.value.__cause__, IndexError)


def test_every_value_is_computed_by_the_evaluator():
    x = relay.var("x", shape=(2,))
    mod = relay.transform.InferType()(
        IRModule.from_expr(relay.Function([x], relay.exp(relay.tanh(x))))
    )
    values = {}
    nodes = []
    relay.analysis.post_order_visit(mod["main"].body, nodes.append)
    a = data(2)
    for node in nodes:
        if isinstance(node, relay.Call):
            function = relay.Function(mod["main"].params, node)
            executor = relay.create_executor("debug", mod)
            values[node.op.name] = executor.evaluate(function)(a)
    close(values["tanh"], np.tanh(a))
    close(values["exp"], np.exp(np.tanh(a)))


def test_the_virtual_machine_is_stepped():
    x = relay.var("x", shape=(2,))
    exe = relay.vm.compile(IRModule.from_expr(relay.Function([x], relay.exp(x))))
    steps = list(exe.steps(data(2)))
    assert len(steps) > 1
    assert "main" in exe.text


def test_the_module_is_printed_after_a_pass(capsys):
    x = relay.var("x", shape=(2,))
    mod = IRModule.from_expr(relay.Function([x], relay.exp(x)))
    relay.transform.PrintIR("the module")(mod)
    with relay.transform.PassContext(instruments=[relay.transform.PrintAfterAll()]):
        relay.transform.FoldConstant()(mod)
    printed = capsys.readouterr()
    assert "// the module" in printed.out
    assert "after FoldConstant" in printed.out


def test_a_benchmark():
    lib, _ = library()
    m = relay.graph_executor.GraphModule(lib["default"](relay.cpu(0)))
    m.set_input("x", data(2, 3))
    timing = m.benchmark(relay.cpu(0), number=2, repeat=3)
    assert len(timing.results) == 3
    assert timing.min <= timing.median <= timing.max
