"""Inception-v3: parallel branches of convolutions of several sizes (Szegedy et al., 2015)."""

from relay.ir.expr import Expr
from relay.ops.functions import core, nn
from relay.ops.functions.variables_and_constants import var
from relay.testing.zoo.layers import classify
from relay.testing.zoo.layers import conv_norm_relu as conv
from relay.testing.zoo.network import Network, Weights, with_weights


def network(batch: int = 1, classes: int = 1000, size: int = 299) -> Network:
    """Return the network; `size` must be at least 75 pixels."""
    weights, data = Weights(), var("data", shape=(batch, 3, size, size))
    x = _stem(weights, data)
    for pooled in (32, 64, 64):
        x = _small(weights, x, pooled)
    x = _shrink_small(weights, x)
    for channels in (128, 160, 160, 192):
        x = _factored(weights, x, channels)
    x = _shrink_factored(weights, x)
    for _ in range(2):
        x = _wide(weights, x)
    return weights.network([data], classify(weights, x, classes))


def _stem(w: Weights, x: Expr) -> Expr:
    x = conv(w, x, 32, 3, stride=2, padding=0)
    x = conv(w, conv(w, x, 32, 3, padding=0), 64, 3)
    x = nn.max_pool2d(x, pool_size=3, strides=2)
    x = conv(w, conv(w, x, 80, 1), 192, 3, padding=0)
    return nn.max_pool2d(x, pool_size=3, strides=2)


def _small(w: Weights, x: Expr, pooled: int) -> Expr:
    """Concatenate branches: 1×1, 5×5, two 3×3 convolutions, and an average pooling."""
    five = conv(w, conv(w, x, 48, 1), 64, 5)
    three = conv(w, conv(w, conv(w, x, 64, 1), 96, 3), 96, 3)
    return _join(conv(w, x, 64, 1), five, three, conv(w, _average(x), pooled, 1))


def _shrink_small(w: Weights, x: Expr) -> Expr:
    three = conv(w, conv(w, conv(w, x, 64, 1), 96, 3), 96, 3, stride=2, padding=0)
    return _join(conv(w, x, 384, 3, stride=2, padding=0), three, _largest(x))


def _factored(w: Weights, x: Expr, channels: int) -> Expr:
    """Concatenate branches: 1×1, 7×7 factored into 1×7 and 7×1 (once, twice), and an average."""
    once = conv(w, conv(w, conv(w, x, channels, 1), channels, (1, 7)), 192, (7, 1))
    twice = conv(w, x, channels, 1)
    for kernel in ((7, 1), (1, 7), (7, 1)):
        twice = conv(w, twice, channels, kernel)
    twice = conv(w, twice, 192, (1, 7))
    return _join(conv(w, x, 192, 1), once, twice, conv(w, _average(x), 192, 1))


def _shrink_factored(w: Weights, x: Expr) -> Expr:
    three = conv(w, conv(w, x, 192, 1), 320, 3, stride=2, padding=0)
    seven = conv(w, conv(w, conv(w, x, 192, 1), 192, (1, 7)), 192, (7, 1))
    return _join(three, conv(w, seven, 192, 3, stride=2, padding=0), _largest(x))


def _wide(w: Weights, x: Expr) -> Expr:
    """Concatenate branches: 1×1, 3×3 factored in both directions at two depths, an average."""
    three = _both_ways(w, conv(w, x, 384, 1))
    deep = _both_ways(w, conv(w, conv(w, x, 448, 1), 384, 3))
    return _join(conv(w, x, 320, 1), three, deep, conv(w, _average(x), 192, 1))


def _both_ways(w: Weights, x: Expr) -> Expr:
    return _join(conv(w, x, 384, (1, 3)), conv(w, x, 384, (3, 1)))


def _join(*branches: Expr) -> Expr:
    return core.concatenate(branches, axis=1)


def _average(x: Expr) -> Expr:
    return nn.avg_pool2d(x, pool_size=3, padding=1, count_include_pad=True)


def _largest(x: Expr) -> Expr:
    return nn.max_pool2d(x, pool_size=3, strides=2)


workload = with_weights(network)
