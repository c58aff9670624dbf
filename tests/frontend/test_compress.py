"""`Compress` with a condition that is longer than an axis of dynamic size."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay

CONDITION = np.array([True, False, True, True])


@pytest.mark.parametrize("is_constant", [True, False], ids=["constant", "computed"])
def test_booleans_behind_the_end_of_an_axis_are_ignored(is_constant: bool) -> None:
    node = helper.make_node("Compress", ["x", "c"], ["y"], axis=-1)
    infos = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])]
    if not is_constant:
        infos.append(helper.make_tensor_value_info("c", TensorProto.BOOL, [4]))
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    weights = [numpy_helper.from_array(CONDITION, "c")] if is_constant else []
    graph = helper.make_graph([node], "g", infos, [y], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=9)
    compiled = relay.compile(relay.load(model))
    rest = [] if is_constant else [CONDITION]
    assert compiled(np.arange(5, dtype=np.float32), *rest).tolist() == [0, 2, 3]
    assert compiled(np.arange(3, dtype=np.float32), *rest).tolist() == [0, 2]
    assert compiled(np.arange(0, dtype=np.float32), *rest).tolist() == []
