"""Translate Keras layers that resize or crop images."""

from collections.abc import Callable, Mapping, Sequence

from relay.frontend.builders.filter_resizing import FILTERS, resized_by_filter
from relay.frontend.builders.image_resizing import resized_cubic
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_layer
from relay.frontend.keras.translate.window_padding import (
    data_layout,
    is_channels_first,
    spatial_sizes,
)
from relay.frontend.node_errors import static_sizes
from relay.ir.dims import Dim, is_static
from relay.ir.expr import Call, Expr
from relay.ops.functions import core
from relay.ops.image.resize import Resize2D
from relay.ops.nn.pad import Pad
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.tile_and_repeat import Repeat
from relay.support.error_codes import ErrorCode

_METHODS: Mapping[str, str] = {
    "nearest": "box",
    "bilinear": "triangle",
    "bicubic": "keyscubic",
    "lanczos3": "lanczos3",
    "lanczos5": "lanczos5",
}
"""The filters of the methods."""

_INTERPOLATIONS: Mapping[str, str] = {
    "nearest": "nearest_neighbor",
    "bilinear": "linear",
    "bicubic": "cubic",
}
"""The methods that interpolate between neighbours."""


@keras_layer("UpSampling1D", "UpSampling2D", "UpSampling3D")
def upsampling(layer: LayerReader) -> Expr:
    """Translate upsampling layers: repeat elements along spatial axes, or interpolate."""
    rank = int(layer.kind[-2])
    factors = layer.ints("size", rank, 2)
    method = layer.text("interpolation", "nearest")
    if method != "nearest":
        sizes = spatial_sizes(layer)
        wanted = tuple(s * f for s, f in zip(sizes, factors, strict=True))
        return resized(layer, layer.tensor(), wanted, method)
    result = layer.tensor()
    first = 2 if is_channels_first(layer) else 1
    for axis, factor in enumerate(factors, first):
        result = Call(Repeat(factor, axis), (result,), span=layer.span)
    return result


@keras_layer("Resizing")
def resizing(layer: LayerReader) -> Expr:
    """Translate `Resizing` of images to a fixed size, which may keep the ratio of their sides."""
    layer.ignore("fill_mode")  # always constant
    layer.argument("training", 1)
    size = (layer.integer("height"), layer.integer("width"))
    method, x = layer.text("interpolation", "bilinear"), layer.tensor()
    if layer.flag("crop_to_aspect_ratio"):
        x = _cropped_to_ratio(layer, x, size)
    if layer.flag("pad_to_aspect_ratio"):
        x = _padded_to_ratio(layer, x, size)
    layer.ignore("fill_value")
    return resized(layer, x, size, method)


def _static_sizes(layer: LayerReader) -> tuple[int, int]:
    rows, columns = spatial_sizes(layer)
    if not isinstance(rows, int) or not isinstance(columns, int):
        what = f"the sizes of the image must be known at compile time, but are {rows} and {columns}"
        raise layer.error(ErrorCode.F032, what)
    return rows, columns


def _cropped_to_ratio(layer: LayerReader, x: Expr, size: tuple[int, int]) -> Expr:
    """Return the middle of images that has the ratio of sides of `size`."""
    rows, columns = _static_sizes(layer)
    wanted = (
        max(min(rows, int(columns * size[0] / size[1])), 1),
        max(min(columns, int(rows * size[1] / size[0])), 1),
    )
    begin = tuple(int((a - b) / 2) for a, b in zip((rows, columns), wanted, strict=True))
    return _part(layer, x, begin, wanted)


def _padded_to_ratio(layer: LayerReader, x: Expr, size: tuple[int, int]) -> Expr:
    """Return images in the middle of larger ones that have the ratio of sides of `size`."""
    sides = _static_sizes(layer)
    rows, columns = sides
    wanted = (
        max(rows, int(columns * size[0] / size[1])),
        max(columns, int(rows * size[1] / size[0])),
    )
    pairs = [
        (int((whole - side) / 2), int((whole - side) / 2))
        for side, whole in zip(sides, wanted, strict=True)
    ]
    none = (0, 0)
    frame = (none, none, *pairs) if is_channels_first(layer) else (none, *pairs, none)
    value = constant(layer.number("fill_value", 0.0), x.tensor_type.dtype)
    return Call(Pad(tuple(frame)), (x, value), span=layer.span)


def _part(layer: LayerReader, x: Expr, begin: Sequence[int], size: Sequence[int]) -> Expr:
    """Return a rectangle of images."""
    first = 2 if is_channels_first(layer) else 1
    end = tuple(b + w for b, w in zip(begin, size, strict=True))
    op = StridedSlice(tuple(begin), end, axes=(first, first + 1))
    return Call(op, (x,), span=layer.span)


def resized(layer: LayerReader, x: Expr, size: tuple[Dim, ...], method: str) -> Expr:
    """Return resized images, as Keras does with TensorFlow; raises `F038` for unknown methods.

    1. A filter weighs all elements of a region for Lanczos's methods, and with antialiasing.
    2. Positions of neighbours are rounded for bicubic interpolation of images of known sizes.
    3. Others are interpolated between the neighbours of exact positions.
    """
    if method not in _METHODS:
        raise layer.error(ErrorCode.F038, f"the option interpolation cannot be '{method}'",
                          help=f"set interpolation to one of {', '.join(_METHODS)}")  # fmt: skip
    smooths = layer.flag("antialias") and method != "nearest"
    if smooths or method not in _INTERPOLATIONS:
        _static_sizes(layer)
        how = FILTERS[_METHODS[method]]
        return _of_last_channels(
            layer, x, lambda x: resized_by_filter(x, static_sizes(size), how, smooths=smooths)
        )
    if method == "bicubic" and is_static((*spatial_sizes(layer), *size)):
        return _of_last_channels(
            layer, x, lambda x: resized_cubic(x, static_sizes(size), corners=False, centres=True)
        )
    op = Resize2D(
        size=size,
        layout=data_layout(layer, 2),
        method=_INTERPOLATIONS[method],
        coordinate_transformation_mode="half_pixel",
        rounding_method="round" if method == "nearest" else "",
        cubic_exclude=1,
    )
    return Call(op, (x,), span=layer.span)


def _of_last_channels(layer: LayerReader, x: Expr, resize: Callable[[Expr], Expr]) -> Expr:
    """Apply a function to images whose channels are the last axis."""
    if not is_channels_first(layer):
        return resize(x)
    last = resize(core.transpose(x, (0, 2, 3, 1)))
    return core.transpose(last, (0, 3, 1, 2))


@keras_layer("CenterCrop")
def center_crop(layer: LayerReader) -> Expr:
    """Translate `CenterCrop`: the middle of images; smaller images are resized and cropped."""
    layer.argument("training", 1)
    wanted = (layer.integer("height"), layer.integer("width"))
    sizes = _static_sizes(layer)
    if all(size >= want for size, want in zip(sizes, wanted, strict=True)):
        begin = [(size - want) // 2 for size, want in zip(sizes, wanted, strict=True)]
        return _part(layer, layer.tensor(), begin, wanted)
    return resized(layer, _cropped_to_ratio(layer, layer.tensor(), wanted), wanted, "bilinear")
