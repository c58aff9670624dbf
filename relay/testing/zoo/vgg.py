"""VGG: stacks of 3×3 convolutions (Simonyan and Zisserman, 2014)."""

from relay.ops.functions import nn
from relay.ops.functions.variables_and_constants import var
from relay.testing.zoo.layers import conv_norm_relu, conv_relu, dense
from relay.testing.zoo.network import Network, Weights, with_weights

STAGES = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}
"""Convolutions of each stage by the number of layers."""


def network(
    layers: int = 16,
    batch: int = 1,
    classes: int = 1000,
    size: int = 224,
    width: int = 64,
    units: int = 4096,
    *,
    batch_norm: bool = False,
) -> Network:
    """Return the network; the first stage has `width` channels."""
    conv = conv_norm_relu if batch_norm else conv_relu
    weights, data = Weights(), var("data", shape=(batch, 3, size, size))
    x = data
    for stage, count in enumerate(STAGES[layers]):
        for _ in range(count):
            x = conv(weights, x, min(width << stage, 8 * width), 3)
        x = nn.max_pool2d(x, pool_size=2, strides=2)
    x = nn.batch_flatten(x)
    for _ in range(2):
        x = nn.relu(dense(weights, x, units))
    return weights.network([data], nn.softmax(dense(weights, x, classes)))


workload = with_weights(network)
