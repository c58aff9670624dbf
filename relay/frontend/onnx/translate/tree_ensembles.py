"""Translate ensembles of decision trees of `ai.onnx.ml`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.onnx.decision_trees import Forest, Place, Question
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.classifier_scores import (
    ML,
    POST_TRANSFORMS,
    classified,
    numbers_of,
    post_transform,
    second_of_two,
    transformed,
)
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import add, divide
from relay.ops.cast import Cast
from relay.ops.comparison import equal
from relay.ops.max_min_reductions import Max, Min
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.decision_trees import TreeLeaves
from relay.ops.tensor.gather import Take
from relay.support.dtype import float32
from relay.support.error_codes import ErrorCode

_MODES = tuple(f"BRANCH_{word}" for word in ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ", "MEMBER"))
_AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")


@onnx_operator("TreeEnsembleRegressor", domain=ML)
def tree_ensemble_regressor(node: OnnxNode) -> Expr:
    """Translate `TreeEnsembleRegressor`: aggregate the weights of leaves for each target."""
    forest = _forest(node, "target")
    aggregate = node.choice("aggregate_function", _AGGREGATES, "SUM")
    total = _aggregated(node, forest, node.attribute("n_targets", 1), aggregate)
    return transformed(_with_base(node, total), post_transform(node))


@onnx_operator("TreeEnsembleClassifier", domain=ML)
def tree_ensemble_classifier(node: OnnxNode) -> Sequence[Expr]:
    """Translate `TreeEnsembleClassifier`: sum the leaves' weights; the largest sum wins."""
    forest = _forest(node, "class")
    classes = {target for leaf in forest.leaves for target in leaf}
    weights = [weight for leaf in forest.leaves for weight in leaf.values()]
    labels = numbers_of(node, "classlabels_int64s") or node.attribute("classlabels_strings", [])
    has_one_score = len(labels) <= 2 and classes == {0}
    total = _aggregated(node, forest, 1 if has_one_score else len(labels), "SUM")
    scores = _with_base(node, total)
    all_positive = min(weights, default=0.0) >= 0
    if len(labels) == 2 and classes == {1}:
        return second_of_two(node, scores, all_positive=all_positive)
    return classified(node, scores, all_positive=all_positive)


@onnx_operator("TreeEnsemble", domain=ML)
def tree_ensemble(node: OnnxNode) -> Expr:
    """Translate `TreeEnsemble`: aggregate the weights of leaves for each target."""
    aggregate = _AGGREGATES[_number(node, "aggregate_function", _AGGREGATES, 1)]
    total = _aggregated(node, _listed_forest(node), node.attribute("n_targets", 1), aggregate)
    kind = POST_TRANSFORMS[_number(node, "post_transform", POST_TRANSFORMS, 0)]
    return transformed(total, kind)


def _number(node: OnnxNode, name: str, words: Sequence[str], default: int) -> int:
    """Return an attribute that is the number of one of `words`; raises `F026` for others."""
    numbers = [str(number) for number in range(len(words))]
    return int(node.one_of(name, str(node.integer(name, default)), numbers))


def _aggregated(node: OnnxNode, forest: Forest, targets: int, aggregate: str) -> Expr:
    """Return for each row and target the aggregate over the leaves that the row reaches."""
    x = node.expr(0)
    if not x.tensor_type.dtype.is_float:
        x = Call(Cast(float32), (x,))
    dtype = x.tensor_type.dtype
    arrays = [Constant(each) for each in forest.tables(dtype)]
    leaves = Call(TreeLeaves(), (x, *arrays), span=node.span)
    absent = {"MIN": np.inf, "MAX": -np.inf}.get(aggregate, 0.0)
    weights = Constant(forest.weights(targets, absent).astype(dtype.numpy))
    said = Call(Take(axis=0, mode="clip"), (weights, leaves))
    match aggregate:
        case "SUM":
            return Call(Sum(axis=(1,)), (said,))
        case "AVERAGE":
            total = Call(Sum(axis=(1,)), (said,))
            return divide(total, constant(len(forest.roots), dtype))
        case _:
            found = Call((Min if aggregate == "MIN" else Max)(axis=(1,)), (said,))
            nothing = equal(found, constant(absent, dtype))
            return where(nothing, constant(0.0, dtype), found)


def _with_base(node: OnnxNode, scores: Expr) -> Expr:
    base = numbers_of(node, "base_values")
    if not base:
        return scores
    return add(scores, Constant(np.array(base, scores.tensor_type.dtype.numpy)))


