"""SqueezeNet, a small image classifier with few weights (Iandola et al., 2016)."""

from relay.ir.expr import Expr
from relay.ops.functions import core, nn
from relay.ops.functions.variables_and_constants import var
from relay.testing.zoo.layers import conv_relu
from relay.testing.zoo.network import Network, Weights, with_weights

STEMS = {"1.0": (96, 7), "1.1": (64, 3)}
"""Channels and size of the first convolution, by the version."""

STAGES = {
    "1.0": ((16, 16, 32), (32, 48, 48, 64), (64,)),
    "1.1": ((16, 16), (32, 32), (48, 48, 64, 64)),
}
"""The squeezed channels of each fire module; they expand to eight times as many."""


def network(batch: int = 1, classes: int = 1000, size: int = 224, version: str = "1.1") -> Network:
    """Return the network, a stack of fire modules, which squeeze and expand channels."""
    weights, data = Weights(), var("data", shape=(batch, 3, size, size))
    channels, kernel = STEMS[version]
    x = conv_relu(weights, data, channels, kernel, stride=2)
    for stage in STAGES[version]:
        x = nn.max_pool2d(x, pool_size=3, strides=2)
        for narrow in stage:
            x = _fire(weights, x, narrow)
    x = nn.global_avg_pool2d(conv_relu(weights, x, classes, 1))
    return weights.network([data], nn.softmax(nn.batch_flatten(x)))


def _fire(weights: Weights, x: Expr, narrow: int) -> Expr:
    squeezed = conv_relu(weights, x, narrow, 1)
    parts = [conv_relu(weights, squeezed, 4 * narrow, kernel) for kernel in (1, 3)]
    return core.concatenate(parts, axis=1)


workload = with_weights(network)
