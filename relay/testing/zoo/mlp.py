"""A multilayer perceptron for handwritten digits."""

from collections.abc import Sequence

from relay.ops.functions import nn
from relay.ops.functions.variables_and_constants import var
from relay.testing.zoo.layers import dense
from relay.testing.zoo.network import Network, Weights, with_weights


def network(
    batch: int = 1,
    image: Sequence[int] = (1, 28, 28),
    units: Sequence[int] = (128, 64),
    classes: int = 10,
) -> Network:
    """Return dense layers with ReLU between them and a softmax at the end."""
    weights, data = Weights(), var("data", shape=(batch, *image))
    x = nn.batch_flatten(data)
    for size in units:
        x = nn.relu(dense(weights, x, size))
    return weights.network([data], nn.softmax(dense(weights, x, classes)))


workload = with_weights(network)
