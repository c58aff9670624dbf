"""Files that ONNX Runtime's optimiser saves at its highest level: images in blocks of channels."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import helper

import relay
from tests.frontend.models import model

pytestmark = pytest.mark.onnx
RNG = np.random.default_rng(3)
NCHWC = "com.microsoft.nchwc"


def floats(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype(np.float32)


def network() -> onnx.ModelProto:
    """Return a network whose optimised form has all blocked operators and forms of weights."""
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "few"], ["a"], pads=[1, 1, 1, 1]),
        node("Relu", ["a"], ["b"]),
        node("Conv", ["b", "depthwise"], ["c"], group=32, strides=[2, 2]),
        node("Conv", ["c", "many", "bias"], ["d"], pads=[1, 1, 1, 1]),
        node("Add", ["c", "d"], ["e"]),
        node("MaxPool", ["e"], ["f"], kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1),
        node("AveragePool", ["f"], ["g"], kernel_shape=[2, 2], pads=[1, 1, 0, 0]),
        node("Resize", ["g", "", "scales"], ["y"], mode="linear"),
        node("GlobalMaxPool", ["e"], ["h"]),
        node("GlobalAveragePool", ["e"], ["i"]),
        node("Add", ["h", "i"], ["z"]),
    ]
    weights: dict[str, Any] = {
        "few": floats(32, 3, 3, 3),
        "depthwise": floats(32, 1, 3, 3),
        "many": floats(32, 32, 3, 3),
        "bias": floats(32),
        "scales": np.array([1, 1, 2, 3], np.float32),
    }
    return model(nodes, {"x": [1, 3, 9, 9]}, ["y", "z"], weights=weights)


def test_an_optimised_network_equals_onnx_runtime(tmp_path: Path) -> None:
    options = ort.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "optimised.onnx")
    options.log_severity_level = 3
    session = ort.InferenceSession(network().SerializeToString(), options)
    x = floats(1, 3, 9, 9)
    blocked = onnx.load(options.optimized_model_filepath)
    names = {each.op_type for each in blocked.graph.node if each.domain == NCHWC}
    assert names >= {"ReorderOutput", "Conv", "MaxPool", "AveragePool", "Upsample"}
    found = relay.compile(relay.load(blocked), threads=1)(x)
    expected: Any = session.run(None, {"x": x})
    for own, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(own, theirs, rtol=1e-3, atol=1e-4)


def blocked_by_8(channels: int) -> tuple[onnx.ModelProto, np.ndarray]:
    """Return a convolution with a weight in blocks of 8 channels, and the weight in plain order."""
    plain = floats(channels, 16, 1, 1)
    whole = np.resize(plain, (-(-channels // 8) * 8, 16))
    stored = whole.reshape(-1, 8, 2, 8).transpose(0, 2, 3, 1).reshape(-1, 16, 1, 1)[:channels]
    nodes = [
        helper.make_node("ReorderInput", ["x"], ["a"], domain=NCHWC),
        helper.make_node("Conv", ["a", "w"], ["b"], domain=NCHWC, kernel_shape=[1, 1]),
        helper.make_node("ReorderOutput", ["b"], ["y"], domain=NCHWC, channels=20, channels_last=1),
    ]
    return model(nodes, {"x": [1, 12, 5, 5]}, ["y"], weights={"w": stored}), plain


def test_blocks_of_8_channels() -> None:
    made, plain = blocked_by_8(24)
    x = floats(1, 12, 5, 5)
    expected = np.einsum("ncij,oc->nijo", x, plain[:20, :12, 0, 0])
    found = relay.compile(relay.load(made), threads=1)(x)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    with pytest.raises(relay.RelayError, match=r"F026.*is not in blocks of 8 channels"):
        relay.load(blocked_by_8(20)[0])
