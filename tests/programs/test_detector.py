"""A detector with its suppression inside: as many faces as there are on the photo."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay
from benchmarks.answers import QUESTIONS
from benchmarks.real_models import Reference

STRIDES = (8, 16, 32)
SIDE = 640
node = helper.make_node


def complete(path: Path) -> onnx.ModelProto:
    """Return the face detector of the table with what its users do behind it, as part of the model.

    Boxes are decoded, suppressed, and the faces that are left are read, best first.
    """
    model = onnx.load(path)
    for stride in STRIDES:
        model.graph.node.extend(_decoded(stride))
        grid = np.stack(np.meshgrid(*[np.arange(SIDE // stride)] * 2), -1).reshape(1, -1, 2)
        weights = {f"grid_{stride}": grid.astype("f"), f"stride_{stride}": np.float32(stride)}
        _add(model, weights)
    _add(model, {
        "overlap": np.array([0.3], "f"), "least": np.array([0.6], "f"), "most": np.array([50]),
        "half": np.float32(0.5), "zero": np.float32(0), "one": np.float32(1), "box": np.array(2),
        "flat": np.array([-1]), "few": np.array([3]), "first": np.array([0]),
    })  # fmt: skip
    model.graph.node.extend([
        node("Concat", [f"boxes_{s}" for s in STRIDES], ["boxes"], axis=1),
        node("Concat", [f"scores_{s}" for s in STRIDES], ["column"], axis=1),
        node("Transpose", ["column"], ["scores"], perm=[0, 2, 1]),
        node("NonMaxSuppression", ["boxes", "scores", "most", "overlap", "least"], ["rows"]),
        node("Gather", ["rows", "box"], ["chosen"], axis=1),
        node("Reshape", ["scores", "flat"], ["all_scores"]),
        node("Gather", ["all_scores", "chosen"], ["found_scores"]),
        node("Squeeze", ["boxes"], ["all_boxes"], axes=[0]),
        node("Gather", ["all_boxes", "chosen"], ["found_boxes"]),
        node("Shape", ["found_scores"], ["count"]),
        node("Concat", ["count", "few"], ["counts"], axis=0),
        node("ReduceMin", ["counts"], ["wanted"], axes=[0]),
        node("TopK", ["found_scores", "wanted"], ["best", "order"]),
        node("Gather", ["found_boxes", "order"], ["faces"]),
    ])  # fmt: skip
    del model.graph.output[:]
    for name, kind in (("faces", TensorProto.FLOAT), ("best", TensorProto.FLOAT)):
        model.graph.output.append(helper.make_tensor_value_info(name, kind, None))
    model.opset_import[0].version = 12
    return model


def _add(model: onnx.ModelProto, weights: dict[str, Any]) -> None:
    model.graph.initializer.extend(
        numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()
    )


def _decoded(stride: int) -> list[onnx.NodeProto]:
    """Return the nodes from what one scale gives to its scores, and the corners of its boxes."""

    def at(name: str) -> str:
        return f"{name}_{stride}"

    return [
        node("Clip", [at("cls"), "zero", "one"], [at("p")]),
        node("Clip", [at("obj"), "zero", "one"], [at("q")]),
        node("Mul", [at("p"), at("q")], [at("pq")]),
        node("Sqrt", [at("pq")], [at("scores")]),
        node("Split", [at("bbox")], [at("shift"), at("size")], axis=2),
        node("Add", [at("shift"), at("grid")], [at("places")]),
        node("Mul", [at("places"), at("stride")], [at("centres")]),
        node("Exp", [at("size")], [at("sides")]),
        node("Mul", [at("sides"), at("stride")], [at("extent")]),
        node("Mul", [at("extent"), "half"], [at("reach")]),
        node("Sub", [at("centres"), at("reach")], [at("low")]),
        node("Add", [at("centres"), at("reach")], [at("high")]),
        node("Concat", [at("low"), at("high")], [at("boxes")], axis=2),
    ]


@pytest.mark.onnx
@pytest.mark.network
def test_faces_are_found_where_onnx_runtime_finds_them() -> None:
    """On the photo, on noise, and on nothing: some faces, and none."""
    try:
        (reference,) = (Reference(model) for model in QUESTIONS["yunet"].models())
    except ConnectionError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    assert QUESTIONS["yunet"].judge(reference).right
    made = complete(reference.model)
    session = onnxruntime.InferenceSession(made.SerializeToString())
    run = relay.compile(relay.load(made), threads=1)
    (photo,) = reference.calls[0][0].values()
    counts: list[int] = []
    for image in (photo, np.zeros_like(photo), photo[..., ::-1].copy()):
        wanted: Any = session.run(None, {session.get_inputs()[0].name: image})
        for found, expected in zip(run(image), wanted, strict=True):
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-2)
        counts.append(len(wanted[1]))
    assert counts == [1, 0, 1]
