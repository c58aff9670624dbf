"""Translate `keras.ops` functions that cut, frame, filter or recolour images."""

from collections.abc import Sequence

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.colors import hue_saturation_value, red_green_blue
from relay.frontend.builders.operators_by_rank import CONV
from relay.frontend.builders.projective_transform import FILLS, Projection
from relay.frontend.builders.window_indices import columns_of_images, images_of_columns
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_operation
from relay.frontend.keras.translate.window_padding import (
    SPATIAL,
    data_layout,
    is_channels_first,
    padding,
)
from relay.frontend.node_errors import static_size, static_sizes
from relay.ir.dims import is_static
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.functions import core
from relay.support.error_codes import ErrorCode

_SOBEL: Sequence[Sequence[int]] = ((-1, -2, -1), (0, 0, 0), (1, 2, 1))


@keras_operation("CropImages", "PadImages")
def cut_or_framed(layer: LayerReader) -> Expr:
    """Translate `crop_images` and `pad_images`; two of margins and target size are given."""
    x = layer.tensor()
    crops = layer.kind == "CropImages"
    verb = "cropping" if crops else "padding"
    axes = [
        x.tensor_type.rank + each for each in ((-2, -1) if is_channels_first(layer) else (-3, -2))
    ]
    for axis, names in zip(
        axes, (("top", "bottom", "height"), ("left", "right", "width")), strict=True
    ):
        size = static_size(x.tensor_type.shape[axis])
        options = f"{names[0]}_{verb}", f"{names[1]}_{verb}", f"target_{names[2]}"
        before, after, target = (layer.option(name) for name in options)
        total = size - target if crops and target is not None else None
        if target is not None and not crops:
            total = target - size
        before = total - after if before is None else before
        after = total - before if after is None else after
        x = _cut(x, axis, before, size - after) if crops else _framed(x, axis, before, after)
    return x


def _cut(x: Expr, axis: int, begin: int, end: int) -> Expr:
    return rnp.take(x, np.arange(begin, end), axis=axis)


def _framed(x: Expr, axis: int, before: int, after: int) -> Expr:
    widths = [(before, after) if each == axis else (0, 0) for each in range(x.tensor_type.rank)]
    return rnp.pad(x, widths)


@keras_operation("ExtractPatches")
def patches(layer: LayerReader) -> Expr:
    """Translate `extract_patches`: the elements of a window become channels."""
    x = layer.tensor()
    rank = x.tensor_type.rank - 2
    size = layer.ints("size", rank)
    strides = layer.ints("strides", rank) if layer.option("strides") is not None else size
    dilation = layer.ints("dilation_rate", rank, 1)
    channels = static_size(x.tensor_type.shape[1 if is_channels_first(layer) else -1])
    count = int(np.prod(size)) * channels
    kernel = np.eye(count, dtype=x.tensor_type.dtype.numpy).reshape(*size, channels, count)
    op = CONV[rank](
        strides=strides, dilation=dilation, padding=padding(layer, size, strides, dilation),
        data_layout=data_layout(layer, rank), kernel_layout=f"{SPATIAL[rank]}IO",
    )  # fmt: skip
    return Call(op, (x, Constant(kernel)), span=layer.span)


@keras_operation("GaussianBlur")
def gaussian_blur(layer: LayerReader) -> Expr:
    """Translate `gaussian_blur`: a convolution of each channel with the product of two curves."""
    sizes, sigmas = layer.ints("kernel_size", 2, 3), layer.option("sigma") or (1.0, 1.0)
    curves = [_gauss(size, sigma) for size, sigma in zip(sizes, sigmas, strict=True)]
    kernel = np.multiply.outer(curves[1], curves[0]).reshape(sizes)
    return _filtered(layer, layer.tensor(), kernel)


def _gauss(size: int, sigma: float) -> Array:
    places = np.arange(size) - (size - 1) / 2
    curve = np.exp(-0.5 * (places / sigma) ** 2)
    return curve / curve.sum()


