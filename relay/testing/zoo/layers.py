"""Layers of the zoo's networks, which create their weights; images are NCHW."""

from typing import Any

from relay.ir.dims import static
from relay.ir.expr import Expr
from relay.ops.functions import nn
from relay.testing.zoo.network import Weights

Pair = tuple[int, int]


def conv(
    weights: Weights,
    x: Expr,
    channels: int,
    kernel: int | Pair,
    *,
    stride: int = 1,
    padding: int | Pair | None = None,
    groups: int = 1,
) -> Expr:
    """Return a convolution without bias; the default padding keeps the size at stride 1."""
    size = (kernel, kernel) if isinstance(kernel, int) else kernel
    around = (size[0] // 2, size[1] // 2) if padding is None else padding
    inputs = channels_of(x) // groups
    weight = weights.matrix("conv", (channels, inputs, *size))
    return nn.conv2d(x, weight, strides=stride, padding=around, groups=groups)


def batch_norm(weights: Weights, x: Expr) -> Expr:
    """Return batch normalisation with stored statistics, which are near 0 and 1."""
    size = channels_of(x)
    gamma, beta = weights.around("gamma", size, 1.0), weights.around("beta", size, 0.0)
    mean, variance = weights.around("mean", size, 0.0), weights.around("variance", size, 1.0)
    return nn.batch_norm(x, gamma, beta, mean, variance)[0]


def conv_norm(weights: Weights, x: Expr, channels: int, kernel: int | Pair, **how: Any) -> Expr:
    """Return a convolution followed by batch normalisation."""
    return batch_norm(weights, conv(weights, x, channels, kernel, **how))


def conv_norm_relu(
    weights: Weights, x: Expr, channels: int, kernel: int | Pair, **how: Any
) -> Expr:
    """Return a convolution followed by batch normalisation and ReLU."""
    return nn.relu(conv_norm(weights, x, channels, kernel, **how))


def conv_relu(weights: Weights, x: Expr, channels: int, kernel: int | Pair, **how: Any) -> Expr:
    """Return a convolution with bias followed by ReLU."""
    return nn.relu(biased(weights, conv(weights, x, channels, kernel, **how)))


def biased(weights: Weights, x: Expr) -> Expr:
    """Return `x` plus a bias for each channel."""
    return nn.bias_add(x, weights.around("bias", channels_of(x), 0.0))


def dense(weights: Weights, x: Expr, units: int) -> Expr:
    """Return a dense layer: multiply the last axis by a matrix and add a bias."""
    (inputs,) = static(x.tensor_type.shape[-1:])
    product = nn.dense(x, weights.matrix("dense", (units, inputs)))
    return nn.bias_add(product, weights.around("bias", units, 0.0), axis=-1)


def classify(weights: Weights, x: Expr, classes: int) -> Expr:
    """Return class probabilities: global average pooling, a dense layer, and softmax."""
    pooled = nn.batch_flatten(nn.global_avg_pool2d(x))
    return nn.softmax(dense(weights, pooled, classes))


def channels_of(x: Expr) -> int:
    """Return the number of channels, the size of the second axis."""
    (channels,) = static(x.tensor_type.shape[1:2])
    return channels
