"""Calls that `tools/fuzz_operators.py` found: what operators refuse, and values at the edges."""

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest

import relay
from relay.ir.expr import Constant
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.semantics.apply_operator import apply
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayTypeError
from relay.targets.cpu import this_cpu
from relay.testing.compile_operator import run_operator

FP8, FP4 = ml_dtypes.float8_e5m2, ml_dtypes.float4_e2m1fn


def operator(name: str, attributes: Mapping[str, object]) -> OperatorDef:
    return cast("OperatorDef", OPERATORS[name].made(attributes))


def call(name: str, *shapes: tuple[int, ...], kind: Any, **attributes: object) -> None:
    op = operator(name, attributes)
    op.result_type([Constant(np.zeros(shape, kind)).type for shape in shapes])


@pytest.mark.parametrize(
    ("name", "shapes", "kind", "attributes"),
    [
        ("nn.conv1d", [(1, 2, 5), (3, 2, 3)], bool, {}),
        ("nn.conv1d_transpose", [(1, 2, 5), (2, 3, 3)], bool, {}),
        ("nn.conv1d", [(1, 2, 5), (3, 2, 3)], np.float32, {"out_dtype": "int32"}),
        ("nn.dense", [(2, 3), (4, 3)], bool, {}),
        ("nn.matmul", [(2, 3), (3, 4)], FP8, {}),
        ("nn.contrib_dense_pack", [(2, 3), (4, 3)], bool, {"weight_layout": "NC"}),
        ("nn.max_pool2d", [(1, 2, 4, 4)], FP8, {"pool_size": (2, 2)}),
        ("nn.adaptive_max_pool1d", [(1, 2, 4)], FP8, {"output_size": (2,)}),
        ("nn.avg_pool1d_grad", [(1, 2, 4), (1, 2, 4)], np.int8, {"pool_size": (1,)}),
        ("image.resize2d", [(1, 2, 4, 4)], FP4, {"size": (2, 2)}),
        ("nn.bias_add", [(2, 3), (3,)], bool, {}),
        ("sort", [(3,)], FP4, {}),
        ("cumsum", [(3,)], FP8, {"axis": 0}),
        ("cumsum", [(3,)], np.float32, {"dtype": "bool"}),
        ("cumprod", [(3,)], np.float32, {"dtype": "float8_e5m2"}),
        ("arange", [(), (), ()], np.float32, {"dtype": "bool"}),
        ("nn.bitpack", [(1, 16)], np.int32, {"pack_type": "float16"}),
        ("gather_nd_grad", [(2, 3), (1, 2), (2, 3)], FP4, {}),
    ],
)
def test_elements_without_arithmetic_are_refused(name, shapes, kind, attributes):
    with pytest.raises(RelayTypeError, match="T102"):
        call(name, *shapes, kind=kind, **attributes)


def test_an_average_of_no_elements_is_refused():
    with pytest.raises(RelayTypeError, match="axis H needs at least one element, not 0"):
        call("nn.adaptive_avg_pool2d", (1, 2, 0, 4), kind=np.float32, output_size=(2, 2))


@pytest.mark.parametrize(
    "attributes",
    [
        {"axes": (3,), "begin": (0,), "size": (1,), "strides": (1,)},
        {"axes": (0, 1), "begin": (0,), "size": (1,), "strides": (1,)},
        {"axes": (0,), "begin": (0,), "size": (1,), "strides": (0,)},
    ],
)
def test_parts_that_make_no_sense_are_refused(attributes):
    with pytest.raises(RelayTypeError):
        call("dyn.part", (2, 3), kind=np.float32, **attributes)


def test_sizes_are_bound_to_names():
    with pytest.raises(RelayTypeError, match="the names must be names of sizes"):
        call("dyn.with_sizes", (2, 3), (1,), kind=np.int64, names=(3,))


def check(name: str, *arrays: np.ndarray, **attributes: object) -> np.ndarray:
    """Return the value of the reference, which compiled code has, too."""
    op = operator(name, attributes)
    wanted = np.asarray(apply(op, *arrays))
    found = np.asarray(run_operator(op, arrays, this_cpu()))
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)
    return wanted


def test_a_fill_value_is_converted_to_integers():
    x = np.arange(8).reshape(1, 1, 2, 4)
    attributes = {"roi": (0.0, 0.0, 2.0, 1.0), "extrapolation_value": 7.6}
    found = check("image.resize2d", x, size=(3, 4), method="nearest_neighbor",
                  coordinate_transformation_mode="tf_crop_and_resize", **attributes)  # fmt: skip
    assert (found[0, 0, 2] == 7).all()


def test_a_resize_to_bytes_saturates():
    x = np.array([[[[-3.0, 300.0]]]], np.float32)
    assert check("image.resize2d", x, size=(1, 2), out_dtype="uint8").ravel().tolist() == [0, 255]


