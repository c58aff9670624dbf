"""Image networks: ResNet-18, ResNet-50, MobileNetV2, VGG-16 and the Atari DQN."""

from benchmarks.networks.layers import Layers, V, Weights


def resnet18(net: Layers[V], weights: Weights) -> None:
    """Build ResNet-18 over one 224×224 image, with basic blocks [2, 2, 2, 2]."""
    x, channels = _resnet_stem(net, weights), 64
    for stage, blocks in enumerate([2, 2, 2, 2]):
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            x = _basic_block(net, weights, x, channels, 64 << stage, stride)
            channels = 64 << stage
    _classify(net, weights, x, channels)


def resnet50(net: Layers[V], weights: Weights) -> None:
    """Build ResNet-50 over one 224×224 image, with bottleneck blocks [3, 4, 6, 3]."""
    x, channels = _resnet_stem(net, weights), 64
    for stage, blocks in enumerate([3, 4, 6, 3]):
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            x = _bottleneck(net, weights, x, channels, 64 << stage, stride)
            channels = 256 << stage
    _classify(net, weights, x, channels)


def vgg16(net: Layers[V], weights: Weights) -> None:
    """Build VGG-16 (without normalisation) over one 224×224 image."""
    x, channels = net.input("image", (1, 3, 224, 224)), 3
    for width, depth in [(64, 2), (128, 2), (256, 3), (512, 3), (512, 3)]:
        for _ in range(depth):
            bias = weights.normal(width, deviation=0.02)
            filters = weights.convolution(width, channels, 3, 3)
            x = net.relu(net.conv(x, filters, bias, 1, 1, 1))
            channels = width
        x = net.max_pool(x, 2, 2, 0)
    x = net.flatten(x)
    x = net.relu(net.linear(x, *weights.dense(512 * 7 * 7, 4096)))
    x = net.relu(net.linear(x, *weights.dense(4096, 4096)))
    net.output("logits", net.linear(x, *weights.dense(4096, 1000)), (1, 1000))


def mobilenet_v2(net: Layers[V], weights: Weights) -> None:
    """Build MobileNetV2 (width 1) over one 224×224 image."""
    x = _conv_norm(net, weights, net.input("image", (1, 3, 224, 224)), 3, 32, 3, stride=2)
    x, channels = net.relu6(x), 32
    settings = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2)]
    settings += [(6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    for expansion, width, blocks, first_stride in settings:
        for block in range(blocks):
            stride = first_stride if block == 0 else 1
            x = _inverted_residual(net, weights, x, channels, width, stride, expansion)
            channels = width
    x = net.relu6(_conv_norm(net, weights, x, channels, 1280, 1))
    _classify(net, weights, x, 1280)


def dqn(net: Layers[V], weights: Weights) -> None:
    """Build the deep Q-network of the Atari games: four 84×84 frames to six action values."""
    x, channels = net.input("frames", (1, 4, 84, 84)), 4
    for width, kernel, stride in [(32, 8, 4), (64, 4, 2), (64, 3, 1)]:
        filters = weights.convolution(width, channels, kernel, kernel)
        bias = weights.normal(width, deviation=0.02)
        x = net.relu(net.conv(x, filters, bias, stride, 0, 1))
        channels = width
    x = net.relu(net.linear(net.flatten(x), *weights.dense(64 * 7 * 7, 512)))
    net.output("values", net.linear(x, *weights.dense(512, 6)), (1, 6))


def _conv_norm(
    net: Layers[V],
    weights: Weights,
    x: V,
    into: int,
    out: int,
    kernel: int,
    stride: int = 1,
    groups: int = 1,
    scale: float = 1.0,
) -> V:
    filters = weights.convolution(out, into // groups, kernel, kernel)
    x = net.conv(x, filters, None, stride, kernel // 2, groups)
    return net.batch_norm(x, weights.norm(out, scale))


def _resnet_stem(net: Layers[V], weights: Weights) -> V:
    image = net.input("image", (1, 3, 224, 224))
    x = net.relu(_conv_norm(net, weights, image, 3, 64, 7, stride=2))
    return net.max_pool(x, 3, 2, 1)


def _basic_block(net: Layers[V], weights: Weights, x: V, into: int, width: int, stride: int) -> V:
    branch = net.relu(_conv_norm(net, weights, x, into, width, 3, stride))
    # Half-size branches keep a deep sum of them from growing.
    branch = _conv_norm(net, weights, branch, width, width, 3, scale=0.5)
    return net.relu(net.add(branch, _shortcut(net, weights, x, into, width, stride)))


def _bottleneck(net: Layers[V], weights: Weights, x: V, into: int, width: int, stride: int) -> V:
    branch = net.relu(_conv_norm(net, weights, x, into, width, 1))
    branch = net.relu(_conv_norm(net, weights, branch, width, width, 3, stride))
    branch = _conv_norm(net, weights, branch, width, 4 * width, 1, scale=0.5)
    return net.relu(net.add(branch, _shortcut(net, weights, x, into, 4 * width, stride)))


def _shortcut(net: Layers[V], weights: Weights, x: V, into: int, out: int, stride: int) -> V:
    if into == out and stride == 1:
        return x
    return _conv_norm(net, weights, x, into, out, 1, stride, scale=0.7)


def _inverted_residual(
    net: Layers[V], weights: Weights, x: V, into: int, out: int, stride: int, expansion: int
) -> V:
    hidden, branch = into * expansion, x
    if expansion != 1:
        branch = net.relu6(_conv_norm(net, weights, branch, into, hidden, 1))
    branch = _conv_norm(net, weights, branch, hidden, hidden, 3, stride, groups=hidden)
    branch = _conv_norm(net, weights, net.relu6(branch), hidden, out, 1, scale=0.7)
    return net.add(x, branch) if stride == 1 and into == out else branch


def _classify(net: Layers[V], weights: Weights, x: V, channels: int) -> None:
    pooled = net.flatten(net.global_average(x))
    logits = net.linear(pooled, *weights.dense(channels, 1000, deviation=channels**-0.5))
    net.output("logits", logits, (1, 1000))
