"""A residual network of 18 layers for video, with 3×3×3 kernels (Tran et al., 2017)."""

from relay.ir.expr import Expr
from relay.ops.functions import nn
from relay.ops.functions.variables_and_constants import var
from relay.testing.zoo.layers import batch_norm, channels_of, dense
from relay.testing.zoo.network import Network, Weights, with_weights

BLOCKS = {18: (2, 2, 2, 2), 34: (3, 4, 6, 3)}
"""Blocks of each stage by the number of layers."""

Triple = tuple[int, int, int]


def network(
    layers: int = 18,
    batch: int = 1,
    classes: int = 400,
    frames: int = 16,
    size: int = 112,
    width: int = 64,
) -> Network:
    """Return the network for clips of `frames` images; the first stage has `width` channels."""
    weights, data = Weights(), var("data", shape=(batch, 3, frames, size, size))
    x = nn.relu(_conv_norm(weights, data, width, (3, 7, 7), (1, 2, 2)))
    for stage, count in enumerate(BLOCKS[layers]):
        for at in range(count):
            x = _block(weights, x, width << stage, 2 if stage and not at else 1)
    pooled = nn.batch_flatten(nn.global_avg_pool3d(x))
    return weights.network([data], nn.softmax(dense(weights, pooled, classes)))


def _block(weights: Weights, x: Expr, channels: int, stride: int) -> Expr:
    inner = nn.relu(_conv_norm(weights, x, channels, (3, 3, 3), (stride, stride, stride)))
    inner = _conv_norm(weights, inner, channels, (3, 3, 3), (1, 1, 1))
    same = stride == 1 and channels_of(x) == channels
    shortcut = x
    if not same:
        shortcut = _conv_norm(weights, x, channels, (1, 1, 1), (stride, stride, stride))
    return nn.relu(inner + shortcut)


def _conv_norm(weights: Weights, x: Expr, channels: int, kernel: Triple, strides: Triple) -> Expr:
    """Return a 3D convolution with normalisation; padding keeps the size at stride 1."""
    weight = weights.matrix("conv", (channels, channels_of(x), *kernel))
    around = tuple(each // 2 for each in kernel)
    return batch_norm(weights, nn.conv3d(x, weight, strides=strides, padding=around))


workload = with_weights(network)
