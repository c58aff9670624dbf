"""Corners of ONNX operators that random graphs found, against ONNX Runtime."""

import tracemalloc
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

import relay

pytestmark = pytest.mark.onnx


def single(
    op: str, data: NDArray[Any], constants: Sequence[NDArray[Any]] = (), **attributes: Any
) -> onnx.ModelProto:
    """Return a model of one node."""
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
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def reference(model: onnx.ModelProto, data: NDArray[Any]) -> NDArray[Any]:
    """Return what ONNX Runtime gives."""
    session = ort.InferenceSession(model.SerializeToString())
    return np.asarray(session.run(None, {"x": data})[0])


def check(
    op: str, data: NDArray[Any], constants: Sequence[NDArray[Any]] = (), **attributes: Any
) -> None:
    """Compile one node and compare it with ONNX Runtime."""
    model = single(op, data, constants, **attributes)
    expected = reference(model, data)
    found = np.asarray(relay.compile(relay.load(model), threads=1)(data))
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)


def random(*shape: int) -> NDArray[np.float32]:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("op", ["MaxPool", "AveragePool", "LpPool"])
@pytest.mark.parametrize(("size", "stride"), [(3, 2), (3, 1), (2, 3), (2, 2)])
def test_windows_larger_than_the_data(op: str, size: int, stride: int) -> None:
    check(op, random(1, 2, size), kernel_shape=[4], strides=[stride])


@pytest.mark.parametrize("kind", [np.uint8, np.int32])
def test_shrink_of_integers(kind: type[np.generic]) -> None:
    check("Shrink", np.arange(6).astype(kind), lambd=1.5, bias=1.5)


def test_compress_of_nothing() -> None:
    check("Compress", random(0, 2), [np.array([True])], axis=0)


def test_indices_of_no_windows() -> None:
    node = helper.make_node("MaxPool", ["x"], ["", "y"], kernel_shape=[4], ceil_mode=1)
    model = single("Relu", random(1, 2, 3))
    model.graph.node[0].CopyFrom(node)
    found = np.asarray(relay.compile(relay.load(model), threads=1)(random(1, 2, 3)))
    assert (found.shape, found.dtype) == ((1, 2, 0), np.int64)


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
        (-1, 0, 1),
        (0, -9, -1),
        (-11, -(2**63), -1),
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


@pytest.mark.parametrize("seed", range(24))
def test_transposed_convolutions_of_random_shapes(seed: int):
    rng = np.random.default_rng(seed)
    rank, groups = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    strides, dilations, kernel = (rng.integers(1, 4, rank) for _ in range(3))
    sizes, pads = rng.integers(4, 9, rank), rng.integers(0, 2, 2 * rank)
    weight = random(groups * 2, int(rng.integers(1, 18)), *map(int, kernel))
    check(
        "ConvTranspose",
        random(2, groups * 2, *map(int, sizes)),
        [weight],
        group=groups,
        strides=strides.tolist(),
        dilations=dilations.tolist(),
        pads=pads.tolist(),
        output_padding=[int(rng.integers(0, stride)) for stride in strides],
    )


