"""Members of the objects of TVM: here, or absent with a help."""

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest

import relay as typed

relay: Any = typed
X = relay.var("x", shape=(2,))
FUNCTION = relay.Function([X], relay.exp(X))
MODULE = relay.IRModule.from_expr(FUNCTION)
DENSE = relay.op.get("nn.dense")


@pytest.fixture(scope="module")
def library():
    return relay.build(MODULE, target="llvm")


def test_members_that_are_here(library, capsys):
    assert (library.target, library.executor.name, library.params) == ("llvm", "graph", {})
    assert library.graph_json_str == library.get_graph_json()
    assert relay.vm.compile(MODULE).primitive_ops == ["exp"]
    assert FUNCTION.with_attrs({"a": 1}).attrs == {"a": 1}
    assert MODULE.with_attrs({"a": 1, "b": 2}).without_attr("a").attrs == {"b": 2}
    MODULE.show()
    assert capsys.readouterr().out.strip() == MODULE.astext().strip()
    made = relay.op.get("nn.dense", units=4)
    assert made.description == DENSE.description != ""
    assert made.arguments() == DENSE.arguments() == ("data", "weight")
    assert made.get_attr("TOpPattern") == DENSE.get_attr("TOpPattern") == 4
    assert relay.transform.FuseOps().info.traceable is False
    assert relay.annotation.on_device(X, "npu").op.virtual_device == "npu"


def test_arrays_of_constants_are_those_of_tvm():
    constant = relay.const(np.ones((2, 3), "float32"))
    assert (constant.data.shape, constant.data.dtype) == ((2, 3), np.float32)
    for copied in (constant.data.numpy(), constant.data.asnumpy()):
        assert type(copied) is np.ndarray
        copied[:] = 5  # as in TVM, the constant does not change
    np.testing.assert_array_equal(constant.data, np.ones((2, 3)))
    with pytest.raises(ValueError, match="read-only"):
        constant.data[0] = 5


def test_arrays_of_constants_are_plain_inside():
    constant = relay.Constant(data=np.arange(2.0))
    copies = [
        relay.Constant(constant.data),
        dataclasses.replace(constant, data=constant.data + 1),
        copy.deepcopy(constant),
        pickle.loads(pickle.dumps(constant)),
        relay.IRModule.from_expr(relay.Constant(constant.data * 2))["main"].body,
    ]
    assert [type(each.array) for each in copies] == [np.ndarray] * 5
    assert [each.array[1] for each in copies] == [1, 2, 1, 1, 2]
    np.testing.assert_array_equal(np.from_dlpack(constant.data), [0, 1])


@pytest.mark.parametrize(
    ("holder", "name"),
    [
        (X, "virtual_device"),
        (FUNCTION, "script"),
        (MODULE, "source_map"),
        (DENSE, "set_attr"),
        (relay.op.get("nn.dense", units=4), "add_type_rel"),
        (relay.runtime, "enabled"),
        (relay.ir, "IRModule"),
        (relay.runtime.Data("Nil"), "tag"),
        (relay.runtime.Profile, "from_json"),
        (relay.Module, "from_expr"),
        (relay.cpu(0), "device_type"),
        (relay.compile(MODULE), "get_inputs"),
        (relay.compile(MODULE), "run_with_iobinding"),
    ],
)
def test_members_that_are_not_here(holder, name):
    assert not hasattr(holder, name)
    with pytest.raises(typed.RelayError, match="U072") as found:
        getattr(holder, name)
    assert found.value.help


def test_members_of_builds_that_are_not_here(library):
    for name in ("module", "function_metadata", "get_source"):
        with pytest.raises(typed.RelayError, match="U072"):
            getattr(library, name)


@pytest.mark.parametrize("name", ["runtime.enabled", "ir.IRModule", "ir.instrument.PassInstrument"])
def test_imports_of_what_is_not_here(name):
    module, _, member = name.rpartition(".")
    with pytest.raises(typed.RelayError, match="U072"):
        exec(f"from relay.{module} import {member}")


def test_spans_are_short():
    p = relay.Prelude()
    assert len(repr(p.mod[p.list])) < 400  # the text of the prelude is long


def test_devices_are_taken_where_names_are():
    copy = relay.device_copy(X, relay.cpu(), "npu")
    assert (copy.op.src_virtual_device, copy.op.dst_virtual_device) == ("cpu", "npu")
    with pytest.raises(typed.RelayError, match="U068"):
        relay.device_copy(X, relay.runtime.Device("npu", 1))


def test_calls_of_programs_that_are_not_compiled():
    for program in (MODULE, MODULE.module):
        with pytest.raises(typed.RelayError, match="U077") as found:
            program(np.ones(2, "float32"))
        assert "relay.compile" in str(found.value.help)
        with pytest.raises(typed.RelayError, match="U003"):
            relay.jit(program)


def test_runs_in_the_way_of_onnx_runtime_say_what_to_write():
    y = relay.var("y", shape=(2,))
    one, two = relay.compile(MODULE), relay.compile(relay.IRModule.from_expr(X + y))
    named = {"x": np.ones(2, "float32"), "y": np.ones(2, "float32")}
    for fast in (one, two):
        for outputs in (None, ["output0"]):
            with pytest.raises(typed.RelayError, match=r"R00[13]") as found:
                fast.run(outputs, named)
            assert "fast.run(**inputs)" in str(found.value.help)
    np.testing.assert_array_equal(two.run(**named)["output0"], [2, 2])


def test_comments_of_texts_are_types_or_what_a_function_returns():
    inferred = relay.transform.InferType()(MODULE)
    kind, version = "Tensor[(2), float32]", '#[version = "0.0.5"]\n'
    text = f"%x: {kind} /* ty={kind} */) -> {kind} {{\n  exp(%x) /* ty={kind} */\n}}"
    function = inferred["main"]
    assert inferred.astext() == f"{version}def @main({text}\n"
    assert function.astext() == relay.astext(function)
    assert function.astext() == f"{version}fn ({text} /* ty=fn ({kind}) -> {kind} */"
    assert relay.structural_equal(relay.parse_expr(function.astext()), function)
    names = function.astext(annotate=lambda each: type(each).__name__)
    assert "%x: Tensor[(2), float32] /* Var */" in names
    assert "exp(%x) /* Call */" in names
    one = relay.const(1.0)
    twice = (X + one) * one
    text = twice.astext(annotate=lambda each: "*/" if isinstance(each, typed.Constant) else "")
    assert text.count("1f /* * / */") == 1


def test_a_graph_module_of_something_else():
    with pytest.raises(relay.RelayError, match=r"takes what relay\.build returns, not int"):
        relay.graph_executor.GraphModule(3)


def test_inputs_of_another_width_keep_their_values():
    evaluate = relay.create_executor("vm", mod=relay.IRModule.from_expr(relay.var("x", "int32")))
    assert evaluate.evaluate()(np.int64(-7)) == -7
    with pytest.raises(relay.RelayError, match="values that int32 cannot represent"):
        evaluate.evaluate()(np.int64(2**40))
