"""Multi-layer perceptrons: 784-512-512-10 at any batch size."""

from benchmarks.networks.layers import Layers, V, Weights


def perceptron(net: Layers[V], weights: Weights, batch: int) -> None:
    """Build the three-layer perceptron over `batch` flattened digits."""
    x = net.input("digits", (batch, 784))
    x = net.relu(net.linear(x, *weights.dense(784, 512)))
    x = net.relu(net.linear(x, *weights.dense(512, 512)))
    net.output("logits", net.linear(x, *weights.dense(512, 10)), (batch, 10))
