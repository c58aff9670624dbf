"""Translate linear models and support vector machines of `ai.onnx.ml`."""

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np

from relay.frontend.builders.matrix_products import multiplied
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.classifier_scores import (
    ML,
    classified,
    labels,
    place_of_second,
    post_transform,
    transformed,
)
from relay.ir.expr import Array, Call, Constant, Expr, Tuple
from relay.ops.binary import Maximum, Minimum, add, divide, multiply, opposite, scaled, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import Greater
from relay.ops.max_min_reductions import ArgMax
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.transcendental import Exp, Power, Sigmoid, Tanh
from relay.support.dtype import float32
from relay.support.error_codes import ErrorCode

_LEAST_SHARE = 1e-7
"""The margin of pairwise class probabilities from 0 and 1."""


def _single(x: Expr) -> Expr:
    return x if x.tensor_type.dtype is float32 else Call(Cast(float32), (x,), span=x.span)


def _floats(node: OnnxNode, name: str) -> Array:
    return np.array(node.attribute(name) or [], np.float32)


@onnx_operator("LinearRegressor", domain=ML)
def linear_regressor(node: OnnxNode) -> Expr:
    """Translate `LinearRegressor`: for each target, a weighted sum of the features of a row."""
    scores = _weighed(node, node.attribute("targets", 1))
    return transformed(scores, post_transform(node))


@onnx_operator("LinearClassifier", domain=ML)
def linear_classifier(node: OnnxNode) -> Sequence[Expr]:
    """Translate `LinearClassifier`: a weighted sum of features for each class.

    A single score is that of the second of two classes.
    """
    classes = len(node.attribute("classlabels_ints") or node.attribute("classlabels_strings", []))
    features = node.type(0).shape[-1]
    count = _floats(node, "coefficients").size
    is_one = isinstance(features, int) and count == features
    scores = _weighed(node, 1 if is_one else classes)
    if not is_one:
        return classified(node, scores, all_positive=False)
    has_logistic = post_transform(node) == "LOGISTIC"
    second = Call(Sigmoid(), (scores,)) if has_logistic else scores
    place = place_of_second(scores, all_positive=False)
    first = subtract(constant(1.0, float32), second)
    return [labels(node, place), Call(Concatenate(1), (Tuple((first, second)),))]


def _weighed(node: OnnxNode, targets: int) -> Expr:
    weights = _floats(node, "coefficients").reshape(targets, -1)
    scores = multiplied(_single(node.expr(0)), Constant(np.ascontiguousarray(weights.T)))
    bias = _floats(node, "intercepts")
    return add(scores, Constant(bias)) if bias.size else scores


@onnx_operator("SVMRegressor", domain=ML)
def svm_regressor(node: OnnxNode) -> Expr:
    """Translate `SVMRegressor`: a weighted sum of kernel values; its sign with `one_class`."""
    x, count = _single(node.expr(0)), node.attribute("n_supports", 0)
    weights = _floats(node, "coefficients").reshape(-1, 1)
    similar = _kernel(node, x, count) if count else x
    rho = Constant(_floats(node, "rho")[:1])
    scores = add(multiplied(similar, Constant(weights)), rho)
    if node.attribute("one_class", 0):
        one = constant(1.0, float32)
        return where(Call(Greater(), (scores, constant(0.0, float32))), one, opposite(one))
    return transformed(scores, post_transform(node))


def _kernel(node: OnnxNode, x: Expr, count: int) -> Expr:
    """Return the kernel value of each row with each of `count` support vectors."""
    vectors = _floats(node, "support_vectors").reshape(count, -1)
    gamma, offset, degree = (*node.attribute("kernel_params", [0.0] * 3), 0.0, 0.0, 0.0)[:3]
    kind = node.choice("kernel_type", ("LINEAR", "POLY", "RBF", "SIGMOID"), "LINEAR")
    if kind == "RBF":
        apart = subtract(Call(ExpandDims(1), (x,)), Constant(vectors))
        distance = Call(Sum(axis=(2,)), (multiply(apart, apart),))
        return Call(Exp(), (scaled(distance, -gamma),))
    products = multiplied(x, Constant(np.ascontiguousarray(vectors.T)))
    shifted = add(scaled(products, gamma), constant(offset, float32))
    match kind:
        case "LINEAR":
            return products
        case "POLY":
            return Call(Power(), (shifted, constant(degree, float32)))
        case _:
            return Call(Tanh(), (shifted,))


