"""Helpers for models of `ai.onnx.ml`: attributes, post-transforms of scores, class labels."""

from collections.abc import Sequence
from math import pi, sqrt

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.onnx.node import OnnxNode
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.binary import add, divide, multiply, opposite, scaled, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import Greater, equal
from relay.ops.elementwise import Sign
from relay.ops.max_min_reductions import ArgMax
from relay.ops.nn.softmax import Softmax
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.gather import Take
from relay.ops.tensor.slice import StridedSlice
from relay.ops.transcendental import Exp, Log, Sigmoid, Sqrt
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode

ML = "ai.onnx.ml"

_ERF_INVERSE = 0.147
"""The constant of Winitzki's approximation to the inverse of the error function."""


POST_TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
"""In the order of their numbers in the attribute of a `TreeEnsemble`."""


def numbers_of(node: OnnxNode, name: str) -> list[float]:
    """Return a list of numbers; newer versions of a node have it as a tensor attribute."""
    tensor = node.attribute(f"{name}_as_tensor")
    if tensor is not None:
        return np.asarray(tensor).reshape(-1).tolist()
    return list(node.attribute(name) or [])


def post_transform(node: OnnxNode) -> str:
    """Return the attribute `post_transform` of a node; raises `F026` for an unknown one."""
    return node.choice("post_transform", POST_TRANSFORMS, "NONE")


def transformed(scores: Expr, kind: str) -> Expr:
    """Return scores `(rows, classes)` after the post-transform `kind`, of `POST_TRANSFORMS`."""
    match kind:
        case "NONE":
            return scores
        case "LOGISTIC":
            return Call(Sigmoid(), (scores,))
        case "SOFTMAX":
            return Call(Softmax(-1), (scores,))
        case "SOFTMAX_ZERO":
            return _softmax_of_others(scores)
        case _:
            return _probit(scores)


def _softmax_of_others(scores: Expr) -> Expr:
    """Return the softmax of the nonzero scores; zeros stay zero."""
    dtype = scores.tensor_type.dtype
    zero, tiny = constant(0.0, dtype), constant(1e-7, dtype)
    none = equal(scores, zero)
    powers = where(none, zero, Call(Exp(), (scores,)))
    total = Call(Sum(axis=(-1,), keepdims=True), (powers,))
    return divide(powers, where(equal(total, zero), tiny, total))


def _probit(x: Expr) -> Expr:
    """Return quantiles of the normal distribution, with ONNX Runtime's approximation."""
    doubled = subtract(scaled(x, 2.0), constant(1.0, x.tensor_type.dtype))
    one = constant(1.0, x.tensor_type.dtype)
    inside = multiply(subtract(one, doubled), add(one, doubled))
    logarithm = Call(Log(), (inside,))
    half = add(scaled(logarithm, 0.5), constant(2.0 / (pi * _ERF_INVERSE), x.tensor_type.dtype))
    root = Call(Sqrt(), (subtract(multiply(half, half), scaled(logarithm, 1.0 / _ERF_INVERSE)),))
    size = Call(Sqrt(), (subtract(root, half),))
    return scaled(multiply(Call(Sign(), (doubled,)), size), sqrt(2.0))


def classified(node: OnnxNode, scores: Expr, *, all_positive: bool) -> list[Expr]:
    """Return the label of each row, and the transformed scores.

    1. If there is one score for two classes, it decides for the second class where it is above 0.5
       or, unless all weights are positive, above 0.
    2. Otherwise the class of the largest score is chosen.
    """
    kind = post_transform(node)
    width = scores.tensor_type.shape[1]
    if width != 1:
        place = Call(ArgMax(axis=(1,)), (scores,), span=node.span)
        return [labels(node, place), transformed(scores, kind)]
    dtype = scores.tensor_type.dtype
    place = place_of_second(scores, all_positive=all_positive)
    if kind == "PROBIT":
        return [labels(node, place), _probit(scores)]
    is_share = all_positive and kind != "LOGISTIC"
    first = subtract(constant(1.0, dtype), scores) if is_share else opposite(scores)
    both = Call(Concatenate(1), (Tuple((first, scores)),))
    return [labels(node, place), Call(Sigmoid(), (both,)) if kind == "LOGISTIC" else both]


def second_of_two(node: OnnxNode, scores: Expr, *, all_positive: bool) -> list[Expr]:
    """Return labels and scores if only the second of two classes has weights."""
    rows = scores.tensor_type.shape[0]
    second = Call(StridedSlice((1,), (2,), axes=(1,)), (scores,))
    place = place_of_second(reshape(second, (rows, 1)), all_positive=all_positive)
    kind = post_transform(node)
    return [labels(node, place), transformed(scores, kind)]


def place_of_second(score: Expr, *, all_positive: bool) -> Expr:
    """Return the class index, 0 or 1: 1 where the second class's score exceeds its threshold."""
    limit = constant(0.5 if all_positive else 0.0, score.tensor_type.dtype)
    above = Call(Cast(int64), (Call(Greater(), (score, limit)),))
    return reshape(above, score.tensor_type.shape[:1])


def class_labels(node: OnnxNode) -> Sequence[int]:
    """Return the class labels as integers; raises `F017` for strings."""
    names = next((n for n in ("classlabels_strings", "classlabels_ints") if n in node), "")
    found = node.attribute("classlabels_int64s") or node.attribute("classlabels_ints")
    if found:
        return list(found)
    if names == "classlabels_strings" and node.attribute(names):
        help_ = (
            "compile the model with relay.interop.onnx.compile_onnx, which returns the names of "
            "classes, or export it with integer labels"
        )
        raise node.error(
            ErrorCode.F017, "class labels that are strings are not supported", help=help_
        )
    raise node.error(ErrorCode.F023, "the attribute with the labels of the classes is missing")


def labels(node: OnnxNode, place: Expr) -> Expr:
    """Return the class labels of the node at the indices `place`."""
    table = list(class_labels(node))
    known = np.array(table if len(table) > 1 else [0, *table], np.int64)
    return Call(Take(axis=0, mode="clip"), (Constant(known), place), span=node.span)
