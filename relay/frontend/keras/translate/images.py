"""Translate Keras layers that resize or crop images."""

from collections.abc import Mapping

from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_layer
from relay.frontend.keras.translate.window_padding import (
    data_layout,
    is_channels_first,
    spatial_sizes,
)
from relay.ir.dims import Dim
from relay.ir.expr import Call, Expr
from relay.ops.image.resize import Resize2D
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.tile_and_repeat import Repeat
from relay.support.error_codes import ErrorCode

_METHODS: Mapping[str, str] = {
    "nearest": "nearest_neighbor",
    "bilinear": "linear",
    "bicubic": "cubic",
}


@keras_layer("UpSampling1D", "UpSampling2D", "UpSampling3D")
def upsampling(layer: LayerReader) -> Expr:
    """Translate upsampling layers: repeat elements along spatial axes, or interpolate."""
    rank = int(layer.kind[-2])
    factors = layer.ints("size", rank, 2)
    method = layer.text("interpolation", "nearest")
    if method != "nearest":
        sizes = spatial_sizes(layer)
        return _resized(layer, tuple(s * f for s, f in zip(sizes, factors, strict=True)), method)
    result = layer.tensor()
    first = 2 if is_channels_first(layer) else 1
    for axis, factor in enumerate(factors, first):
        result = Call(Repeat(factor, axis), (result,), span=layer.span)
    return result


@keras_layer("Resizing")
def resizing(layer: LayerReader) -> Expr:
    """Translate `Resizing` of images to a fixed size."""
    layer.ignore("fill_mode", "fill_value")  # only for pad_to_aspect_ratio
    layer.argument("training", 1)
    size = (layer.integer("height"), layer.integer("width"))
    return _resized(layer, size, layer.text("interpolation", "bilinear"))


def _resized(layer: LayerReader, size: tuple[Dim, ...], method: str) -> Expr:
    if method not in _METHODS:
        raise layer.error(ErrorCode.F038, f"the option interpolation cannot be '{method}'",
                          help=f"set interpolation to one of {', '.join(_METHODS)}")  # fmt: skip
    op = Resize2D(
        size=size,
        layout=data_layout(layer, 2),
        method=_METHODS[method],
        coordinate_transformation_mode="half_pixel",
        rounding_method="round" if method == "nearest" else "",
        cubic_exclude=1,
    )
    return Call(op, (layer.tensor(),), span=layer.span)


@keras_layer("CenterCrop")
def center_crop(layer: LayerReader) -> Expr:
    """Translate `CenterCrop` of images that are at least as large as the result."""
    layer.argument("training", 1)
    wanted = (layer.integer("height"), layer.integer("width"))
    begin: list[Dim] = []
    sizes = zip(("rows", "columns"), spatial_sizes(layer), wanted, strict=True)
    for lines, size, want in sizes:
        if not isinstance(size, int):
            what = (
                f"the number of {lines} of the image must be known at compile time, but is {size}"
            )
            raise layer.error(ErrorCode.F032, what)
        if size < want:
            what = f"the image has {size} {lines}, but must have at least {want}"
            raise layer.error(ErrorCode.F030, what)
        begin.append((size - want) // 2)
    first = 2 if is_channels_first(layer) else 1
    end = tuple(b + w for b, w in zip(begin, wanted, strict=True))
    op = StridedSlice(tuple(begin), end, axes=(first, first + 1))
    return Call(op, (layer.tensor(),), span=layer.span)