@pytest.mark.parametrize("auto", ["SAME_UPPER", "SAME_LOWER"])
@pytest.mark.parametrize(("kernel", "stride"), [(4, 2), (3, 2), (5, 3), (3, 1), (1, 2), (2, 3)])
def test_transposed_convolutions_of_the_same_size(auto: str, kernel: int, stride: int):
    """The standard says that the result is `stride` times as large; ONNX Runtime's may be less."""
    data, weight = random(1, 2, 7), random(2, 3, kernel)
    surplus = kernel - stride
    small, large = max(0, surplus) // 2, max(0, surplus) - max(0, surplus) // 2
    by_hand = {
        "strides": [stride],
        "pads": [small, large] if auto == "SAME_UPPER" else [large, small],
        "output_padding": [max(0, -surplus)],
    }
    model = single("ConvTranspose", data, [weight], auto_pad=auto, strides=[stride])
    found = np.asarray(relay.compile(relay.load(model), threads=1)(data))
    assert found.shape == (1, 3, 7 * stride)
    expected = reference(single("ConvTranspose", data, [weight], **by_hand), data)
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("size", [8, 9, 10])
def test_windows_that_rounding_up_adds_to_open_sizes(size: int):
    data = random(1, 2, size, 5)
    model = single("LpPool", data, kernel_shape=[3, 1], strides=[2, 2], ceil_mode=1)
    for axis in (2, 3):
        model.graph.input[0].type.tensor_type.shape.dim[axis].dim_param = f"d{axis}"
    found = np.asarray(relay.compile(relay.load(model), threads=1)(data))
    np.testing.assert_allclose(found, reference(model, data), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("include", [0, 1])
def test_a_rounded_up_window_that_begins_behind_the_data_is_left_out(include: int):
    data = random(1, 2, 5, 4)
    model = single(
        "AveragePool",
        data,
        kernel_shape=[2, 3],
        strides=[2, 3],
        pads=[1, 0, 1, 0],
        ceil_mode=1,
        count_include_pad=include,
    )
    found = np.asarray(relay.compile(relay.load(model), threads=1)(data))
    assert found.shape == (1, 2, 3, 2)
    np.testing.assert_allclose(found, reference(model, data), rtol=2e-5, atol=1e-6)


def test_a_backward_scan_of_constants_is_one_loop():
    """Both results come from one loop, whose variables are bound once."""
    infos = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [2])
        for name in ("s", "p", "x", "s2", "p2", "u", "v")
    ]
    step = [
        helper.make_node("Add", ["s", "x"], ["s2"]),
        helper.make_node("Mul", ["p", "x"], ["p2"]),
    ]
    body = helper.make_graph(step, "step", infos[:3], infos[3:5])
    scan = helper.make_node(
        "Scan",
        ["a", "a", "xs"],
        ["u", "v"],
        body=body,
        num_scan_inputs=1,
        scan_input_directions=[1],
    )
    known = [numpy_helper.from_array(random(2), "a"), numpy_helper.from_array(random(5, 2), "xs")]
    graph = helper.make_graph([scan], "constant", [], infos[5:], known)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    expected = ort.InferenceSession(model.SerializeToString()).run(None, {})
    found = relay.compile(relay.load(model), threads=1)()
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-6)


@pytest.mark.parametrize("data", [[1.0, np.inf], [-np.inf, -np.inf], [3.0, -np.inf], [np.nan, 1.0]])
def test_logarithms_of_sums_of_infinities(data: list[float]):
    check("ReduceLogSumExp", np.array([data], np.float32), [np.array([1])])


def test_no_axes_to_reduce():
    check("ReduceLogSumExp", random(2, 3), noop_with_empty_axes=1)


def test_the_product_of_no_axes_of_a_shape_is_the_shape():
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("ReduceProd", ["s"], ["y"], noop_with_empty_axes=1, keepdims=0),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
    y = helper.make_tensor_value_info("y", TensorProto.INT64, [2])
    graph = helper.make_graph(nodes, "shape", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    found = relay.compile(relay.load(model))(np.zeros((2, 3), np.float32))
    np.testing.assert_array_equal(found, [2, 3])


def test_a_long_range_is_not_computed_while_a_model_is_loaded():
    limits = [
        numpy_helper.from_array(np.array(v), n) for v, n in ((0, "a"), (50_000_000, "b"), (1, "c"))
    ]
    node = helper.make_node("Range", ["a", "b", "c"], ["y"])
    y = helper.make_tensor_value_info("y", TensorProto.INT64, [50_000_000])
    graph = helper.make_graph([node], "range", [], [y], limits)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    tracemalloc.start()
    relay.load(model)
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()


@pytest.mark.parametrize(
    "mode", ["half_pixel", "asymmetric", "pytorch_half_pixel", "align_corners"]
)
@pytest.mark.parametrize("rounding", ["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"])
@pytest.mark.parametrize("scale", [0.6, 0.7, 1.2, 1.5])
def test_nearest_elements_at_ties(mode: str, rounding: str, scale: float):
    for size in (4, 10, 15, 20):
        scales = numpy_helper.from_array(np.array([1, 1, scale], np.float32), "scales")
        node = helper.make_node(
            "Resize", ["x", "", "scales"], ["y"], mode="nearest",
            coordinate_transformation_mode=mode, nearest_mode=rounding,
        )  # fmt: skip
        data = random(1, 2, size)
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, data.shape)
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2, "n"])
        graph = helper.make_graph([node], "resize", [x], [y], [scales])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
        found = relay.compile(relay.load(model), threads=1)(data)
        np.testing.assert_array_equal(found, reference(model, data))


