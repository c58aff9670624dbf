"""Models of opsets before 7: broadcasting along an axis, attributes that later became inputs."""

from typing import Any

import numpy as np
import pytest
from onnx import helper

import relay
from tests.frontend.models import model

pytestmark = pytest.mark.onnx
X = np.linspace(0.5, 3, 24, dtype=np.float32).reshape(2, 3, 4)
ROW, MATRIX = np.array([1, 2, 3], np.float32), np.array([[1, 2, 3], [4, 5, 6]], np.float32)


def check(node: Any, expected: Any, weights: dict[str, Any], opset: int = 6) -> None:
    made = model([node], {"x": ["a", 3, "b"]}, ["y"], weights=weights, opset=opset)
    found = relay.compile(relay.load(made), threads=1)(X)
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("attributes", "operand", "aligned"),
    [
        ({"broadcast": 1, "axis": 1}, ROW, ROW[:, None]),
        ({"broadcast": 1, "axis": -2}, ROW, ROW[:, None]),
        ({"broadcast": 1, "axis": 0}, MATRIX, MATRIX[..., None]),
        ({"broadcast": 1}, X[0], X[0]),
        ({"broadcast": 1, "axis": 0}, ROW[1:2], 2),
    ],
)
def test_an_operand_is_aligned_with_an_axis(attributes: Any, operand: Any, aligned: Any) -> None:
    node = helper.make_node("Div", ["x", "w"], ["y"], **attributes)
    check(node, X / aligned, {"w": operand})


def test_slopes_belong_to_channels() -> None:
    node = helper.make_node("PRelu", ["m", "w"], ["y"])
    made = model([helper.make_node("Neg", ["x"], ["m"]), node], {"x": X.shape}, ["y"],
                 weights={"w": ROW}, opset=6)  # fmt: skip
    found = relay.compile(relay.load(made), threads=1)(X)
    np.testing.assert_allclose(found, -X * ROW[:, None], rtol=1e-6)


CASES: dict[str, tuple[list[str], dict[str, Any], Any]] = {
    "Concat": (["x", "x"], {}, np.concatenate([X, X], 1)),
    "Cast": (["x"], {"to": "FLOAT"}, X),
    "Dropout": (["x"], {"ratio": 0.5}, X),
    "Pad": (["x"], {"paddings": [0, 1, 0, 0, 0, 0]}, np.pad(X, ((0, 0), (1, 0), (0, 0)))),
    "Relu": (["x"], {"consumed_inputs": [0]}, X),
    "Split": (["x", "sizes"], {"axis": 1}, X),
    "Tile": (["x", "count", "axis"], {}, np.tile(X, (1, 2, 1))),
}


@pytest.mark.parametrize("op", CASES)
def test_the_first_opset(op: str) -> None:
    inputs, attributes, expected = CASES[op]
    weights = {"sizes": np.array([3]), "count": np.float32(2), "axis": np.float32(1)}
    check(helper.make_node(op, inputs, ["y"], **attributes), expected, weights, opset=1)


def test_an_image_is_enlarged_by_two_scales() -> None:
    node = helper.make_node("Upsample", ["x"], ["y"], height_scale=2.0, width_scale=1.0)
    made = model([node], {"x": [1, 2, 3, 4]}, ["y"], opset=1)
    found = relay.compile(relay.load(made), threads=1)(X[None, :2])
    np.testing.assert_array_equal(found, np.repeat(X[None, :2], 2, 2))


def test_statistics_of_a_batch_are_refused() -> None:
    node = helper.make_node("BatchNormalization", ["x", "w", "w", "w", "w"], ["y"])
    with pytest.raises(relay.RelayError) as caught:
        relay.load(model([node], {"x": X.shape}, ["y"], weights={"w": ROW}, opset=6))
    assert caught.value.code == "F036"
