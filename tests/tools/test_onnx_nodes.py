"""Random ONNX nodes, of which `tools/fuzz_onnx_nodes.py` checks thousands, and what they found."""

from random import Random
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

import relay
from tools.fuzz_onnx import onnx_runtime
from tools.fuzz_onnx_nodes import check_nodes
from tools.fuzzing.onnx_nodes import random_node

pytestmark = pytest.mark.onnx


@pytest.mark.slow
def test_a_node_follows_from_its_number():
    one, other = (random_node(Random(3), "c0_", is_open=True) for _ in range(2))
    assert one.model == other.model


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1])
def test_nodes_equal_onnx_runtime(number: int):
    assert check_nodes(number, alone=False)["values"] > 10


def test_attention_divides_by_an_open_size():
    shape = ["batch", 2, "n", "size"]
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "qkv"]
    node = helper.make_node("Attention", [*"qkv"], ["y"])
    last = [helper.make_empty_tensor_value_info("y")]
    graph = helper.make_graph([node], "g", infos, last)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    rng = np.random.default_rng(0)
    given: Any = {name: rng.standard_normal((1, 2, 3, 5)).astype(np.float32) for name in "qkv"}
    found: Any = relay.compile(relay.load(model), threads=1)(*given.values())
    np.testing.assert_allclose(found, onnx_runtime(model, given)[0], 1e-4, 1e-5)


def _compared(node: Any, *inputs: Any) -> list[Any]:
    """Return the results of a node, which are ONNX Runtime's."""
    kinds = [helper.np_dtype_to_tensor_dtype(each.dtype) for each in inputs]
    infos = [
        helper.make_tensor_value_info(name, kind, each.shape)
        for name, kind, each in zip(node.input, kinds, inputs, strict=True)
    ]
    ends = [helper.make_empty_tensor_value_info(name) for name in node.output]
    graph = helper.make_graph([node], "g", infos, ends)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    wanted = onnx_runtime(model, dict(zip(node.input, inputs, strict=True)))
    found: Any = relay.compile(relay.load(model), threads=1)(*inputs)
    results = [*found] if len(wanted) > 1 else [found]
    for one, other in zip(results, wanted, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(one, other, 1e-5, 1e-6)
    return results


@pytest.mark.parametrize("op", ["ReduceL1", "ArgMin"])
def test_axes_are_kept_by_one_alone(op: str):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    attributes: dict[str, Any] = {"axis": 1} if op == "ArgMin" else {"axes": [1]}
    (found,) = _compared(helper.make_node(op, ["x"], ["y"], keepdims=2, **attributes), x)
    assert found.shape == (2,)


def test_statistics_have_the_type_of_the_stash():
    x = np.random.default_rng(0).standard_normal((3, 4))
    node = helper.make_node("LayerNormalization", ["x", "w"], ["y", "mean", "deviation"])
    found = _compared(node, x, np.ones(4))
    assert [each.dtype for each in found] == [np.float64, np.float32, np.float32]


@pytest.mark.parametrize("opset", [11, 17])
@pytest.mark.parametrize("size", [0, 3])
def test_a_row_without_elements_has_no_maximum(opset: int, size: int):
    shape, x = ["n", "m"], np.random.default_rng(0).standard_normal((2, size)).astype(np.float32)
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Hardmax", ["x"], ["y"])], "g", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    found: Any = relay.compile(relay.load(model), threads=1)(x)
    np.testing.assert_array_equal(found, onnx_runtime(model, {"x": x})[0])
