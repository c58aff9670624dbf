"""Reading and writing by indices, and embedding bags."""

from collections.abc import Iterator

import numpy as np
import torch
from onnx import helper

from benchmarks.long_tail_cases.case import Array, Case, below, floats, graph, node


def cases() -> Iterator[Case]:
    """Yield the cases."""
    table = floats(30000, 64)
    yield from _gathers(table)
    yield from _elements()
    yield from _choices()
    yield from _bags(table)


def _gathers(table: Array) -> Iterator[Case]:
    wide = floats(256, 1024)
    yield node("gather 4096 rows of 64", "Gather", [table, below(30000, 4096)], lambda x, i: x[i])
    yield node(
        "gather 32×128 rows of 64", "Gather", [table, below(30000, 32, 128)], lambda x, i: x[i]
    )
    yield node(
        "gather 256 columns of (256, 1024)", "Gather", [wide, below(1024, 256)],
        lambda x, i: torch.index_select(x, 1, i), axis=1,
    )  # fmt: skip
    yield node(
        "gather along the middle of (32, 64, 128)", "Gather", [floats(32, 64, 128), below(64, 48)],
        lambda x, i: torch.index_select(x, 1, i), axis=1,
    )  # fmt: skip
    yield node(
        "gather 1e5 numbers", "Gather", [floats(100000), below(100000, 100000)], lambda x, i: x[i]
    )
    cube = floats(64, 64, 64)
    yield node(
        "gather 4096 elements of (64, 64, 64)", "GatherND", [cube, below(64, 4096, 3)],
        lambda x, i: x[i[:, 0], i[:, 1], i[:, 2]],
    )  # fmt: skip
    yield node(
        "gather 1024 rows of (64, 64, 64)", "GatherND", [cube, below(64, 1024, 2)],
        lambda x, i: x[i[:, 0], i[:, 1]],
    )  # fmt: skip


def _elements() -> Iterator[Case]:
    square, places = floats(512, 512), below(512, 512, 512)
    for axis in (0, 1):
        yield node(
            f"gather elements of (512, 512), axis {axis}", "GatherElements", [square, places],
            lambda x, i, axis=axis: torch.gather(x, axis, i), axis=axis,
        )  # fmt: skip
        yield node(
            f"scatter elements of (512, 512), axis {axis}", "ScatterElements",
            [square, _permuted(512, 512, axis), floats(512, 512)],
            lambda x, i, u, axis=axis: torch.scatter(x, axis, i, u), axis=axis,
        )  # fmt: skip
        yield node(
            f"add to elements of (512, 512), axis {axis}", "ScatterElements",
            [square, places, floats(512, 512)],
            lambda x, i, u, axis=axis: torch.scatter_add(x, axis, i, u),
            axis=axis, reduction="add",
        )  # fmt: skip
    rows = np.random.default_rng(1).permutation(4096)[:1024, None]
    yield node(
        "write 1024 of 4096 rows of 64", "ScatterND", [floats(4096, 64), rows, floats(1024, 64)],
        lambda x, i, u: torch.index_put(x, (i[:, 0],), u),
    )  # fmt: skip
    yield node(
        "add to rows of (4096, 64), 8192 times", "ScatterND",
        [floats(4096, 64), below(4096, 8192, 1), floats(8192, 64)],
        lambda x, i, u: torch.index_put(x, (i[:, 0],), u, accumulate=True), reduction="add",
    )  # fmt: skip


def _choices() -> Iterator[Case]:
    yield node(
        "one-hot of 4096 among 256", "OneHot",
        [below(256, 4096), np.array(256), np.array([0, 1], np.float32)],
        lambda i: torch.nn.functional.one_hot(i, 256).to(torch.float32), constants=[1, 2],
    )  # fmt: skip
    yield node(
        "nonzero of (512, 512)", "NonZero", [(floats(512, 512) > 1).astype(np.float32)],
        lambda x: torch.nonzero(x).T,
    )  # fmt: skip
    yield node(
        "where over (512, 1024), broadcast", "Where",
        [floats(512, 1) > 0, floats(512, 1024), floats(1024)], torch.where,
    )  # fmt: skip


def _bags(table: Array) -> Iterator[Case]:
    bags = torch.nn.functional.embedding_bag
    for mode, op in (("sum", "ReduceSum"), ("mean", "ReduceMean")):
        yield graph(
            f"embedding bags of 32, {mode}",
            [
                helper.make_node("Gather", ["w", "i"], ["g"]),
                helper.make_node(op, ["g", "axes"], ["y"], keepdims=0),
            ],
            {"w": table, "i": below(30000, 256, 32)},
            {"axes": np.array([1])},
            ["y"],
            lambda w, i, mode=mode: bags(i, w, mode=mode),
        )
    yield graph(
        "embedding bags of 16, weighted",
        [
            helper.make_node("Gather", ["w", "i"], ["g"]),
            helper.make_node("Mul", ["g", "s"], ["m"]),
            helper.make_node("ReduceSum", ["m", "axes"], ["y"], keepdims=0),
        ],
        {"w": table, "i": below(30000, 512, 16), "s": floats(512, 16, 1)},
        {"axes": np.array([1])},
        ["y"],
        lambda w, i, s: bags(i, w, mode="sum", per_sample_weights=s[:, :, 0]),
    )


def _permuted(rows: int, columns: int, axis: int) -> Array:
    """Return indices in which each element of a line is written once."""
    rng = np.random.default_rng(2)
    lines = np.tile(np.arange(rows if axis == 0 else columns), (columns if axis == 0 else rows, 1))
    shuffled = rng.permuted(lines, axis=1)
    return np.ascontiguousarray(shuffled.T if axis == 0 else shuffled)
