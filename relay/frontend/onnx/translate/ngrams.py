"""Translate `TfIdfVectorizer`: count n-grams of integers in each row."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.matrix_products import multiplied
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.node_errors import static_size
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.ir.dims import is_static
from relay.ir.expr import Array, Call, Constant, Expr, Tuple
from relay.ops.binary import Minimum, multiply
from relay.ops.cast import Cast
from relay.ops.comparison import equal
from relay.ops.max_min_reductions import All
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import ExpandDims
from relay.support.dtype import float32, int64
from relay.support.error_codes import ErrorCode

_MODES = ("TF", "IDF", "TFIDF")


@onnx_operator("TfIdfVectorizer")
def tf_idf_vectorizer(node: OnnxNode) -> Expr:
    """Translate `TfIdfVectorizer`: weighted counts of the n-grams of a pool, with skips.

    Raises `F017` for n-grams of strings, `F032` unless the length of rows is static.
    """
    pool, mode = node.attribute("pool_int64s"), node.choice("mode", _MODES)
    if not pool:
        raise node.error(ErrorCode.F017, "tokens that are strings are not supported")
    x = Call(Cast(int64), (node.expr(0),))
    shape = x.tensor_type.shape
    if not shape or not is_static(shape[-1:]):
        raise node.error(
            ErrorCode.F032,
            "the length of the rows must be known at compile time, but the input is "
            f"{node.type(0)!r}",
        )
    rows = x if len(shape) > 1 else reshape(x, (1, *shape))
    found = _counted(node, rows, _grams(node, pool))
    weights = node.attribute("weights")
    if mode != "TF" and weights:
        found = _weighed(node, found, weights, only_whether=mode == "IDF")
    elif mode == "IDF":
        found = Call(Minimum(), (found, constant(1.0, float32)))
    return found if len(shape) > 1 else reshape(found, found.tensor_type.shape[1:])


def _grams(node: OnnxNode, pool: Sequence[int]) -> dict[int, Array]:
    """Return the n-grams of the pool by length; each row ends with the index of its count."""
    starts: list[int] = list(node.required("ngram_counts"))
    places: list[int] = list(node.required("ngram_indexes"))
    found: dict[int, Array] = {}
    first = 0
    for length, (begin, end) in enumerate(zip(starts, [*starts[1:], len(pool)], strict=True), 1):
        grams = np.array(pool[begin:end], np.int64).reshape(-1, length)
        own = np.array(places[first : first + len(grams)], np.int64)
        found[length] = np.column_stack([grams, own])
        first += len(grams)
    lengths = range(node.required("min_gram_length"), node.required("max_gram_length") + 1)
    return {length: grams for length, grams in found.items() if length in lengths and len(grams)}


def _counted(node: OnnxNode, rows: Expr, grams: dict[int, Array]) -> Expr:
    """Return the count of each n-gram in each row."""
    many = max(node.required("ngram_indexes"), default=-1) + 1
    length = static_size(rows.tensor_type.shape[1])
    counts: list[Expr] = []
    columns: list[int] = []
    for size, each in grams.items():
        skips = range(node.required("max_skip_count") + 1) if size > 1 else range(1)
        places = [
            np.arange(length - (size - 1) * (skip + 1))[:, None] + np.arange(size) * (skip + 1)
            for skip in skips
            if length > (size - 1) * (skip + 1)
        ]
        if places:
            counts.append(_occurrences(rows, np.concatenate(places), each[:, :-1]))
            columns += each[:, -1].tolist()
    if not counts:
        none = Constant(np.zeros((length, many), np.float32))
        return multiplied(Call(Cast(float32), (rows,)), none)
    spread = np.zeros((len(columns), many), np.float32)
    spread[range(len(columns)), columns] = 1
    whole = counts[0] if len(counts) == 1 else Call(Concatenate(1), (Tuple(tuple(counts)),))
    return multiplied(whole, Constant(spread))


def _occurrences(rows: Expr, places: Array, grams: Array) -> Expr:
    """Return for each n-gram how many windows of each row equal it; `places` are the windows."""
    windows = Call(ExpandDims(2), (Call(Take(axis=1), (rows, Constant(places))),))
    same = Call(All(axis=(3,)), (equal(windows, Constant(grams)),))
    return Call(Sum(axis=(1,)), (Call(Cast(float32), (same,)),))


def _weighed(node: OnnxNode, counts: Expr, weights: Sequence[float], *, only_whether: bool) -> Expr:
    """Return counts, or indicators with `only_whether`, times the weights of n-grams."""
    placed = np.ones(static_size(counts.tensor_type.shape[1]), np.float32)
    for place, weight in zip(node.required("ngram_indexes"), weights, strict=True):
        placed[place] = weight
    if only_whether:
        counts = Call(Minimum(), (counts, constant(1.0, float32)))
    return multiply(counts, Constant(placed))
