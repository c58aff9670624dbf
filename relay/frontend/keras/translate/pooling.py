"""Translate Keras poolings: over windows, and global."""

from collections.abc import Mapping, Sequence

from relay.frontend.builders.operators_by_rank import AVERAGE_POOL, MAX_POOL
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_layer, keras_operation
from relay.frontend.keras.translate.window_padding import data_layout, is_channels_first, padding
from relay.ir.expr import Call, Expr
from relay.ops.binary import divide, multiply
from relay.ops.cast import Cast
from relay.ops.max_min_reductions import Max
from relay.ops.nn.adaptive_pool_operators import (
    AdaptiveAvgPool,
    AdaptiveAvgPool1D,
    AdaptiveAvgPool2D,
    AdaptiveAvgPool3D,
    AdaptiveMaxPool,
    AdaptiveMaxPool1D,
    AdaptiveMaxPool2D,
    AdaptiveMaxPool3D,
    GlobalAvgPool2D,
)
from relay.ops.nn.pool_base import Pool
from relay.ops.sum_and_mean_reductions import Mean, Sum
from relay.ops.tensor.reshape import ExpandDims

_ADAPTIVE: Mapping[str, Sequence[type[AdaptiveAvgPool] | type[AdaptiveMaxPool]]] = {
    "Average": (AdaptiveAvgPool1D, AdaptiveAvgPool2D, AdaptiveAvgPool3D),
    "Max": (AdaptiveMaxPool1D, AdaptiveMaxPool2D, AdaptiveMaxPool3D),
}


def _rank(layer: LayerReader) -> int:
    """Return the number of spatial axes from the class name: 2 for `MaxPooling2D`."""
    return int(layer.kind.partition("Pooling")[2][0])


@keras_operation("MaxPool")
@keras_layer("MaxPooling1D", "MaxPooling2D", "MaxPooling3D")
def maximum(layer: LayerReader) -> Expr:
    """Translate max pooling."""
    return _pooled(layer, MAX_POOL)


@keras_operation("AveragePool")
@keras_layer("AveragePooling1D", "AveragePooling2D", "AveragePooling3D")
def average(layer: LayerReader) -> Expr:
    """Translate average pooling; padding does not count."""
    return _pooled(layer, AVERAGE_POOL)


def _pooled(layer: LayerReader, classes: Mapping[int, type[Pool]]) -> Expr:
    rank = layer.type().rank - 2
    size = layer.ints("pool_size", rank)
    strides = layer.ints("strides", rank) if layer.option("strides") is not None else size
    op = classes[rank](
        pool_size=size,
        strides=strides,
        padding=padding(layer, size, strides, (1,) * rank),
        layout=data_layout(layer, rank),
    )
    return Call(op, (layer.tensor(),), span=layer.span)


@keras_layer("GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalMaxPooling3D")
def global_maximum(layer: LayerReader) -> Expr:
    """Translate global max pooling layers."""
    op = Max(axis=_spatial(layer), keepdims=layer.flag("keepdims"))
    return Call(op, (layer.tensor(),), span=layer.span)


@keras_layer("GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalAveragePooling3D")
def global_average(layer: LayerReader) -> Expr:
    """Translate global average pooling layers; masked time steps of a sequence do not count."""
    keepdims, x, mask = layer.flag("keepdims"), layer.tensor(), layer.mask()
    if mask is not None:
        steps, channels = (2, 1) if is_channels_first(layer) else (1, 2)
        there = Call(ExpandDims(channels), (Call(Cast(x.tensor_type.dtype), (mask,)),))
        total = Call(Sum(axis=(steps,), keepdims=keepdims), (multiply(x, there),))
        return divide(total, Call(Sum(axis=(steps,), keepdims=keepdims), (there,)))
    if _rank(layer) != 2:
        return Call(Mean(axis=_spatial(layer), keepdims=keepdims), (x,), span=layer.span)
    pooled = Call(GlobalAvgPool2D(layout=data_layout(layer, 2)), (x,), span=layer.span)
    shape = x.tensor_type.shape
    channels = shape[1] if is_channels_first(layer) else shape[-1]
    return pooled if keepdims else reshape(pooled, (shape[0], channels))


def _spatial(layer: LayerReader) -> tuple[int, ...]:
    first = 2 if is_channels_first(layer) else 1
    return tuple(range(first, first + _rank(layer)))


@keras_operation("AdaptiveAveragePool", "AdaptiveMaxPool")
@keras_layer(*(f"Adaptive{kind}Pooling{rank}D" for kind in _ADAPTIVE for rank in (1, 2, 3)))
def adaptive(layer: LayerReader) -> Expr:
    """Translate poolings to a fixed size."""
    rank, kind = layer.type().rank - 2, "Max" if "Max" in layer.kind else "Average"
    op = _ADAPTIVE[kind][rank - 1](
        output_size=layer.ints("output_size", rank), layout=data_layout(layer, rank)
    )
    return Call(op, (layer.tensor(),), span=layer.span)
