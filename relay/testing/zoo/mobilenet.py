"""MobileNet, versions 1 and 2, with depthwise convolutions (Howard, 2017; Sandler, 2018)."""

from relay.ir.expr import Expr
from relay.ops.functions import core
from relay.ops.functions.variables_and_constants import var
from relay.testing.zoo.layers import channels_of, classify, conv_norm, conv_norm_relu
from relay.testing.zoo.network import Network, Weights, with_weights

V1 = (
    (64, 1),
    (128, 2),
    (128, 1),
    (256, 2),
    (256, 1),
    (512, 2),
    *[(512, 1)] * 5,
    (1024, 2),
    (1024, 1),
)
"""Channels and stride of each block."""

V2 = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
"""Expansion, channels, number of blocks and first stride of each stage."""


def network(batch: int = 1, classes: int = 1000, size: int = 224, width: float = 1.0) -> Network:
    """Return MobileNet v1: blocks of a depthwise and a pointwise convolution."""
    weights, data = Weights(), var("data", shape=(batch, 3, size, size))
    x = conv_norm_relu(weights, data, _scaled(32, width), 3, stride=2)
    for channels, stride in V1:
        x = conv_norm_relu(weights, x, channels_of(x), 3, stride=stride, groups=channels_of(x))
        x = conv_norm_relu(weights, x, _scaled(channels, width), 1)
    return weights.network([data], classify(weights, x, classes))


def v2_network(batch: int = 1, classes: int = 1000, size: int = 224, width: float = 1.0) -> Network:
    """Return MobileNet v2: inverted residual blocks."""
    weights, data = Weights(), var("data", shape=(batch, 3, size, size))
    x = _relu6(conv_norm(weights, data, _scaled(32, width), 3, stride=2))
    for expansion, channels, count, first in V2:
        for at in range(count):
            x = _inverted(weights, x, expansion, _scaled(channels, width), 1 if at else first)
    x = _relu6(conv_norm(weights, x, _scaled(1280, max(width, 1.0)), 1))
    return weights.network([data], classify(weights, x, classes))


def _inverted(weights: Weights, x: Expr, expansion: int, channels: int, stride: int) -> Expr:
    inside = channels_of(x) * expansion
    inner = x if expansion == 1 else _relu6(conv_norm(weights, x, inside, 1))
    inner = _relu6(conv_norm(weights, inner, inside, 3, stride=stride, groups=inside))
    inner = conv_norm(weights, inner, channels, 1)
    return inner + x if stride == 1 and channels_of(x) == channels else inner


def _relu6(x: Expr) -> Expr:
    return core.clip(x, 0.0, 6.0)


def _scaled(channels: int, width: float) -> int:
    """Return `channels * width`, rounded to a multiple of 8."""
    return max(8, int(channels * width + 4) // 8 * 8)


workload = with_weights(network)
v2_workload = with_weights(v2_network)
