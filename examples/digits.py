"""A convolutional network for handwritten digits, trained by one native function.

    pip install scikit-learn
    python examples/digits.py [EPOCHS]

The data are the 1,797 images of 8 × 8 points inside of scikit-learn; one in five is held out.
`step` computes the loss, the gradient and Adam's update, and writes over what it updates.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from training_report import Report

from relay import Expr, layers, nn
from relay.layers import BatchNorm, Conv2D, Dropout, Linear, Mode, Sequential

BATCH, EPOCHS, RATE = 64, 30, 3e-3
Arrays = tuple[Any, Any]


def network() -> Sequential:
    """Return three convolutions, each normalised over the batch, and a classifier."""
    return Sequential(
        *(Conv2D(1, 32, 3, bias=False), BatchNorm(32), nn.relu),
        *(Conv2D(32, 64, 3, bias=False), BatchNorm(64), nn.relu),
        lambda x: nn.max_pool2d(x, pool_size=2, strides=2),
        *(Conv2D(64, 64, 3, bias=False), BatchNorm(64), nn.relu),
        nn.batch_flatten,
        Dropout(0.4),
        Linear(64 * 4 * 4, 10),
    )


def loss(model: Sequential, mode: Mode, images: Expr, labels: Expr) -> Expr:
    """Return how far the model is from the labels of a batch."""
    return layers.cross_entropy(model(images, mode), labels)


def digits() -> tuple[Arrays, Arrays]:
    """Return the images and labels to train with, and those that are held out."""
    from sklearn.datasets import load_digits  # noqa: PLC0415 - only where it is run

    found: Any = load_digits()
    order = np.random.default_rng(0).permutation(len(found.target))
    images = (found.images[order, None] / 16).astype(np.float32)
    labels = found.target[order].astype(np.int32)
    kept = len(labels) // 5
    return (images[kept:], labels[kept:]), (images[:kept], labels[:kept])


def batches(data: Arrays, random: np.random.Generator) -> Iterator[Arrays]:
    """Yield all images once, in another order each time, moved by a point at most."""
    images, labels = data
    order = random.permutation(len(labels))
    for begin in range(0, len(order) - BATCH + 1, BATCH):
        chosen = order[begin : begin + BATCH]
        moved = np.roll(images[chosen], random.integers(-1, 2, 2), axis=(2, 3))
        yield moved, labels[chosen]


def main(epochs: int) -> None:
    """Train, and print the share of held-out digits that are read right."""
    train, held_out = digits()
    model, random = network(), np.random.default_rng(1)
    steps = epochs * (len(train[1]) // BATCH)
    optimizer = layers.adamw(layers.warmup(50, layers.cosine_decay(RATE, steps - 50)), decay=0.05)
    state = layers.start(model, optimizer)
    step = layers.training_step(loss, optimizer, state, *next(batches(train, random)))
    read = layers.compile_function(lambda model, images: model(images), model, held_out[0])
    with Report("digits", steps) as report:
        for _ in range(epochs):
            for images, labels in batches(train, random):
                state, value = step(state, images, labels)
                report.step(value)
    right = (read(state.model, held_out[0]).argmax(axis=1) == held_out[1]).mean()
    print(f"{right:.2%} of {len(held_out[1])} held-out digits are read right")
    report.draw(Path("digits.svg"))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else EPOCHS)
