"""An attribute that is one of a set of words is an error for other words, which it names."""

import re

import numpy as np
import onnx
import pytest
from onnx import helper

from relay.frontend.load import load
from relay.support.errors import RelayError
from tests.frontend.models import Shape, model

IMAGE: Shape = [1, 1, 4, 4]


@pytest.mark.parametrize(
    ("node", "shape", "said"),
    [
        (helper.make_node("Resize", ["x", "", "s"], ["y"], mode="foo"), IMAGE,
         "F026.*mode cannot be 'foo'.*set mode to nearest, linear or cubic"),
        (helper.make_node("Resize", ["x", "", "s"], ["y"], nearest_mode="foo"), IMAGE,
         "F026.*nearest_mode cannot be 'foo'.*or ceil"),
        (helper.make_node("Resize", ["x", "", "s"], ["y"], keep_aspect_ratio_policy="foo"), IMAGE,
         "F026.*keep_aspect_ratio_policy cannot be 'foo'.*set .* stretch, not_larger or not_s"),
        (helper.make_node("RoiAlign", ["x", "r", "i"], ["y"], mode="foo"), IMAGE,
         "F026.*mode cannot be 'foo'.*set mode to avg or max"),
        (helper.make_node("LSTM", ["x", "w", "w"], ["y"], hidden_size=1, direction="foo"),
         [1, 1, 1], "F026.*direction cannot be 'foo'.*set .* to forward, reverse or bidirectional"),
        (helper.make_node("BitShift", ["b", "b"], ["y"], direction="foo"), [1],
         "F026.*direction cannot be 'foo'.*set direction to LEFT or RIGHT"),
        (helper.make_node("Gelu", ["x"], ["y"], approximate="foo"), [1],
         "F026.*approximate cannot be 'foo'.*set approximate to none or tanh"),
        (helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2], auto_pad="SAME"), IMAGE,
         "F026.*auto_pad cannot be 'SAME'.*to NOTSET, VALID, SAME_UPPER or SAME_LOWER"),
    ],
)  # fmt: skip
def test_another_word(node: onnx.NodeProto, shape: Shape, said: str) -> None:
    weights = {
        "s": np.array([1, 1, 2, 2], "f"),
        "r": np.ones((1, 4), "f"),
        "i": np.zeros(1, "i8"),
        "w": np.ones((1, 4, 1), "f"),
        "b": np.ones(1, "u1"),
    }
    broken = model([node], {"x": shape}, ["y"], weights=weights, opset=20)
    with pytest.raises(RelayError) as caught:
        load(broken)
    assert re.search(said, str(caught.value), re.DOTALL)