def _forest(node: OnnxNode, kind: str) -> Forest:
    """Return the trees of a node whose attributes identify nodes by tree and node number."""
    keys = list(zip(node.required("nodes_treeids"), node.required("nodes_nodeids"), strict=True))
    modes: list[str] = node.required("nodes_modes")
    for mode in {*modes}:
        node.one_of("nodes_modes", mode, (*_MODES[:-1], "LEAF"))
    questions = [i for i, mode in enumerate(modes) if mode != "LEAF"]
    places: dict[tuple[int, int], Place] = {keys[i]: at for at, i in enumerate(questions)}
    leaves = [key for key, mode in zip(keys, modes, strict=True) if mode == "LEAF"]
    places.update({key: -1 - number for number, key in enumerate(leaves)})
    values = numbers_of(node, "nodes_values")
    features = node.required("nodes_featureids")
    tracks = node.attribute("nodes_missing_value_tracks_true") or [0] * len(keys)
    ways = [node.required(f"nodes_{side}nodeids") for side in ("true", "false")]
    made = [
        Question(
            features[i], modes[i], [values[i]], bool(tracks[i]),
            *(places[keys[i][0], way[i]] for way in ways),
        )
        for i in questions
    ]  # fmt: skip
    below = {(keys[i][0], way[i]) for i in questions for way in ways}
    roots = [places[key] for key in keys if key not in below]
    said = _leaf_weights(node, kind)
    return _checked(node, Forest(made, roots, [said.get(key, {}) for key in leaves]))


def _leaf_weights(node: OnnxNode, kind: str) -> dict[tuple[int, int], dict[int, float]]:
    """Return for each leaf, identified by tree and node number, its weight for each target."""
    trees, nodes, ids = (node.required(f"{kind}_{name}") for name in ("treeids", "nodeids", "ids"))
    found: dict[tuple[int, int], dict[int, float]] = {}
    for tree, leaf, target, weight in zip(
        trees, nodes, ids, numbers_of(node, f"{kind}_weights"), strict=True
    ):
        added = found.setdefault((tree, leaf), {})
        added[target] = added.get(target, 0.0) + weight
    return found


def _listed_forest(node: OnnxNode) -> Forest:
    """Return the trees of a `TreeEnsemble`, which lists comparisons and leaves consecutively."""
    modes = [_MODES[int(mode)] for mode in _listed(node.required("nodes_modes"))]
    splits = _listed(node.required("nodes_splits"))
    members = iter(_sets(node.attribute("membership_values")))
    values = [
        next(members) if mode == "BRANCH_MEMBER" else [split]
        for mode, split in zip(modes, splits, strict=True)
    ]
    tracks: list[int] = node.attribute("nodes_missing_value_tracks_true") or [0] * len(modes)
    true, false = (
        [
            -1 - way if is_leaf else way
            for way, is_leaf in zip(
                node.required(f"nodes_{side}nodeids"), node.required(f"nodes_{side}leafs"),
                strict=True,
            )
        ]
        for side in ("true", "false")
    )  # fmt: skip
    features: list[int] = node.required("nodes_featureids")
    rows = zip(features, modes, values, map(bool, tracks), true, false, strict=True)
    made = [Question(*row) for row in rows]
    weights = _listed(node.required("leaf_weights"))
    leaves = [{t: w} for t, w in zip(node.required("leaf_targetids"), weights, strict=True)]
    return _checked(node, Forest(made, list(node.required("tree_roots")), leaves))


def _listed(values: Any) -> list[float]:
    """Return the elements of an array attribute as a list of floats."""
    return np.asarray(values).reshape(-1).tolist()


def _sets(values: Any) -> list[list[float]]:
    """Return the sets of membership tests, which NaN separates in the list."""
    found: list[list[float]] = [[]]
    for each in [] if values is None else _listed(values):
        if np.isnan(each):
            found.append([])
        else:
            found[-1].append(each)
    return found


def _checked(node: OnnxNode, forest: Forest) -> Forest:
    """Return `forest` unchanged; raises `F026` for invalid indices of nodes or features."""
    count, leaves = len(forest.questions), len(forest.leaves)
    ways = [place for each in forest.questions for place in (each.true, each.false)]
    if not all(-leaves <= place < count for place in (*ways, *forest.roots)):
        raise node.error(ErrorCode.F026, "a branch of a tree leads to a node that does not exist")
    columns = node.type(0).shape[-1]
    most = columns if isinstance(columns, int) else np.inf
    if not all(0 <= each.feature < most for each in forest.questions):
        raise node.error(
            ErrorCode.F026, "a node of a tree compares an input feature that does not exist"
        )
    return forest
