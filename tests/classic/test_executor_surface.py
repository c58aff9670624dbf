"""What graph modules, virtual machines and builds do beside running, by their classic names."""

import ctypes
import json
from typing import Any

import numpy as np
import pytest

import relay as typed
from tests.classic.running import close, data

relay: Any = typed
DEVICE = relay.cpu(0)
X, W = data(2, 3), data(4, 3)


def program():
    x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 3))
    return relay.IRModule.from_expr(relay.Function([x, w], relay.nn.dense(x, w)))


@pytest.fixture(scope="module")
def library():
    return relay.build(program(), target="llvm")


@pytest.fixture(scope="module")
def executable():
    return relay.vm.compile(program(), target={"cpu": "llvm"})


def test_arrays_are_shared_with_a_graph_module(library):
    module = relay.graph_executor.GraphModule(library["default"](DEVICE))
    x, out = X.copy(), np.empty((2, 4), "float32")
    module.set_input("w", W)
    module.set_input_zero_copy("x", x)
    module.set_output_zero_copy(0, out)
    x += 1
    module.run()
    close(out, (X + 1) @ W.T)
    other = relay.graph_executor.GraphModule(library["default"](DEVICE))
    other.share_params(module, relay.save_param_dict({"w": W}))
    assert np.shares_memory(other.get_input("w").numpy(), module.get_input("w").numpy())
    for call, code in (
        (lambda: module.set_input_zero_copy("x", np.ones((2, 3))), "R006"),
        (lambda: module.set_output_zero_copy(1, out), "R015"),
        (lambda: module.get_output(0, np.empty(8, "float32")), "R005"),
    ):
        with pytest.raises(typed.RelayError, match=code):
            call()


def test_times_of_graph_modules_and_virtual_machines(library, executable):
    module = relay.graph_executor.GraphModule(library["default"](DEVICE))
    machine = relay.vm.VirtualMachine(executable, DEVICE)
    options = {"repeat": 2, "number": 1, "min_repeat_ms": 1, "cooldown_interval_ms": 1}
    for found in (
        module.benchmark(DEVICE, **options, x=X, w=W),
        module.benchmark(DEVICE, **options, end_to_end=True, x=X, w=W),
        machine.benchmark(DEVICE, X, W, **options),
        machine.benchmark(DEVICE, X, end_to_end=True, w=W, **options),
    ):
        assert len(found.results) == 2
        assert 0 < found.min <= found.median <= found.max


def test_inputs_and_outputs_of_a_virtual_machine(executable):
    machine = relay.vm.VirtualMachine(executable, DEVICE)
    machine.set_input("main", X, W)
    machine.set_one_input("main", "x", 2 * X)
    machine.set_one_input("main", 1, 3 * W)
    machine.invoke_stateful("main")
    close(machine.get_outputs()[0].asnumpy(), 6 * X @ W.T)
    out, other = np.empty((2, 4), "float32"), np.empty((2, 4), "float32")
    machine.set_outputs("main", out)
    machine.invoke_with_outputs("main", {"x": X, "w": W}, [other])
    close(machine.run(-X, W).numpy(), -X @ W.T)
    close(other, X @ W.T)
    close(out, -other)


def test_compiling_for_the_virtual_machine_in_steps():
    compiler = relay.vm.VMCompiler()
    for early in (compiler.codegen, compiler.get_exec):
        with pytest.raises(typed.RelayError, match="U061"):
            early()
    compiler.set_params({"w": W})
    compiler.lower(program(), target="llvm")
    compiler.codegen()
    close(relay.vm.VirtualMachine(compiler.get_exec(), DEVICE).run(X), X @ W.T)
    after, params = compiler.optimize(program(), "llvm")
    assert [param.name_hint for param in after["main"].params] == ["x"]
    assert params == {}


@pytest.mark.parametrize("suffix", ["relay", "so", "tar"])
def test_a_library_is_loaded_and_run(library, executable, tmp_path, suffix):
    library.export_library(tmp_path / f"graph.{suffix}")
    executable.mod.export_library(tmp_path / f"vm.{suffix}")
    loaded = relay.runtime.load_module(tmp_path / f"graph.{suffix}")
    module = relay.graph_executor.GraphModule(loaded["default"](DEVICE))
    module.run(x=X, w=W)
    close(module.get_output(0), X @ W.T)
    loaded = relay.runtime.load_module(str(tmp_path / f"vm.{suffix}"))
    close(relay.vm.VirtualMachine(loaded, DEVICE).run(X, W), X @ W.T)
    if suffix == "so":
        assert ctypes.CDLL(str(tmp_path / "graph.so")).graph_workspace_bytes() >= 0
        assert ctypes.CDLL(str(tmp_path / "vm.so"))


