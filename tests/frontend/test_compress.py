"""`Compress` with a condition that is longer than an axis of dynamic size."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay


def test_true_values_behind_the_end_of_an_axis_trap() -> None:
    condition = numpy_helper.from_array(np.array([True, False, True, True]), "c")
    node = helper.make_node("Compress", ["x", "c"], ["y"], axis=0)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([node], "g", [x], [y], [condition])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=9)
    compiled = relay.compile(relay.load(model))
    assert compiled(np.arange(5, dtype=np.float32)).tolist() == [0, 2, 3]
    with pytest.raises(relay.RelayError, match="R056"):
        compiled(np.arange(3, dtype=np.float32))
