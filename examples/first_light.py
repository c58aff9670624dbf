"""Compile and run a pretrained model that says what kind of file something is.

    python examples/first_light.py [FILE …]

Magika (Apache-2.0) tells 214 kinds of content apart from the first and the last kilobyte of a file.
The model is taken out of its package on the registry and its digest is checked; nothing but Relay
is installed. Without arguments it looks at some files of this repository, and at itself.
"""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pretrained_models import fetch

import relay

ROOT = Path(__file__).parents[1]
PYTHON = Path(sys.executable).resolve()
SIZE, BLOCK, PADDING = 1024, 4096, 256  # what Magika was trained with


def features(path: Path) -> NDArray[np.int32]:
    """Return the 2,048 numbers that the model sees: stripped bytes of both ends, padded."""
    content = path.read_bytes()
    start, end = content[:BLOCK].lstrip()[:SIZE], content[-BLOCK:].rstrip()[-SIZE:]
    row = np.full(2 * SIZE, PADDING, np.int32)
    row[: len(start)] = list(start)
    row[2 * SIZE - len(end) :] = list(end)
    return row


def labels() -> list[str]:
    """Return what each of the 214 outputs stands for, in words."""
    names = json.loads(fetch("magika-config.json").read_text())["target_labels_space"]
    about = json.loads(fetch("magika-types.json").read_text())
    return [about[name]["description"] or name for name in names]


def report(paths: Sequence[Path], scores: NDArray[np.float32]) -> None:
    """Print a line per file: its name, the most likely kind, and how sure the model is."""
    words = labels()
    for path, row in zip(paths, scores, strict=True):
        best = int(row.argmax())
        print(f"{path.name:<24} {words[best]:<40} {row[best]:6.1%}")


def samples() -> list[Path]:
    """Return files of many kinds that are certainly here, the model's own file among them."""
    names = (
        "README.md",
        "LICENSE",
        "Makefile",
        "pyproject.toml",
        ".ci/run",
        "examples/first_light.py",
    )
    return [
        *(ROOT / name for name in names),
        *map(fetch, ("magika-types.json", "magika.onnx")),
        PYTHON,
    ]


def main(arguments: list[str]) -> None:
    """Compile the model once and classify all files in one call."""
    paths = [Path(name) for name in arguments] or samples()
    batch = np.stack([features(path) for path in paths])

    start = time.perf_counter()
    model = relay.load(fetch("magika.onnx"))
    classify = relay.compile(model, shapes={"bytes": batch.shape})
    compiled = time.perf_counter()
    scores = np.asarray(classify(batch))
    done = time.perf_counter()

    report(paths, scores)
    print(f"\ncompiled in {compiled - start:.2f} s; {len(paths)} files in {done - compiled:.3f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