def test_the_largest_of_a_region_may_be_nan():
    image = np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2)
    image[0, 0, 0, 1] = np.nan
    region = np.array([[0, 0, 0, 1, 1]], np.float32)
    attributes = {"pooled_size": (1, 1), "spatial_scale": 1.0}
    assert check("vision.roi_pool_places", image, region, **attributes).item() == 1


def test_a_scalar_may_be_dense():
    arrays = (np.zeros((0, 0), np.int64), np.zeros(0, np.float32), np.float32(3))
    op = operator("sparse_to_dense", {"output_shape": ()})
    assert apply(op, *map(np.asarray, arrays)) == 3


def test_windows_of_bytes_are_moved():
    x = np.arange(6, dtype=np.float32).astype(FP8)
    op = operator("sliding_window", {"axis": 0, "window_shape": (2,), "strides": (2,)})
    found = apply(op, x)
    assert np.asarray(found).astype(float).tolist() == [[0, 1], [2, 3], [4, 5]]


def test_a_transformed_convolution_has_the_requested_elements():
    x = relay.var("x", shape=(1, 2, 7, 6))
    weight = relay.var("w", shape=(4, 4, 3, 2))
    result = relay.nn.contrib_conv2d_winograd_without_weight_transform(
        x, weight, tile_size=2, padding=1, out_dtype="float64"
    )
    run = relay.compile(relay.IRModule.from_expr(relay.Function((x, weight), result)), threads=1)
    rng = np.random.default_rng(0)
    arrays = [rng.random(size, np.float32) for size in ((1, 2, 7, 6), (4, 4, 3, 2))]
    found = run(*arrays)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, apply(cast("OperatorDef", result.op), *arrays), 1e-6)


def test_a_zero_point_is_subtracted_in_32_bits():
    given = np.array([np.iinfo(np.int32).min, 5], np.int32)
    x = relay.var("x", shape=(2,), dtype="int32")
    parameters = (np.float32(0.5), np.int32(3), np.float32(0.5), np.int32(0))
    scale, zero, target, none = map(relay.const, parameters)
    moved = relay.qnn.requantize(x, scale, zero, target, none)
    run = relay.compile(relay.IRModule.from_expr(relay.Function((x,), moved)), threads=1)
    wanted = apply(cast("OperatorDef", moved.op), given, *map(np.asarray, parameters))
    assert run(given).tolist() == np.asarray(wanted).tolist() == [127, 2]


def test_sums_of_two_bits_wrap_around():
    ones = np.ones((1, 1, 2, 3), ml_dtypes.uint2)
    found = check("nn.conv2d", ones, ones)
    assert found.astype(int).ravel().tolist() == [6 % 4]


def test_sums_of_averages_wrap_around_in_the_type_of_the_elements():
    largest = np.full((1, 1, 1, 2), 0xFFFFFFFF, np.uint32)
    assert check("nn.global_avg_pool2d", largest).item() == 0xFFFFFFFE // 2
    assert check("nn.avg_pool2d", largest, pool_size=(1, 2)).item() == 0xFFFFFFFE // 2


@pytest.mark.parametrize(("index", "nearest"), [(-2, 0), (5, 1)])
def test_a_box_outside_of_the_batch_is_in_the_nearest_image(index, nearest):
    images = np.arange(8, dtype=np.float32).reshape(2, 1, 2, 2)
    x, boxes = relay.const(images), relay.const(np.array([[0, 0, 1, 1]], np.float32))
    which = relay.var("i", shape=(1,), dtype="int32")
    cropped = relay.image.crop_and_resize(x, boxes, which, crop_size=(2, 2))
    run = relay.compile(relay.IRModule.from_expr(relay.Function((which,), cropped)), threads=1)
    given = np.array([index], np.int32)
    np.testing.assert_array_equal(run(given), images[nearest : nearest + 1])
    wanted = apply(cast("OperatorDef", cropped.op), images, boxes.data, given)
    np.testing.assert_array_equal(wanted, images[nearest : nearest + 1])


def test_nan_stays_nan_in_simulated_quantisation():
    op = operator("qnn.simulated_quantize", {})
    given = (np.array([np.nan, 3.0], np.float32), np.int32(1), np.float32(0.5), np.int32(0))
    np.testing.assert_array_equal(apply(op, *map(np.asarray, given)), [np.nan, 6])


def test_sums_of_quantised_products_are_integers():
    with pytest.raises(
        RelayTypeError, match="out_dtype must be an integer type of at least 32 bits, not float64"
    ):
        operator("qnn.dense", {"out_dtype": "float64"})


def test_vectors_of_four_bits_are_not_shuffled():
    rng = np.random.default_rng(0)
    shapes = ((2, 4, 3, 3), (1, 2, 12, 4))
    arrays = [rng.integers(0, 8, shape).astype(ml_dtypes.uint4) for shape in shapes]
    x, weight = (relay.var("x", shape=shape, dtype="uint4") for shape in shapes)
    result = relay.nn.contrib_conv2d_gemm_without_weight_transform(
        x, weight, channels=3, kernel_size=(1, 2), out_dtype="int32"
    )
    run = relay.compile(relay.IRModule.from_expr(relay.Function((x, weight), result)), threads=1)
    np.testing.assert_array_equal(run(*arrays), apply(cast("OperatorDef", result.op), *arrays))


