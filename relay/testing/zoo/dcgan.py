"""The generator network of DCGAN, which maps noise to images (Radford et al., 2015)."""

from relay.ir.expr import Expr
from relay.ops.functions import core, nn
from relay.ops.functions.variables_and_constants import var
from relay.testing.zoo.layers import batch_norm, channels_of, dense
from relay.testing.zoo.network import Network, Weights, with_weights


def network(batch: int = 1, noise: int = 100, width: int = 128, channels: int = 3) -> Network:
    """Return a network of transposed convolutions from 4×4 to 64×64 pixels.

    The last but one has `width` channels.
    """
    weights, data = Weights(), var("data", shape=(batch, noise))
    x = core.reshape(dense(weights, data, 8 * width * 4 * 4), (batch, 8 * width, 4, 4))
    x = nn.relu(batch_norm(weights, x))
    for size in (4 * width, 2 * width, width):
        x = nn.relu(batch_norm(weights, _enlarged(weights, x, size)))
    return weights.network([data], core.tanh(_enlarged(weights, x, channels)))


def _enlarged(weights: Weights, x: Expr, channels: int) -> Expr:
    weight = weights.matrix("deconv", (channels_of(x), channels, 4, 4))
    return nn.conv2d_transpose(x, weight, strides=2, padding=1)


workload = with_weights(network)
