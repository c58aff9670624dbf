"""Resizing against ONNX Runtime and PyTorch, and its kernel formula against exact coordinates."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from relay.ir.dims import DimVar, multiply
from relay.ir.expr import Array
from relay.kernels import te
from relay.ops.image.resize import Resize2D
from relay.ops.image.resize_coordinates import source

ONNX_METHODS = {"nearest_neighbor": "nearest", "linear": "linear", "cubic": "cubic"}


def onnx_resize(x: Array, sizes: tuple[int, int], **attributes: Any) -> Array:
    onnx = pytest.importorskip("onnx")
    ort = pytest.importorskip("onnxruntime")
    roi = np.array(attributes.pop("roi", []), np.float32)
    helper = onnx.helper
    node = helper.make_node("Resize", ["x", "roi", "", "sizes"], ["y"], **attributes)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", 1, list(x.shape))],
        [helper.make_tensor_value_info("y", 1, None)],
        [
            onnx.numpy_helper.from_array(roi, "roi"),
            onnx.numpy_helper.from_array(np.array([*x.shape[:2], *sizes], np.int64), "sizes"),
        ],
    )
    opset = [helper.make_opsetid("", 13)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=8)
    return ort.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]


def image() -> Array:
    return np.random.default_rng(3).standard_normal((1, 2, 5, 7)).astype(np.float32)


SIZES = [(10, 14), (3, 4), (8, 5), (1, 1), (5, 7)]
MODES = ["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"]


@pytest.mark.onnx
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", ["linear", "cubic"])
def test_interpolation_is_onnx(size: tuple[int, int], mode: str, method: str) -> None:
    x = image()
    expected = onnx_resize(
        x, size, mode=ONNX_METHODS[method], coordinate_transformation_mode=mode, cubic_coeff_a=-0.5
    )
    ours = Resize2D(size, method=method, coordinate_transformation_mode=mode).reference(x)
    np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-5)


# ONNX Runtime takes 7 / 1 as 1 / float32(1 / 7), which floors to 2 where the position is exactly 3.
EXACT_SIZES = [*SIZES[:3], (1, 4), SIZES[4]]


@pytest.mark.onnx
@pytest.mark.parametrize("size", EXACT_SIZES)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rounding", ["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"])
def test_nearest_is_onnx(size: tuple[int, int], mode: str, rounding: str) -> None:
    x = image()
    expected = onnx_resize(
        x, size, mode="nearest", coordinate_transformation_mode=mode, nearest_mode=rounding
    )
    ours = Resize2D(
        size,
        method="nearest_neighbor",
        coordinate_transformation_mode=mode,
        rounding_method=rounding,
    )
    np.testing.assert_array_equal(ours.reference(x), expected)


@pytest.mark.onnx
def test_excluded_neighbours_are_onnx() -> None:
    x = image()
    expected = onnx_resize(x, (9, 4), mode="cubic", exclude_outside=1, cubic_coeff_a=-0.75)
    ours = Resize2D((9, 4), method="cubic", cubic_exclude=1, cubic_alpha=-0.75).reference(x)
    np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.onnx
def test_regions_are_onnx() -> None:
    x = image()
    mode = "tf_crop_and_resize"
    expected = onnx_resize(
        x,
        (4, 6),
        mode="linear",
        coordinate_transformation_mode=mode,
        extrapolation_value=9.0,
        roi=[0, 0, 0.25, -0.5, 1, 1, 1.25, 0.75],
    )
    ours = Resize2D(
        (4, 6),
        roi=(0.25, -0.5, 1.25, 0.75),
        coordinate_transformation_mode=mode,
        extrapolation_value=9.0,
    )
    np.testing.assert_allclose(ours.reference(x), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("size", "new"), [(3, 9), (9, 3), (7, 100), (100, 7), (224, 299)])
def test_coordinates_are_exact(size: int, new: int) -> None:
    found = source("half_pixel", size, new, None)
    step, offset, denominator = (int(n) for n in (found.step, found.offset, found.denominator))  # pyright: ignore[reportArgumentType] - sizes are numbers here
    for x in range(new):
        exact = (Fraction(x) + Fraction(1, 2)) * Fraction(size, new) - Fraction(1, 2)
        assert Fraction(step * x + offset, denominator) == exact


def test_a_batch_without_images_stays_one() -> None:
    found = Resize2D((3, 4)).reference(np.empty((0, 2, 5, 7), np.float16))
    assert (found.shape, found.dtype) == ((0, 2, 3, 4), np.float16)


def test_nearest_folds_to_a_plain_index_where_sizes_divide() -> None:
    found = source("asymmetric", 4, 8, None)
    assert (found.step, found.offset, found.denominator) == (1, 0, 2)
    assert found.nearest(te.const(5), "floor") is te.const(2)


@pytest.mark.parametrize(
    ("size", "new", "scale", "same"),
    [(32, 64, 2.0, True), (9, 27, 3.0, True), (35, 21, 0.6, False)],
)
def test_positions_in_float32_are_kept_where_they_round_to_another_element(
    size: int, new: int, scale: float, same: bool
) -> None:
    assert (source("asymmetric", size, new, scale).in_float32 is None) == same
    open_size = DimVar("n")
    found = source("asymmetric", open_size, multiply(open_size, 2), scale)
    assert (found.in_float32 is None) == same
