"""Networks compiled once for images of any number and size, compared with networks for one size.

    python -m benchmarks.open_networks [--rounds 15] [network …]

The batch, the height and the width of the image are open. For some sizes the same network is
compiled with these sizes fixed, its results are compared, and both are called in turn. A time is
the minimum processor time of all rounds, which other load affects little.
"""

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import relay
from benchmarks.page import Page, least
from relay.ir.dims import DimVar
from relay.ir.expr import Expr, Var
from relay.ir.types import TensorType
from relay.ir.walk import substitute
from relay.ops.functions import core, nn
from relay.testing.zoo import resnet
from relay.testing.zoo.layers import biased, channels_of, conv, conv_norm_relu, conv_relu
from relay.testing.zoo.network import Network, Weights
from relay.transform.bind_parameters import bind_parameters

RESULT = Path(__file__).parent / "results" / "open_networks.md"
Sizes = tuple[int, int, int]
IMAGE = TensorType((DimVar("n"), 3, DimVar("h"), DimVar("w")))


def resnet50() -> Network:
    """Return ResNet-50 with an image of open sizes."""
    fixed = resnet.network(50)
    main = fixed.module.main
    image, *weights = main.params
    opened = Var(image.name, IMAGE)
    body = substitute(main.body, {image: opened})
    function = relay.Function((opened, *weights), body)
    return Network(fixed.module.with_function("main", function), fixed.weights)


def unet(width: int = 32) -> Network:
    """Return U-Net (Ronneberger et al., 2015): four levels, each halves the image.

    The first level has `width` channels.
    """
    weights, image = Weights(), Var("data", IMAGE)
    x, skipped = _twice(weights, image, width), list[Expr]()
    for level in range(1, 5):
        skipped.append(x)
        x = nn.max_pool2d(x, pool_size=2, strides=2)
        x = _twice(weights, x, width << level)
    for level in reversed(range(4)):
        up = biased(weights, _enlarged(weights, x, width << level))
        joined = core.concatenate(relay.Tuple((skipped[level], up)), axis=1)
        x = _twice(weights, joined, width << level)
    return weights.network([image], biased(weights, conv(weights, x, 2, 1)))


def text_detector(width: int = 64) -> Network:
    """Return DBNet (Liao et al., 2020) over ResNet-18: a probability of text for each pixel."""
    weights, image = Weights(), Var("data", IMAGE)
    x = conv_norm_relu(weights, image, width, 7, stride=2)
    x, levels = nn.max_pool2d(x, pool_size=3, strides=2, padding=1), list[Expr]()
    for level in range(4):
        for number in range(2):
            stride = 2 if level and not number else 1
            x = resnet.basic_block(weights, x, width << level, stride)
        levels.append(x)
    merged = [conv(weights, x, 256, 1) for x in levels]
    for level in (2, 1, 0):
        merged[level] = merged[level] + nn.upsampling(merged[level + 1], 2, 2)
    finest, *coarse = (conv(weights, each, 64, 3) for each in merged)
    equal = [nn.upsampling(each, 2 << level, 2 << level) for level, each in enumerate(coarse)]
    joined = core.concatenate(relay.Tuple((finest, *equal)), axis=1)
    x = conv_norm_relu(weights, joined, 64, 3)
    x = nn.relu(biased(weights, _enlarged(weights, x, 64)))
    return weights.network([image], core.sigmoid(_enlarged(weights, x, 1)))


def _twice(weights: Weights, x: Expr, channels: int) -> Expr:
    return conv_relu(weights, conv_relu(weights, x, channels, 3), channels, 3)


def _enlarged(weights: Weights, x: Expr, channels: int) -> Expr:
    """Return an image of twice the size by a transposed convolution."""
    weight = weights.matrix("deconv", (channels_of(x), channels, 2, 2))
    return nn.conv2d_transpose(x, weight, strides=2)


CASES: Mapping[str, tuple[Callable[[], Network], tuple[Sizes, ...]]] = {
    "ResNet-50": (resnet50, ((1, 224, 224), (4, 160, 192), (1, 231, 317))),
    "U-Net": (unet, ((1, 256, 256), (2, 128, 208), (1, 304, 176))),
    "DBNet": (text_detector, ((1, 320, 320), (2, 192, 256), (1, 256, 416))),
}


def rows(name: str, rounds: int) -> list[list[str]]:
    """Return the cells of a network's rows of the table, one for each size."""
    build, sizes = CASES[name]
    network = build()
    module = bind_parameters(network.module, network.draw())
    general: Any = relay.compile(module, threads=1)
    found: list[list[str]] = []
    for size in sizes:
        shape = (size[0], 3, *size[1:])
        fixed: Any = relay.compile(module, threads=1, shapes={"data": shape})
        image = np.random.default_rng(0).standard_normal(shape, np.float32)
        np.testing.assert_allclose(general(image), fixed(image), rtol=1e-3, atol=1e-4)
        opened, closed = least([partial(each, image) for each in (general, fixed)], rounds)
        times = (f"{seconds * 1e3:.1f}" for seconds in (opened, closed))
        found.append([name, "x".join(map(str, size)), *times, f"{opened / closed:.2f}"])
    return found


TEXT = """
One thread; milliseconds of processor time, the least of {rounds} rounds in which the two programs
alternate: one for any batch, height and width, and one for this size. *Open / fixed* is the ratio.

| network | batch, height, width | open | fixed | open / fixed |
| --- | --- | --- | --- | --- |
"""


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", default=CASES)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    page = Page(RESULT, "Networks of open sizes")
    page.add(TEXT.format(rounds=given.rounds))
    for name in given.networks:
        for cells in rows(name, given.rounds):
            page.add_row(cells)
    if set(given.networks) == set(CASES):
        page.save()


if __name__ == "__main__":
    main()
