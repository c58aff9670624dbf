"""Translate Keras normalisations, and layers that only have an effect in training."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_layer
from relay.frontend.node_errors import static_size
from relay.ir.expr import Array, Call, Constant, Expr, TupleGetItem
from relay.ops.binary import Maximum, add, divide, multiply, subtract
from relay.ops.nn.batch_norm_dropout import BatchNorm
from relay.ops.nn.normalization import GroupNorm, LayerNorm
from relay.ops.sum_and_mean_reductions import Mean, Sum, Variance
from relay.ops.transcendental import Rsqrt


@keras_layer("BatchNormalization")
def batch_norm(layer: LayerReader) -> Expr:
    """Translate `BatchNormalization`, with the stored mean and variance."""
    layer.ignore("renorm", "renorm_momentum", "renorm_clipping", "fused")
    has_gamma, has_beta = layer.flag("scale", default=True), layer.flag("center", default=True)
    arrays = layer.arrays(2 + has_gamma + has_beta)
    mean, variance = arrays[-2:]
    gamma = arrays[0] if has_gamma else np.ones_like(mean)
    beta = arrays[has_gamma] if has_beta else np.zeros_like(mean)
    op = BatchNorm(axis=layer.axis(), epsilon=layer.number("epsilon", 1e-3))
    vectors = layer.constants((gamma, beta, mean, variance))
    return TupleGetItem(Call(op, (layer.tensor(), *vectors), span=layer.span), 0)


@keras_layer("LayerNormalization")
def layer_norm(layer: LayerReader) -> Expr:
    """Translate `LayerNormalization`.

    The older option `rms_scaling` selects RMS normalisation.
    """
    x, axes, epsilon = layer.tensor(), layer.axes(), layer.number("epsilon", 1e-3)
    gamma, beta = _scale_and_shift(layer)
    if axes == (x.tensor_type.rank - 1,):
        size = (static_size(x.tensor_type.shape[-1]),)
        ones = layer.constant(np.ones(size)) if gamma is None else gamma
        zeros = layer.constant(np.zeros(size)) if beta is None else beta
        return Call(LayerNorm(axis=-1, epsilon=epsilon), (x, ones, zeros), span=layer.span)
    mean = Call(Mean(axis=axes, keepdims=True), (x,))
    variance = Call(Variance(axis=axes, keepdims=True), (x, mean))
    factor = Call(Rsqrt(), (add(variance, constant(epsilon, x.tensor_type.dtype)),))
    result = multiply(subtract(x, mean), factor)
    result = result if gamma is None else multiply(result, _along(gamma, x, axes))
    return result if beta is None else add(result, _along(beta, x, axes))


def _scale_and_shift(layer: LayerReader) -> tuple[Constant | None, Constant | None]:
    """Return the optional scale (gamma) and shift (beta) of a layer; None if disabled."""
    has_gamma, has_beta = layer.flag("scale", default=True), layer.flag("center", default=True)
    arrays = layer.constants(layer.arrays(has_gamma + has_beta))
    return arrays[0] if has_gamma else None, arrays[-1] if has_beta else None


def _along(weight: Constant, x: Expr, axes: tuple[int, ...]) -> Constant:
    """Reshape a weight along `axes` so that it broadcasts to `x`: other axes have size 1."""
    sizes = dict(zip(sorted(axes), weight.array.shape, strict=True))
    return Constant(weight.array.reshape([sizes.get(i, 1) for i in range(x.tensor_type.rank)]))


@keras_layer("GroupNormalization")
def group_norm(layer: LayerReader) -> Expr:
    """Translate `GroupNormalization`; -1 groups means one group per channel."""
    x, axis = layer.tensor(), layer.axis()
    channels = static_size(x.tensor_type.shape[axis])
    groups = layer.integer("groups", 32)
    gamma, beta = _scale_and_shift(layer)
    ones = layer.constant(np.ones(channels)) if gamma is None else gamma
    zeros = layer.constant(np.zeros(channels)) if beta is None else beta
    op = GroupNorm(
        axis=axis,
        num_groups=channels if groups == -1 else groups,
        epsilon=layer.number("epsilon", 1e-3),
    )
    return Call(op, (x, ones, zeros), span=layer.span)


@keras_layer("RMSNormalization")
def rms_norm(layer: LayerReader) -> Expr:
    """Translate `RMSNormalization`: divide by the root mean square, then scale."""
    x, axes = layer.tensor(), layer.axes()
    (gamma,) = layer.constants(layer.arrays(1))
    squares = Call(Mean(axis=axes, keepdims=True), (multiply(x, x),))
    epsilon = constant(layer.number("epsilon", 1e-6), x.tensor_type.dtype)
    return multiply(multiply(x, Call(Rsqrt(), (add(squares, epsilon),))), _along(gamma, x, axes))


@keras_layer("UnitNormalization")
def unit_norm(layer: LayerReader) -> Expr:
    """Translate `UnitNormalization`: divide by the L2 norm."""
    x = layer.tensor()
    squares = Call(Sum(axis=layer.axes(), keepdims=True), (multiply(x, x),))
    smallest = constant(1e-12, x.tensor_type.dtype)
    return multiply(x, Call(Rsqrt(), (Call(Maximum(), (squares, smallest)),)))


@keras_layer("Normalization")
def normalization(layer: LayerReader) -> Expr:
    """Translate `Normalization`: subtract a mean and divide by a standard deviation.

    They come from options, or from weights that were adapted to data.
    """
    x = layer.tensor()
    center, spread = (each.astype(np.float64) for each in _statistics(layer, x))
    deviation = np.maximum(np.sqrt(spread), 1e-7)
    if layer.flag("invert"):
        return add(multiply(x, layer.constant(deviation)), layer.constant(center))
    return divide(subtract(x, layer.constant(center)), layer.constant(deviation))


def _statistics(layer: LayerReader, x: Expr) -> list[Array]:
    """Return mean and variance in the shape in which they broadcast: size 1 along other axes."""
    axes = () if layer.option("axis", -1) is None else layer.axes()
    shape = tuple(
        static_size(size) if axis in axes else 1 for axis, size in enumerate(x.tensor_type.shape)
    )
    found: list[Any] = [layer.option("mean"), layer.option("variance")]
    if None in found:
        stored = layer.weights.arrays()
        found = layer.as_weights(stored, max(len(stored), 2))[:2]
    kept = tuple(shape[axis] for axis in sorted(axes))
    return [np.broadcast_to(np.asarray(each), kept).reshape(shape) for each in found]


@keras_layer(
    "Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "AlphaDropout",
    "GaussianNoise", "GaussianDropout", "ActivityRegularization", "Identity", "StochasticDepth",
    "AugMix", "CutMix", "MixUp", "RandAugment", "Solarization", *(
        f"Random{name}" for name in (
            "Brightness", "ColorDegeneration", "ColorJitter", "Contrast", "ElasticTransform",
            "Erasing", "Flip", "GaussianBlur", "Grayscale", "Hue", "Invert", "Perspective",
            "Posterization", "Rotation", "Saturation", "Sharpness", "Shear", "Translation", "Zoom",
        )
    ),
)  # fmt: skip
def identity(layer: LayerReader) -> Expr:
    """Return the argument unchanged: these layers only have an effect in training."""
    layer.ignore(*layer.layer.options)
    layer.argument("training", 1)
    return layer.tensor()


@keras_layer("SpectralNormalization")
def spectral_norm(layer: LayerReader) -> Sequence[Expr]:
    """Translate `SpectralNormalization`: its inner layer, whose weights are already normalised."""
    layer.ignore("power_iterations")
    layer.argument("training", 1)
    weights = layer.weights.without("vector_u").part("layer")
    return layer.apply(layer.inside("layer"), [layer.first()], weights)


@keras_layer("Pipeline")
def pipeline(layer: LayerReader) -> Sequence[Expr]:
    """Translate `Pipeline`: layers one after the other."""
    layer.argument("training", 1)
    parts = [layer.layer_of(each, "layers") for each in layer.option("layers", [])]
    results: Sequence[Expr] = [layer.tensor()]
    for part, weights in zip(parts, layer.weights.of_layers(parts), strict=True):
        results = layer.apply(part, results, weights)
    return results


@keras_layer("Rescaling")
def rescaling(layer: LayerReader) -> Expr:
    """Translate `Rescaling`: multiply by `scale` and add `offset`, scalars or one per channel."""
    x = layer.tensor()
    factor, offset = (
        np.asarray(layer.option(name, default))
        for name, default in (("scale", 1.0), ("offset", 0.0))
    )
    return add(multiply(x, layer.constant(factor)), layer.constant(offset))


@keras_layer("LayerScale")
def layer_scale(layer: LayerReader) -> Expr:
    """Translate `LayerScale` of ConvNeXt: scale each channel by a weight."""
    layer.ignore("init_values", "projection_dim")
    (gamma,) = layer.constants(layer.arrays(1))
    return multiply(layer.tensor(), gamma)


@keras_layer("CustomScaleLayer")
def custom_scale(layer: LayerReader) -> Expr:
    """Translate `CustomScaleLayer` of Inception-ResNet: `x + scale · y`."""
    x, y = layer.tensors()
    return add(x, multiply(y, constant(layer.number("scale"), x.tensor_type.dtype)))
