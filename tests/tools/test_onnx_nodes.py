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
