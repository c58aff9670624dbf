"""Running sums, sorting, the largest elements, and non-maximum suppression."""

from collections.abc import Iterator

import numpy as np
import torch

from benchmarks.long_tail_cases.case import Array, Case, floats, node


def cases() -> Iterator[Case]:
    """Yield the cases."""
    for name, shape, axis in (
        ("rows of (512, 1024)", (512, 1024), 1),
        ("columns of (512, 1024)", (512, 1024), 0),
        ("the middle of (16, 256, 64)", (16, 256, 64), 1),
        ("1e5 numbers", (100000,), 0),
    ):
        yield node(
            f"running sum of {name}", "CumSum", [floats(*shape), np.array(axis)],
            lambda x, axis=axis: torch.cumsum(x, axis), constants=[1],
        )  # fmt: skip
    yield node(
        "running sum of rows, exclusive and reversed", "CumSum", [floats(512, 1024), np.array(1)],
        lambda x: torch.flip(torch.cumsum(torch.flip(x, [1]), 1), [1]) - x, constants=[1],
        exclusive=1, reverse=1,
    )  # fmt: skip
    for shape, axis, k in (
        ((64, 10000), 1, 1), ((64, 10000), 1, 5), ((64, 10000), 1, 100), ((256, 1000), 1, 10),
        ((1, 100000), 1, 1000), ((1000, 64), 0, 10), ((32, 32, 80), 2, 3),
    ):  # fmt: skip
        yield node(
            f"top {k} of {shape}, axis {axis}", "TopK", [floats(*shape), np.array([k])],
            lambda x, k=k, axis=axis: torch.topk(x, k, axis), constants=[1], results=2, axis=axis,
        )  # fmt: skip
    for shape, axis in (((64, 1000), 1), ((1, 100000), 1), ((1000, 64), 0)):
        yield node(
            f"sort {shape}, axis {axis}", "TopK", [floats(*shape), np.array([shape[axis]])],
            lambda x, axis=axis: torch.sort(x, axis, descending=True), constants=[1], results=2,
            axis=axis,
        )  # fmt: skip
    yield node(
        "argmax of rows of (256, 4096)", "ArgMax", [floats(256, 4096)],
        lambda x: torch.argmax(x, 1, keepdim=True), axis=1,
    )  # fmt: skip
    yield node(
        "argmax of columns of (4096, 256)", "ArgMax", [floats(4096, 256)],
        lambda x: torch.argmax(x, 0, keepdim=True), axis=0,
    )  # fmt: skip
    for boxes, classes in ((1000, 1), (1000, 20), (6000, 1)):
        yield node(
            f"suppress {boxes} boxes of {classes} classes", "NonMaxSuppression",
            [_boxes(boxes), np.abs(floats(1, classes, boxes)), np.array([100]),
             np.array([0.5], np.float32), np.array([0.3], np.float32)],
            constants=[2, 3, 4],
        )  # fmt: skip


def _boxes(count: int) -> Array:
    corners, sizes = np.abs(floats(1, count, 2)) * 100, np.abs(floats(1, count, 2)) * 20
    return np.concatenate([corners, corners + sizes], -1)