@onnx_operator("SVMClassifier", domain=ML)
def svm_classifier(node: OnnxNode) -> Sequence[Expr]:
    """Translate `SVMClassifier`: each pair of classes is decided, and the most votes win."""
    x = _single(node.expr(0))
    per_class: list[int] = node.attribute("vectors_per_class") or []
    if not per_class:
        count = len(node.attribute("classlabels_ints") or [])
        weights = _floats(node, "coefficients").reshape(count, -1)
        scores = add(multiplied(x, Constant(weights.T.copy())), Constant(_floats(node, "rho")[:1]))
        return classified(node, scores, all_positive=False)
    weights = _pair_weights(_floats(node, "coefficients"), per_class)
    similar = _kernel(node, x, sum(per_class))
    rho = _floats(node, "rho")
    decisions = add(multiplied(similar, Constant(weights)), Constant(rho))
    votes = _vote_counts(decisions, len(per_class))
    place = Call(ArgMax(axis=(1,)), (votes,))
    if node.attribute("prob_a"):
        return [labels(node, place), _class_probabilities(node, decisions, len(per_class))]
    if len(per_class) > 2:
        return [labels(node, place), decisions]
    both = Call(Concatenate(1), (Tuple((opposite(decisions), decisions)),))
    return [labels(node, place), both]


def _pair_weights(coefficients: Array, per_class: Sequence[int]) -> Array:
    """Return the weight of each support vector in the decision between each pair of classes."""
    classes, count = len(per_class), sum(per_class)
    table = coefficients.reshape(classes - 1, count)
    ends = np.cumsum([0, *per_class])
    spans = [slice(a, b) for a, b in pairwise(ends.tolist())]
    pairs = list(combinations(range(classes), 2))
    weights = np.zeros((count, len(pairs)), np.float32)
    for column, (i, j) in enumerate(pairs):
        weights[spans[i], column] = table[j - 1, spans[i]]
        weights[spans[j], column] = table[i, spans[j]]
    return weights


def _vote_counts(decisions: Expr, classes: int) -> Expr:
    """Return the number of votes for each class; a positive decision is for the first of a pair."""
    first = Call(Cast(float32), (Call(Greater(), (decisions, constant(0.0, float32))),))
    pairs = list(combinations(range(classes), 2))
    for_first = np.zeros((len(pairs), classes), np.float32)
    for_second = np.zeros_like(for_first)
    for row, (i, j) in enumerate(pairs):
        for_first[row, i] = for_second[row, j] = 1
    second = subtract(constant(1.0, float32), first)
    won = (multiplied(first, Constant(for_first)), multiplied(second, Constant(for_second)))
    return add(*won)


def _class_probabilities(node: OnnxNode, decisions: Expr, classes: int) -> Expr:
    """Return class probabilities; raises `F030` for more than two classes."""
    if classes > 2:
        raise node.error(
            ErrorCode.F030,
            "probabilities of more than two classes are not supported",
            "export the model with probability=False",
        )
    slope, bias = (Constant(_floats(node, f"prob_{name}")) for name in "ab")
    share = Call(Sigmoid(), (opposite(add(multiply(decisions, slope), bias)),))
    least, most = (constant(each, float32) for each in (_LEAST_SHARE, 1 - _LEAST_SHARE))
    first = Call(Minimum(), (Call(Maximum(), (share, least)), most))
    second = subtract(constant(1.0, float32), first)
    return divide(*_normalised(Call(Concatenate(1), (Tuple((first, second)),))))


def _normalised(parts: Expr) -> tuple[Expr, Expr]:
    return parts, Call(Sum(axis=(1,), keepdims=True), (parts,))
