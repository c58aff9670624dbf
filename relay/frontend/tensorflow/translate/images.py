"""Translate TensorFlow image resizing, cropping, patches and non-maximum suppression."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.image_resizing import (
    resized_cubic,
    resized_linear,
    resized_nearest,
)
from relay.frontend.builders.non_max_suppression import best_boxes, sized
from relay.frontend.builders.projective_transform import FILLS, Projection
from relay.frontend.builders.run_time_slices import first_of
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.builders.window_indices import column_places
from relay.frontend.node_errors import static_sizes
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.frontend.tensorflow.translate.convolution import padding, per_axis
from relay.ir.dims import is_static, product
from relay.ir.expr import Call, Constant, Expr, TupleGetItem
from relay.ops.cast import Cast
from relay.ops.functions import core
from relay.ops.image.crop_and_resize import CropAndResize
from relay.ops.nn.pad import Pad
from relay.ops.tensor.gather import Take
from relay.ops.tensor.sort import Argsort
from relay.ops.vision.all_class_non_max_suppression import AllClassNonMaxSuppression
from relay.support.dtype import float32, int32, int64
from relay.support.error_codes import ErrorCode

_PADDED = "pass pad_to_max_output_size=True, and read the number of valid boxes, the second output"


def _images(node: TfNode) -> Expr:
    """Return the images as float32, the element type of interpolated results."""
    x = node.expr(0)
    return x if x.tensor_type.dtype is float32 else Call(Cast(float32), (x,))


def _size(node: TfNode, index: int = 1) -> tuple[int, ...]:
    """Return the new size of images; raises `F032` unless their own sizes are static."""
    if not is_static(node.type(0).shape[1:3]):
        raise node.error(
            ErrorCode.F032,
            "the height and width of the images must be known at compile time",
            "specify them: relay.load(path, shapes={…})",
        )
    return node.ints(index, "the size")


def _positions(node: TfNode) -> dict[str, bool]:
    return {"corners": node.flag("align_corners"), "centres": node.flag("half_pixel_centers")}


@tf_operator("ResizeBilinear")
def resize_bilinear(node: TfNode) -> Expr:
    """Translate `ResizeBilinear`."""
    return resized_linear(_images(node), _size(node), **_positions(node))


@tf_operator("ResizeNearestNeighbor")
def resize_nearest(node: TfNode) -> Expr:
    """Translate `ResizeNearestNeighbor`."""
    return resized_nearest(node.expr(0), _size(node), **_positions(node))


@tf_operator("ResizeBicubic")
def resize_bicubic(node: TfNode) -> Expr:
    """Translate `ResizeBicubic`."""
    return resized_cubic(_images(node), _size(node), **_positions(node))


@tf_operator("CropAndResize")
def crop_and_resize(node: TfNode) -> Expr:
    """Translate `CropAndResize`: cut boxes out of images and resize them."""
    method = {"bilinear": "bilinear", "nearest": "nearest_neighbor"}[
        node.text("method", "bilinear")
    ]
    op = CropAndResize(
        node.ints(3, "the size"), "NHWC", method, node.number("extrapolation_value", 0.0)
    )
    return Call(op, (_images(node), node.expr(1), node.expr(2)), span=node.span)


@tf_operator("NonMaxSuppressionV2", "NonMaxSuppressionV3")
def non_max_suppression(node: TfNode) -> Expr:
    """Translate `NonMaxSuppression`: indices of the selected boxes, a dynamic number."""
    least = node.expr(4) if node.op.endswith("V3") else constant(-np.inf, float32)
    numbers, _, number = _best(node, least)
    return first_of(numbers, reshape(Call(Cast(int64), (number,)), (1,)))


@tf_operator("NonMaxSuppressionV4")
def padded_non_max_suppression(node: TfNode) -> Sequence[Expr]:
    """Translate `NonMaxSuppressionV4`: indices padded with zeros, and their number."""
    if not node.flag("pad_to_max_output_size"):
        raise node.error(ErrorCode.F030, "pad_to_max_output_size=False is not supported", _PADDED)
    numbers, _, number = _best(node, node.expr(4))
    return [numbers, number]


@tf_operator("NonMaxSuppressionV5")
def scored_non_max_suppression(node: TfNode) -> Sequence[Expr]:
    """Translate `NonMaxSuppressionV5`: indices and scores, padded, and their number."""
    if float(node.constant(5, "sigma").reshape(())) != 0:
        raise node.error(
            ErrorCode.F030,
            "soft_nms_sigma, which lowers the scores of overlapping boxes, is not supported",
            "pass soft_nms_sigma=0, so that overlapping boxes are removed",
        )
    if not node.flag("pad_to_max_output_size"):
        raise node.error(ErrorCode.F030, "pad_to_max_output_size=False is not supported", _PADDED)
    return _best(node, node.expr(4))


def _best(node: TfNode, least: Expr) -> Sequence[Expr]:
    count = node.integer(2, "the number of boxes")
    return best_boxes(node.expr(0), node.expr(1), count, node.expr(3), least)


@tf_operator("NonMaxSuppression")
def first_non_max_suppression(node: TfNode) -> Expr:
    """Translate `NonMaxSuppression`, whose largest allowed overlap is an attribute."""
    overlap = constant(node.number("iou_threshold", 0.5), float32)
    count = node.integer(2, "the number of boxes")
    least = constant(-np.inf, float32)
    numbers, _, number = best_boxes(node.expr(0), node.expr(1), count, overlap, least)
    return first_of(numbers, reshape(Call(Cast(int64), (number,)), (1,)))


@tf_operator("CombinedNonMaxSuppression")
def combined_non_max_suppression(node: TfNode) -> Sequence[Expr]:
    """Translate `CombinedNonMaxSuppression`: the best boxes of all classes of each image.

    Raises `F030` if each class has separate boxes.
    """
    boxes, scores = node.expr(0), node.expr(1)
    batch, count, owners, _ = boxes.tensor_type.shape
    if owners != 1:
        raise node.error(
            ErrorCode.F030,
            f"separate boxes for each class are not supported: axis 2 of boxes must have size 1, "
            f"not {owners}",
        )
    (classes,) = static_sizes(scores.tensor_type.shape[2:])
    most = node.integer(2, "the largest number of boxes of a class")
    total = node.integer(3, "the largest number of boxes of an image")
    size = min(total, most * classes) if node.flag("pad_per_class") else total
    by_class = core.transpose(scores, (0, 2, 1))
    flat = reshape(boxes, (batch, count, 4))
    limits = (constant(most, int64), *(reshape(node.expr(index), ()) for index in (4, 5)))
    found = Call(AllClassNonMaxSuppression("tensorflow"), (flat, by_class, *limits))
    rows, kept, number = (TupleGetItem(found, index) for index in range(3))
    rows, kept = (sized(each, 1, size) for each in _best_first(rows, kept))
    valid = core.minimum(Call(Cast(int32), (number,)), constant(size, int32))
    places = Constant(np.arange(size, dtype=np.int32).reshape(1, size))
    inside = core.less(places, core.expand_dims(valid, 1))
    chosen, numbers = (core.take(rows, constant(part, int64), axis=2) for part in (1, 0))
    read = Call(Take(axis=1, batch_dims=1), (flat, chosen))
    if node.attribute("clip_boxes", default=True):
        read = core.clip(read, 0.0, 1.0)
    zero, numbers = constant(0, float32), Call(Cast(float32), (numbers,))
    shown = core.where(core.expand_dims(inside, 2), read, zero)
    return [shown, *(core.where(inside, each, zero) for each in (kept, numbers)), valid]


def _best_first(rows: Expr, scores: Expr) -> tuple[Expr, Expr]:
    """Return the rows and scores of each image by descending scores; unused rows, -1, are last."""
    is_used = core.greater_equal(core.take(rows, constant(0, int64), axis=2), constant(0, int64))
    last = constant(np.inf, float32)
    order = Call(Argsort(axis=1), (core.where(is_used, core.negative(scores), last),))
    left, right = (Call(Take(axis=1, batch_dims=1), (each, order)) for each in (rows, scores))
    return left, right


@tf_operator("ExtractImagePatches", "ExtractVolumePatches")
def extract_patches(node: TfNode) -> Expr:
    """Translate `ExtractImagePatches` (im2col): the elements of a window become channels."""
    layout = "NHWC" if node.op == "ExtractImagePatches" else "NDHWC"
    ones = (1,) * len(layout)
    window, strides, rates = (
        per_axis(layout, node.ints_of(name, ones)) for name in ("ksizes", "strides", "rates")
    )
    batch, *sizes, channels = node.type(0).shape
    pairs = padding(node, layout, sizes, window, strides, rates)
    x = node.expr(0)
    zero = constant(0, x.tensor_type.dtype)
    framed = Call(Pad(((0, 0), *pairs, (0, 0))), (x, zero))
    whole = static_sizes(framed.tensor_type.shape[1:-1])
    places = Constant(column_places(whole, window, rates, strides).T)
    rows = reshape(framed, (batch, product(whole), channels))
    taps = Call(Take(axis=1, mode="fast"), (rows, places), span=node.span)
    counts = [
        (size - (k - 1) * d - 1) // s + 1
        for size, k, d, s in zip(whole, window, rates, strides, strict=True)
    ]
    return reshape(taps, (batch, *counts, places.array.shape[1] * channels))


@tf_operator("ImageProjectiveTransformV2", "ImageProjectiveTransformV3")
def projective_transform(node: TfNode) -> Expr:
    """Translate `ImageProjectiveTransformV3`: rotated, scaled or moved images."""
    height, width = _size(node, 2)
    mode = node.text("fill_mode", "CONSTANT")
    if mode not in FILLS:
        raise node.wrong("fill_mode")
    fill = node.expr(3) if len(node.inputs) > 3 else 0.0
    moved = Projection(_images(node), node.expr(1), (height, width), fill, mode)
    is_linear = node.text("interpolation") == "BILINEAR"
    found = moved.linear() if is_linear else moved.nearest()
    return converted(found, node.type(0).dtype)