def test_what_is_not_exported_and_not_loaded(library, tmp_path):
    for suffix in ("so", "tar"):
        typed.compile(program()).export(tmp_path / "c.so")
        (tmp_path / "c.so").rename(tmp_path / f"c.{suffix}")
        with pytest.raises(typed.RelayError, match="A002"):
            relay.runtime.load_module(tmp_path / f"c.{suffix}")
    with pytest.raises(typed.RelayError, match="U072"):
        library.export_library(tmp_path / "graph.relay", fcompile=object())


@pytest.mark.parametrize("target", [None, ["llvm"], {"cpu": "llvm"}])
def test_targets_of_one_machine(target):
    executor = relay.backend.Executor("aot", {"link-params": True})
    lib = relay.build(program(), target, executor=executor, runtime=relay.backend.Runtime("cpp"))
    assert lib.get_executor_config() == lib.get_graph_json()


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: relay.build(program(), {"cpu": "llvm", "cuda": "cuda"}), "U069"),
        (lambda: relay.build(program(), runtime="crt"), "U063"),
        (lambda: relay.build(program(), workspace_memory_pools=[1]), "U072"),
        (lambda: relay.backend.Executor("vm"), "U063"),
        (lambda: relay.backend.Executor("aot", {"unpacked-api": True}), "U062"),
        (lambda: relay.backend.Executor("graph", {"link-params": 3}), "U062"),
        (lambda: relay.backend.Runtime("cpp", {"system-lib": True}), "U062"),
        (lambda: relay.backend.te_compiler, "U072"),
    ],
)
def test_what_a_build_does_not_have(call, code):
    with pytest.raises(typed.RelayError) as found:
        call()
    assert found.value.code == code
    assert found.value.help


def test_the_options_of_executors_are_listed():
    listed = relay.backend.Executor.list_registered
    assert listed() == ["graph", "aot"]
    assert relay.backend.Executor.list_registered_options("aot") == {"link-params": "bool"}


def test_the_input_that_is_not_set_is_named(library):
    module = relay.graph_executor.GraphModule(library["default"](DEVICE))
    for call in (module.run, module.benchmark):
        with pytest.raises(typed.RelayError, match=r"R001.*'x' is not set"):
            call()
    module.set_input("x", X)
    with pytest.raises(typed.RelayError, match=r"R001.*'w' is not set"):
        module.run()


def test_kernels_of_a_graph_module_are_timed(library):
    module = relay.debug_executor.create(library.get_graph_json(), library.get_lib(), DEVICE)
    module.set_input("x", X)
    module.set_input("w", W)
    (times,) = module.run_individual(number=1, repeat=2, min_repeat_ms=1)
    assert len(times) == 2
    assert module.run_individual_node(0, number=1, repeat=2).min > 0
    assert module.module.time_evaluator("run", DEVICE, number=1, repeat=3)().max > 0
    report = module.profile(x=X)
    assert [call["Name"] for call in report.calls] == ["dense"]
    assert json.loads(report.json())["calls"] == report.calls
    assert report.csv().splitlines()[0] == "Name,Duration (us),Percent,Count,Hash"
    assert len(report.table(col_sums=False).splitlines()) == 2
    assert report.table(sort=False) == str(report)
    for call, code in (
        (lambda: module.run_individual_node(1), "R015"),
        (lambda: module.debug_get_output(0), "U072"),
        (lambda: module.profile(collectors=[1]), "U072"),
    ):
        with pytest.raises(typed.RelayError, match=code):
            call()


def test_what_is_in_an_executable(executable):
    assert executable.bytecode == executable.text
    assert (executable.globals, executable.primitives) == (["main"], ["dense"])
    assert executable.constants == []
    assert executable.virtual_devices == [DEVICE]
    assert executable.stats == "1 functions, 3 instructions, 1 kernels, 0 bytes of constants"
