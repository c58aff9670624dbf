"""The choice of boxes against ONNX Runtime's."""

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import relay
from relay.ops.vision.all_class_non_max_suppression import AllClassNonMaxSuppression


def onnx_rows(boxes, scores, limit, overlap, least):
    """Return what ONNX Runtime chooses."""
    bounds = (np.array([bound], np.float32) for bound in (overlap, least))
    arrays = (boxes, scores, np.array([limit]), *bounds)
    kinds = [TensorProto.FLOAT, TensorProto.FLOAT, TensorProto.INT64, *[TensorProto.FLOAT] * 2]
    infos = [
        helper.make_tensor_value_info(f"x{i}", kind, a.shape)
        for i, (kind, a) in enumerate(zip(kinds, arrays, strict=True))
    ]
    node = helper.make_node("NonMaxSuppression", [info.name for info in infos], ["y"])
    out = helper.make_tensor_value_info("y", TensorProto.INT64, None)
    graph = helper.make_graph([node], "g", infos, [out])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, {f"x{i}": a for i, a in enumerate(arrays)})[0]


@pytest.mark.parametrize("limit", [1, 3, 100])
@pytest.mark.parametrize(("overlap", "least"), [(0.0, 0.0), (0.3, 0.5), (0.7, 0.2)])
def test_the_choice_is_onnx_runtimes(limit, overlap, least):
    rng = np.random.default_rng(limit)
    boxes, scores = (rng.random(s).astype(np.float32) for s in ((2, 12, 4), (2, 3, 12)))
    expected = onnx_rows(boxes, scores, limit, overlap, least)
    numbers = (np.int64(limit), np.float32(overlap), np.float32(least))
    rows, (count,) = AllClassNonMaxSuppression().reference(boxes, scores, *map(np.array, numbers))
    np.testing.assert_array_equal(rows[:count], expected)
    assert (rows[count:] == -1).all()


@pytest.mark.parametrize("count", [1, 15, 16, 17, 33, 70])
def test_boxes_are_compared_with_all_chosen_ones_in_whole_vectors(count):
    """Of boxes in a row, those that a better neighbour overlaps are dropped."""
    starts = np.arange(count, dtype=np.float32)[:, None] * 2
    boxes = np.concatenate([starts * 0, starts, starts * 0 + 1, starts + 2.5], 1)[None]
    scores = np.random.default_rng(count).permutation(count).astype(np.float32)[None, None]
    limits = np.array(-1), np.array(0.05, np.float32), np.array(-1, np.float32)
    op = AllClassNonMaxSuppression("onnx")
    types = [str(each.dtype) for each in (boxes, scores, *limits)]
    params = [
        relay.var(f"x{k}", shape=each.shape, dtype=types[k])
        for k, each in enumerate((boxes, scores, *limits))
    ]
    program = relay.compile(
        relay.IRModule.from_expr(relay.Function(tuple(params), relay.Call(op, params)))
    )
    found, expected = program(boxes, scores, *limits), op.reference(boxes, scores, *limits)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
