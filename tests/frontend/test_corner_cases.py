"""Corners of ONNX operators that random graphs found, against ONNX Runtime."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

import relay

pytestmark = pytest.mark.onnx


def check(
    op: str, data: NDArray[Any], constants: Sequence[NDArray[Any]] = (), **attributes: Any
) -> None:
    """Compile one node and compare it with ONNX Runtime."""
    names = [f"c{i}" for i in range(len(constants))]
    outputs = ["y", "second"] if op == "TopK" else ["y"]
    node = helper.make_node(op, ["x", *names], outputs, **attributes)
    element = helper.np_dtype_to_tensor_dtype(data.dtype)
    graph = helper.make_graph(
        [node],
        "corner",
        [helper.make_tensor_value_info("x", element, data.shape)],
        [helper.make_tensor_value_info("y", TensorProto.UNDEFINED, None)],
        [numpy_helper.from_array(c, name) for c, name in zip(constants, names, strict=True)],
    )
    graph.output[0].type.Clear()
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    session = ort.InferenceSession(model.SerializeToString())
    expected = np.asarray(session.run(None, {"x": data})[0])
    found = np.asarray(relay.compile(relay.load(model), threads=1)(data))
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)


def random(*shape: int) -> NDArray[np.float32]:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("op", ["MaxPool", "AveragePool", "LpPool"])
@pytest.mark.parametrize(
    ("size", "kernel", "stride", "pads"),
    [(5, 3, 3, (2, 1)), (7, 2, 3, (0, 1)), (8, 3, 2, (0, 0)), (6, 2, 2, (1, 0)), (4, 3, 4, (1, 1))],
)
def test_windows_that_rounding_up_adds(
    op: str, size: int, kernel: int, stride: int, pads: tuple[int, int]
):
    check(
        op,
        random(1, 2, size, 5),
        kernel_shape=[kernel, 1],
        strides=[stride, 2],
        pads=[pads[0], 0, pads[1], 0],
        ceil_mode=1,
    )


@pytest.mark.parametrize(
    ("begin", "end", "step"),
    [
        (9, 11, -1),
        (1, 2**63 - 1, -1),
        (-1, -(2**63), -1),
        (5, -100, -2),
        (4, -(2**31) + 5, 1),
        (7, 3, 1),
        (2, 2**31 - 1, 3),
        (-3, -1, 1),
        (0, -9, -1),
    ],
)
def test_slices_forwards_backwards_and_of_nothing(begin: int, end: int, step: int):
    bounds = [np.array([each], np.int64) for each in (begin, end, 0, step)]
    check("Slice", random(9, 3), bounds)


@pytest.mark.parametrize("op", ["ReduceL2", "ReduceLogSum", "ReduceLogSumExp"])
def test_roots_and_logarithms_of_integers(op: str):
    data = np.arange(1, 13, dtype=np.int32).reshape(3, 4)
    check(op, data, [np.array([1], np.int64)])


@pytest.mark.parametrize("axis", [0, 1])
def test_indices_from_the_end(axis: int):
    check("Gather", random(5, 7), [np.array([[0, -1], [-5, 4]], np.int64)], axis=axis)
    check("GatherElements", random(5, 2), [np.array([[0, -1], [-2, 1]], np.int64)], axis=axis)


def test_indices_from_the_end_of_an_open_dimension():
    node = helper.make_node("Gather", ["x", "i"], ["y"], axis=0)
    graph = helper.make_graph(
        [node],
        "open",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ("n",))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (2,))],
        [numpy_helper.from_array(np.array([-1, -2], np.int64), "i")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    fast = relay.compile(relay.load(model))
    np.testing.assert_array_equal(fast(np.arange(5, dtype=np.float32)), [4, 3])


def test_no_largest_elements():
    check("TopK", random(3, 4), [np.array([0], np.int64)], axis=0)


def test_slopes_of_positive_infinity():
    data = np.array([-1, 0, 2, np.inf], np.float32)
    check("PRelu", data, [np.array([0.5, np.inf, np.inf, -np.inf], np.float32)])