def test_a_slice_has_at_most_as_many_bounds_as_axes():
    types = [Constant(np.zeros(shape, np.int64)).type for shape in ((6, 5), (1,), (1,), (1,))]
    op = operator("dyn.strided_slice", {"axes": ()})
    with pytest.raises(
        RelayTypeError, match="slice bounds for 1 axes are passed, but `axes` lists 0"
    ):
        op.result_type(types)


def test_no_images_have_no_boxes():
    op = operator("vision.all_class_non_max_suppression", {"output_format": "tensorflow"})
    boxes, scores = np.zeros((0, 5, 4), np.float32), np.zeros((0, 3, 5), np.float32)
    rest = map(np.asarray, (np.int64(2), np.float32(0.5), np.float32(0)))
    assert [each.shape for each in apply(op, boxes, scores, *rest)] == [(0, 15, 2), (0, 15), (0,)]


@pytest.mark.parametrize("kind", [np.int8, bool])
def test_the_fill_of_a_dilation_is_converted(kind):
    found = check("nn.dilate", np.ones(2, kind), strides=(2,), dilation_value=-1.25)
    assert found.tolist() == [1, kind(-1.25), 1]


def test_a_window_in_the_padding_picks_nothing():
    x = np.arange(1, 17, dtype=np.float32).reshape(1, 1, 4, 4)
    window = {"pool_size": (2, 2), "strides": (7, 7), "ceil_mode": True}
    assert check("nn.max_pool2d_pick", x, x, **window).tolist() == [[[[6, 0], [0, 0]]]]


def test_a_maximum_of_four_bits_is_the_lowest_number_in_the_padding():
    x = np.zeros((1, 1, 4), ml_dtypes.int4)
    found = check("nn.max_pool1d", x, pool_size=2, strides=7, ceil_mode=True)
    assert found.astype(int).tolist() == [[[0, -8]]]


def test_bytes_of_floats_are_scattered():
    places, value = relay.const(np.array([1])), relay.var("x", shape=(1,), dtype="float8_e5m2")
    dense = relay.sparse_to_dense(places, (2,), value, relay.const(np.array(2, FP8)))
    run = relay.compile(relay.IRModule.from_expr(relay.Function((value,), dense)), threads=1)
    assert run(np.array([3], FP8)).astype(float).tolist() == [2, 3]


def test_a_choice_among_nothing_is_refused():
    n = relay.DimVar("n")
    key, shares = relay.var("key", shape=(10,), dtype="uint64"), relay.var("p", shape=(n,))
    drawn = relay.TupleWrapper(relay.random.multinomial(key, shares, num_samples=2), 2)[1]
    module = relay.IRModule.from_expr(relay.Function((key, shares), drawn))
    arrays = (np.zeros(10, np.uint64), np.zeros(0, np.float32))
    for run in (relay.compile(module, threads=1), partial(evaluate, module)):
        with pytest.raises(
            relay.RelayError, match="probs has 0 probabilities, but at least one is needed"
        ):
            run(*arrays)


def test_an_open_vector_of_scales_has_one_for_each_channel():
    n = relay.DimVar("n")
    x, scale = relay.var("x", shape=(2, 3)), relay.var("s", shape=(n,))
    code, zero = relay.const(np.int32(1)), relay.const(np.int32(0))
    real = relay.Call(operator("qnn.simulated_dequantize", {}), (x, code, scale, zero))
    module = relay.IRModule.from_expr(relay.Function((x, scale), real))
    arrays = (np.ones((2, 3), np.float32), np.ones(1, np.float32))
    for run in (relay.compile(module, threads=1), partial(evaluate, module)):
        with pytest.raises(relay.RelayError, match="R054"):
            run(*arrays)


def test_products_of_operands_that_exceed_half_precision():
    x = np.array([[70_000, 0]], np.int32)
    for name in ("nn.dense", "nn.batch_matmul"):
        op = operator(name, {"out_dtype": "float16"})
        args = (x, x[:, ::-1]) if name == "nn.dense" else (x[None], x[None, :, ::-1].mT)
        found = run_operator(op, [np.ascontiguousarray(each) for each in args], this_cpu())
        assert np.ravel(found).tolist() == [0]


def test_slices_of_an_axis_without_elements_are_empty() -> None:
    run = relay.compile(
        relay.parse("""#[version = "0.0.5"]
def @main(%x: Tensor[(0, 3), float32], %b: Tensor[(1), int64]) {
  dyn.strided_slice(%x, %b, %b, %b)
}"""),
        threads=1,
    )
    assert run(np.zeros((0, 3), np.float32), np.array([2])).shape == (0, 3)