@pytest.mark.parametrize("shape", [[1], [5], [7, 1], [1, 5]])
def test_scales_of_a_normalisation_broadcast(shape: list[int]):
    data = random(4, 7, 5)
    model = single("LayerNormalization", data, [random(*shape)], axis=1)
    expected = reference(model, data)
    for axis in (0, 1):
        model.graph.input[0].type.tensor_type.shape.dim[axis].dim_param = f"d{axis}"
    found = np.asarray(relay.compile(relay.load(model), threads=1)(data))
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("scale", [3, [1, 2, 3, -4]])
def test_integer_products_that_are_scaled(scale: int | list[int]):
    weight = numpy_helper.from_array(np.arange(12, dtype=np.int32).reshape(3, 4) << 28, "w")
    by = numpy_helper.from_array(np.array(scale, np.int32), "s")
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("Mul", ["a", "s"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.INT32, [2, 3])
    y = helper.make_tensor_value_info("y", TensorProto.INT32, [2, 4])
    graph = helper.make_graph(nodes, "scaled", [x], [y], [weight, by])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    data = np.arange(6, dtype=np.int32).reshape(2, 3)
    found = relay.compile(relay.load(model), threads=1)(data)
    np.testing.assert_array_equal(found, reference(model, data))


def test_a_question_mark_is_no_name_of_a_size():
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["?", 3]) for n in "xyab"]
    nodes = [helper.make_node("Relu", [x], [y]) for x, y in ("xa", "yb")]
    graph = helper.make_graph(nodes, "unknown", infos[:2], infos[2:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    found = relay.compile(relay.load(model), threads=1)(random(2, 3), random(4, 3))
    assert [each.shape for each in found] == [(2, 3), (4, 3)]


@pytest.mark.parametrize(
    ("start", "end", "step"),
    [(1, -1, 1), (3, -2, 1), (-3, 4, 1), (7, -7, 1), (2, -5, -1), (-1, 3, -2)],
)
def test_ranges_whose_bounds_cross_are_empty(start: int, end: int, step: int):
    data = random(9, 2)
    bounds = [np.array([each]) for each in (start, end, 0, step)]
    model = single("Slice", data, bounds)
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "n"
    run = relay.compile(relay.load(model), threads=1)
    for size in range(9):
        np.testing.assert_array_equal(run(data[:size]), data[:size][start:end:step])


def test_statistics_of_float16_data_may_be_float32():
    """ONNX Runtime has no such kernel: the reference computes in float64."""
    data = random(2, 3, 4, 4).astype(np.float16)
    scale, shift, mean = (random(3) + step for step in range(3))
    variance = np.abs(random(3)) + 0.5
    model = single("BatchNormalization", data, [scale, shift, mean, variance])
    found = np.asarray(relay.compile(relay.load(model), threads=1)(data))
    scale, shift, mean, variance = (x.reshape(-1, 1, 1) for x in (scale, shift, mean, variance))
    expected = (data.astype(np.float64) - mean) / np.sqrt(variance + 1e-5) * scale + shift
    assert found.dtype == np.float16
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("scale", [0.5, np.inf])
def test_nan_is_quantised_to_the_lowest_integer(scale: float) -> None:
    data = np.array([-np.inf, np.inf, np.nan, -1, 0, 1], np.float32)
    check("QuantizeLinear", data, [np.array(scale, "f"), np.array(5, np.int8)])


@pytest.mark.parametrize("opset", [7, 10, 12])
def test_the_mask_of_dropout_depends_on_the_opset(opset: int) -> None:
    data = random(2, 3)
    model = single("Dropout", data)
    model.opset_import[0].version = opset
    model.graph.node[0].output.append("mask")
    model.graph.output.add(name="mask")
    expected = np.asarray(ort.InferenceSession(model.SerializeToString()).run(None, {"x": data})[1])
    found = np.asarray(relay.compile(relay.load(model), threads=1)(data)[1])
    np.testing.assert_array_equal(found, expected, strict=True)
