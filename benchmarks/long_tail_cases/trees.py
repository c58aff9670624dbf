"""Ensembles of decision trees."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.long_tail_cases.case import Case, floats, node

_ML = "ai.onnx.ml"


def cases() -> Iterator[Case]:
    """Yield the cases."""
    for trees, depth, features, rows in (
        (100, 8, 32, 1), (100, 8, 32, 100), (100, 8, 32, 10000),
        (300, 4, 16, 1), (300, 4, 16, 1000), (50, 12, 64, 100),
    ):  # fmt: skip
        yield node(
            f"{trees} trees of depth {depth} for a number, {rows} rows", "TreeEnsembleRegressor",
            [floats(rows, features)], domain=_ML, n_targets=1, **_trees(trees, depth, features),
        )  # fmt: skip
    for rows in (1, 1000):
        yield node(
            f"100 trees of depth 8 for 4 classes, {rows} rows", "TreeEnsembleClassifier",
            [floats(rows, 32)], domain=_ML, results=2, classlabels_int64s=[0, 1, 2, 3],
            **_trees(100, 8, 32, classes=4),
        )  # fmt: skip


def _trees(trees: int, depth: int, features: int, classes: int = 0) -> dict[str, Any]:
    """Return the attributes of complete trees with random thresholds."""
    rng = np.random.default_rng(3)
    inner, nodes = 2**depth - 1, 2 ** (depth + 1) - 1
    ids = np.arange(nodes)
    is_leaf = ids >= inner
    found: dict[str, Any] = {
        "nodes_treeids": np.repeat(np.arange(trees), nodes).tolist(),
        "nodes_nodeids": np.tile(ids, trees).tolist(),
        "nodes_featureids": rng.integers(0, features, trees * nodes).tolist(),
        "nodes_values": rng.standard_normal(trees * nodes).astype(np.float32).tolist(),
        "nodes_modes": np.tile(np.where(is_leaf, "LEAF", "BRANCH_LEQ"), trees).tolist(),
        "nodes_truenodeids": np.tile(np.where(is_leaf, 0, 2 * ids + 1), trees).tolist(),
        "nodes_falsenodeids": np.tile(np.where(is_leaf, 0, 2 * ids + 2), trees).tolist(),
    }
    leaves = trees * int(is_leaf.sum())
    kind = "class" if classes else "target"
    return {
        **found,
        f"{kind}_treeids": np.repeat(np.arange(trees), int(is_leaf.sum())).tolist(),
        f"{kind}_nodeids": np.tile(ids[is_leaf], trees).tolist(),
        f"{kind}_ids": (np.arange(leaves) % max(classes, 1)).tolist(),
        f"{kind}_weights": (rng.standard_normal(leaves) / trees).astype(np.float32).tolist(),
    }
