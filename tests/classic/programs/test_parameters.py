"""Ten programs that bind, save and load parameters."""

# Modules of TVM without a file here are found when they are imported.
# pyright: reportMissingImports=none, reportUntypedBaseClass=none

from typing import Any

import numpy as np
import pytest
from relay.build_module import bind_params_by_name

import relay as typed
from tests.classic.running import close, data, run

relay: Any = typed
IRModule = relay.IRModule


def dense():
    x, w, b = (relay.var(name, shape=shape) for name, shape in SHAPES.items())
    return relay.Function([x, w, b], relay.nn.bias_add(relay.nn.dense(x, w), b))


SHAPES = {"x": (2, 3), "w": (4, 3), "b": (4,)}


def arrays():
    return {name: data(*shape) for name, shape in SHAPES.items()}


def value(given):
    return given["x"] @ given["w"].T + given["b"]


def test_parameters_as_bytes():
    params = {"w": data(4, 3), "n": np.array([1, 2], "int64"), "flag": np.array(True)}
    blob = relay.save_param_dict(params)
    assert isinstance(blob, bytes | bytearray)
    loaded = relay.load_param_dict(blob)
    assert loaded.keys() == params.keys()
    for name, array in params.items():
        np.testing.assert_array_equal(loaded[name], array)
        assert loaded[name].dtype == array.dtype


def test_parameters_in_a_file(tmp_path):
    params = {"w": data(4, 3)}
    path_params = tmp_path / "deploy.params"
    with path_params.open("wb") as fo:
        fo.write(relay.save_param_dict(params))
    loaded = relay.load_param_dict(bytearray(path_params.read_bytes()))
    close(loaded["w"], params["w"])


def test_parameters_are_bound_by_name():
    given = arrays()
    func = bind_params_by_name(dense(), {"w": given["w"], "b": given["b"], "unknown": given["b"]})
    assert [param.name_hint for param in func.params] == ["x"]
    close(run(IRModule.from_expr(func), given["x"], kind="debug"), value(given))


def test_variables_are_bound_to_expressions():
    func = dense()
    x, w, b = func.params
    given = arrays()
    bound = relay.bind(func, {w: relay.const(given["w"]), b: relay.const(given["b"])})
    assert bound.params == (x,)
    close(run(IRModule.from_expr(bound), given["x"], kind="debug"), value(given))
    other = relay.var("other", shape=(4,))
    assert relay.bind(func.body, {b: other}).args[1] is other


def test_parameters_of_a_build():
    given = arrays()
    params = {name: given[name] for name in ("w", "b")}
    lib = relay.build(IRModule.from_expr(dense()), target="llvm", params=params)
    module = relay.graph_executor.GraphModule(lib["default"](relay.cpu(0)))
    module.set_input("x", given["x"])
    module.run()
    close(module.get_output(0).numpy(), value(given))
    assert lib.get_params() == {}


def test_parameters_are_loaded_into_a_module():
    given = arrays()
    module = relay.graph_executor.GraphModule(relay.build(dense())["default"](relay.cpu(0)))
    module.load_params(relay.save_param_dict({name: given[name] for name in ("w", "b")}))
    module.run(x=given["x"])
    close(module.get_output(0), value(given))


def test_parameters_of_executors():
    given = arrays()
    params = {name: given[name] for name in ("w", "b")}
    for kind in ("debug", "vm"):
        executor = relay.create_executor(kind, IRModule.from_expr(dense()), params=params)
        close(executor.evaluate()(given["x"]), value(given))


def test_parameters_of_the_virtual_machine():
    given = arrays()
    mod = IRModule.from_expr(dense())
    exe = relay.vm.compile(mod, target="llvm", params={"w": given["w"]})
    assert exe.get_function_params("main") == ["x", "b"]
    close(relay.vm.VirtualMachine(exe, relay.cpu()).run(given["x"], given["b"]), value(given))


def test_optimised_modules_and_parameters():
    given = arrays()
    mod, params = relay.optimize(IRModule.from_expr(dense()), "llvm", {"w": given["w"]})
    assert params == {}
    assert [param.name_hint for param in mod["main"].params] == ["x", "b"]


def test_names_that_are_ambiguous_or_not_arrays():
    x, y = relay.var("p", shape=(2,)), relay.var("p", shape=(2,))
    with pytest.raises(typed.RelayError, match="U043"):
        bind_params_by_name(relay.Function([x, y], x + y), {"p": data(2)})
    with pytest.raises(typed.RelayError, match=r"number of inputs of the weight"):
        bind_params_by_name(dense(), {"w": data(5, 5)})
    with pytest.raises(typed.RelayError):
        relay.load_param_dict(b"nothing of the kind")
