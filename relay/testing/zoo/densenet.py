"""DenseNet: each layer reads all previous layers of its block (Huang et al., 2016)."""

from collections.abc import Sequence

from relay.ir.expr import Expr
from relay.ops.functions import core, nn
from relay.ops.functions.variables_and_constants import var
from relay.testing.zoo.layers import batch_norm, channels_of, classify, conv, conv_norm_relu
from relay.testing.zoo.network import Network, Weights, with_weights


def network(
    blocks: Sequence[int] = (6, 12, 24, 16),
    batch: int = 1,
    classes: int = 1000,
    size: int = 224,
    growth: int = 32,
) -> Network:
    """Return the network, DenseNet-121 by default; each layer adds `growth` channels."""
    weights, data = Weights(), var("data", shape=(batch, 3, size, size))
    x = conv_norm_relu(weights, data, 2 * growth, 7, stride=2)
    x = nn.max_pool2d(x, pool_size=3, strides=2, padding=1)
    for block, layers in enumerate(blocks):
        if block:
            x = conv(weights, nn.relu(batch_norm(weights, x)), channels_of(x) // 2, 1)
            x = nn.avg_pool2d(x, pool_size=2, strides=2)
        for _ in range(layers):
            x = core.concatenate([x, _layer(weights, x, growth)], axis=1)
    x = nn.relu(batch_norm(weights, x))
    return weights.network([data], classify(weights, x, classes))


def _layer(weights: Weights, x: Expr, growth: int) -> Expr:
    narrow = conv(weights, nn.relu(batch_norm(weights, x)), 4 * growth, 1)
    return conv(weights, nn.relu(batch_norm(weights, narrow)), growth, 3)


workload = with_weights(network)
