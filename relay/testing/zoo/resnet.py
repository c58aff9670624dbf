"""Residual networks (He et al., 2015): 18 to 152 layers, and smaller ones for CIFAR."""

from collections.abc import Sequence

from relay.ir.expr import Expr
from relay.ops.functions import nn
from relay.ops.functions.variables_and_constants import var
from relay.testing.zoo.layers import channels_of, classify, conv_norm, conv_norm_relu
from relay.testing.zoo.network import Network, Weights, with_weights

BLOCKS = {
    18: (2, 2, 2, 2),
    34: (3, 4, 6, 3),
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
    200: (3, 24, 36, 3),
}
"""Blocks of each stage by the number of layers; from 50 on they are bottlenecks."""


def network(
    layers: int = 18, batch: int = 1, classes: int = 1000, size: int = 224, width: int = 64
) -> Network:
    """Return the network of four stages; the first has `width` channels.

    The first convolution and a pooling reduce images by a factor of four, unless they have at most
    32 pixels.
    """
    weights, data = Weights(), var("data", shape=(batch, 3, size, size))
    if size <= 32:
        x = conv_norm_relu(weights, data, width, 3)
    else:
        x = conv_norm_relu(weights, data, width, 7, stride=2)
        x = nn.max_pool2d(x, pool_size=3, strides=2, padding=1)
    x = _stages(weights, x, BLOCKS[layers], width, bottleneck=layers >= 50)
    return weights.network([data], classify(weights, x, classes))


def cifar_network(
    layers: int = 20, batch: int = 1, classes: int = 10, size: int = 32, width: int = 16
) -> Network:
    """Return the network of `6 n + 2` layers for small images, with three stages of n blocks."""
    weights, data = Weights(), var("data", shape=(batch, 3, size, size))
    x = conv_norm_relu(weights, data, width, 3)
    x = _stages(weights, x, ((layers - 2) // 6,) * 3, width, bottleneck=False)
    return weights.network([data], classify(weights, x, classes))


def _stages(
    weights: Weights, x: Expr, blocks: Sequence[int], width: int, *, bottleneck: bool
) -> Expr:
    """Return all stages; each halves the image and doubles the channels."""
    block = _bottleneck if bottleneck else basic_block
    for stage, count in enumerate(blocks):
        for at in range(count):
            stride = 2 if stage and not at else 1
            x = block(weights, x, width << stage, stride)
    return x


def basic_block(weights: Weights, x: Expr, channels: int, stride: int) -> Expr:
    """Return a residual block of two convolutions; `stride` is that of the first one."""
    inner = conv_norm_relu(weights, x, channels, 3, stride=stride)
    inner = conv_norm(weights, inner, channels, 3)
    return nn.relu(inner + _shortcut(weights, x, channels, stride))


def _bottleneck(weights: Weights, x: Expr, channels: int, stride: int) -> Expr:
    inner = conv_norm_relu(weights, x, channels, 1)
    inner = conv_norm_relu(weights, inner, channels, 3, stride=stride)
    inner = conv_norm(weights, inner, 4 * channels, 1)
    return nn.relu(inner + _shortcut(weights, x, 4 * channels, stride))


def _shortcut(weights: Weights, x: Expr, channels: int, stride: int) -> Expr:
    if stride == 1 and channels_of(x) == channels:
        return x
    return conv_norm(weights, x, channels, 1, stride=stride)


workload = with_weights(network)
cifar_workload = with_weights(cifar_network)
