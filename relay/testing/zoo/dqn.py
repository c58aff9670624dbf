"""The deep Q-network that plays Atari games (Mnih et al., 2015)."""

from relay.ops.functions import nn
from relay.ops.functions.variables_and_constants import var
from relay.testing.zoo.layers import conv_relu, dense
from relay.testing.zoo.network import Network, Weights, with_weights


def network(batch: int = 1, actions: int = 18, size: int = 84) -> Network:
    """Return a network that maps four frames to the value of each action."""
    weights, data = Weights(), var("data", shape=(batch, 4, size, size))
    x = conv_relu(weights, data, 32, 8, stride=4, padding=0)
    x = conv_relu(weights, x, 64, 4, stride=2, padding=0)
    x = nn.batch_flatten(conv_relu(weights, x, 64, 3, padding=0))
    return weights.network([data], dense(weights, nn.relu(dense(weights, x, 512)), actions))


workload = with_weights(network)