@keras_operation("SobelEdges")
def sobel_edges(layer: LayerReader) -> Expr:
    """Translate `sobel_edges`: the slopes along both axes, of images reflected at their borders."""
    x = layer.tensor()
    first = 2 if is_channels_first(layer) else 1
    widths = [
        (1, 1) if each in (first, first + 1) else (0, 0) for each in range(x.tensor_type.rank)
    ]
    framed = rnp.pad(x, widths, "reflect")
    down = np.array(_SOBEL, np.float32)
    slopes = [_filtered(layer, framed, kernel, same=False) for kernel in (down, down.T)]
    return rnp.stack(slopes, axis=-1)


def _filtered(layer: LayerReader, x: Expr, kernel: Array, *, same: bool = True) -> Expr:
    """Return each channel convolved with a kernel; with `same`, zeros frame the images."""
    channels = static_size(x.tensor_type.shape[1 if is_channels_first(layer) else -1])
    weights = np.repeat(kernel[:, :, None, None], channels, -1).astype(x.tensor_type.dtype.numpy)
    totals = [size - 1 if same else 0 for size in kernel.shape]
    frame = (*(each // 2 for each in totals), *(each - each // 2 for each in totals))
    op = CONV[2](
        padding=frame, groups=channels, data_layout=data_layout(layer, 2), kernel_layout="HWIO"
    )
    return Call(op, (x, Constant(weights)), span=layer.span)


@keras_operation("RGBToHSV", "HSVToRGB")
def colors(layer: LayerReader) -> Expr:
    """Translate `rgb_to_hsv` and `hsv_to_rgb`."""
    x = layer.tensor()
    axis = -3 if is_channels_first(layer) else -1
    last = rnp.moveaxis(x, axis, -1)
    if layer.kind == "RGBToHSV":
        found = rnp.stack(hue_saturation_value(last), axis=-1)
    else:
        found = red_green_blue(*rnp.unstack(last, axis=-1))
    return rnp.moveaxis(found, -1, axis)


@keras_operation("Unfold")
def unfold(layer: LayerReader) -> Expr:
    """Translate `unfold` of images `(N, C, H, W)`: the elements of each window are a column."""
    x = layer.tensor()
    sizes = x.tensor_type.shape[2:]
    if not is_static(sizes):
        raise layer.error(ErrorCode.F032, f"the sizes of the image must be known, not {sizes}")
    return columns_of_images(
        x, layer.ints("kernel_size", 2), layer.ints("padding", 2, 0),
        layer.ints("dilation", 2, 1), layer.ints("stride", 2, 1),
    )  # fmt: skip


@keras_operation("Fold")
def fold(layer: LayerReader) -> Expr:
    """Translate `fold`: images with each column added to the window that it belongs to."""
    frame = [(each, each) for each in layer.ints("padding", 2, 0)]
    return images_of_columns(
        layer.tensor(), layer.ints("output_size", 2), layer.ints("kernel_size", 2), frame,
        layer.ints("dilation", 2, 1), layer.ints("stride", 2, 1),
    )  # fmt: skip


@keras_operation("AffineTransform")
def affine_transform(layer: LayerReader) -> Expr:
    """Translate `affine_transform`: images moved by the eight numbers of a transform."""
    x, transform = (
        layer.as_tensor(layer.value(layer.argument(name, at)))
        for at, name in enumerate(("images", "transform"))
    )
    is_single, first = x.tensor_type.rank == 3, is_channels_first(layer)
    x = rnp.expand_dims(x, 0) if is_single else x
    x = core.transpose(x, (0, 2, 3, 1)) if first else x
    rows = rnp.expand_dims(transform, 0) if transform.tensor_type.rank == 1 else transform
    sizes, mode = x.tensor_type.shape[1:3], layer.text("fill_mode", "constant").upper()
    if not is_static(sizes):
        raise layer.error(ErrorCode.F032, f"the sizes of the image must be known, not {sizes}")
    if mode not in FILLS:
        raise layer.wrong("fill_mode", mode)
    height, width = static_sizes(sizes)
    moved = Projection(x, rows, (height, width), layer.number("fill_value", 0), mode)
    is_linear = layer.text("interpolation", "bilinear") == "bilinear"
    found = moved.linear() if is_linear else moved.nearest()
    found = core.transpose(found, (0, 3, 1, 2)) if first else found
    return rnp.squeeze(found, 0) if is_single else found
