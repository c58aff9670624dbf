"""Translate Keras layers that turn numbers into categories."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.json_values import is_list
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_layer
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.binary import add, multiply
from relay.ops.cast import Cast
from relay.ops.comparison import equal
from relay.ops.functions import core
from relay.ops.selection import where
from relay.ops.tensor.one_hot_and_shape_of import OneHot
from relay.ops.tensor.search_and_unique import SearchSorted
from relay.support.dtype import DType, float32, int32, int64
from relay.support.error_codes import ErrorCode


@keras_layer("CategoryEncoding")
def category_encoding(layer: LayerReader) -> Expr:
    """Translate `CategoryEncoding`: mark or count the categories of each sample."""
    weights = layer.argument("count_weights", 1)
    weights = None if weights is None else layer.as_tensor(weights)
    mode = layer.text("output_mode", "multi_hot")
    return _encoded(layer, layer.tensor(), mode, layer.integer("num_tokens"), layer.dtype, weights)


@keras_layer("Discretization")
def discretization(layer: LayerReader) -> Expr:
    """Translate `Discretization`: the number of the bin that each element falls into."""
    layer.ignore("num_bins", "epsilon")
    found: object = layer.option("bin_boundaries")
    if not is_list(found):
        stored = layer.weights.arrays()
        if not stored:
            raise layer.error(
                ErrorCode.F073,
                "the layer has no bin boundaries",
                help="call layer.adapt(data) in Keras, and save the model again",
            )
        found = [*stored[0].reshape(-1)]
    bounds = Constant(np.array(found, np.float32))
    values = Call(Cast(float32), (layer.tensor(),))
    places = Call(SearchSorted(right=True), (bounds, values), span=layer.span)
    mode = layer.text("output_mode", "int")
    of = int32 if mode == "int" else layer.dtype
    return _encoded(layer, places, mode, bounds.array.size + 1, of)


@keras_layer("IntegerLookup")
def integer_lookup(layer: LayerReader) -> Expr:
    """Translate `IntegerLookup` of a vocabulary in the configuration.

    Raises `F072` for a vocabulary in a file, and for hashing of unknown numbers.
    """
    layer.ignore("max_tokens", "vocabulary_size", "vocabulary_dtype", "invert", "idf_weights",
                 "salt", "oov_method")  # fmt: skip
    words, mask, unknown = _vocabulary(layer)
    mode, x = layer.text("output_mode", "int"), layer.tensor()
    x = x if x.tensor_type.dtype is int64 else Call(Cast(int64), (x,))
    start = int(mask is not None and mode == "int")
    found = _inverted(layer, x, words, start) if layer.flag("invert") else (
        _looked_up(x, words, start, unknown)
    )  # fmt: skip
    if layer.flag("invert"):
        return found
    if mask is not None:
        first = constant(0 if mode == "int" else unknown - 1, int64)
        found = where(equal(x, constant(mask, int64)), first, found)
    if mode == "int":
        return found
    depth = start + unknown + words.size
    if layer.flag("pad_to_max_tokens"):
        depth = layer.integer("max_tokens")
    counted = "count" if mode == "tf_idf" else mode
    result = _encoded(layer, found, counted, depth, float32 if mode == "tf_idf" else int64)
    if mode == "tf_idf":
        return multiply(result, Constant(_frequencies(layer, depth, unknown)))
    return result


def _vocabulary(layer: LayerReader) -> tuple[Array, int | None, int]:
    """Return the numbers of a vocabulary, the masked number or None, and the count of others."""
    given: Any = layer.option("vocabulary")
    if not is_list(given) or not all(isinstance(each, int) for each in given):
        raise layer.wrong("vocabulary", given)
    mask, unknown = layer.option("mask_token"), layer.integer("num_oov_indices", 1)
    layer.ignore("oov_token")
    if unknown > 1 and layer.option("oov_method") == "farmhash":
        raise layer.wrong("oov_method", "farmhash")
    special = [each for each in (mask, layer.option("oov_token")) if each is not None]
    words = [each for index, each in enumerate(given) if each not in special or index > 1]
    return np.array(words, np.int64), mask, unknown


def _looked_up(x: Expr, words: Array, start: int, unknown: int) -> Expr:
    """Return the place of each number in the vocabulary, after those for other numbers."""
    order = np.argsort(words)
    ordered = Constant(words[order])
    last = constant(max(words.size - 1, 0), int64)
    place = rnp.minimum(core.cast(rnp.searchsorted(ordered, x), "int64"), last)
    is_known = equal(core.take(ordered, place, axis=0), x)
    number = core.take(Constant(order.astype(np.int64)), place, axis=0)
    known = add(number, constant(start + unknown, int64))
    other: Expr = constant(start, int64)
    if unknown > 1:
        other = add(core.floor_mod(x, constant(unknown, int64)), other)
    if unknown == 0:
        other = constant(-1, int64)
    return where(is_known, known, other)


def _inverted(layer: LayerReader, x: Expr, words: Array, start: int) -> Expr:
    """Return the vocabulary's number at each place, or the number of unknown values."""
    unknown = layer.integer("oov_token", -1)
    mask = [layer.integer("mask_token")] if start else []
    table = np.array([*mask, *[unknown] * layer.integer("num_oov_indices", 1), *words], np.int64)
    inside = rnp.logical_and(rnp.greater_equal(x, 0), rnp.less(x, table.size))
    return where(inside, core.take(Constant(table), x, axis=0), constant(unknown, int64))


def _frequencies(layer: LayerReader, depth: int, unknown: int) -> Array:
    """Return the weight of each category: unknown ones have the mean of all."""
    given: Any = layer.option("idf_weights")
    weights = np.array(given, np.float32)
    found = np.concatenate([np.full(unknown, weights.mean(), np.float32), weights])
    return np.pad(found, (0, depth - found.size))


def _encoded(
    layer: LayerReader, x: Expr, mode: str, depth: int, of: DType, weights: Expr | None = None
) -> Expr:
    """Return categories as they are, marked at their places, or counted."""
    if mode == "int":
        return x if x.tensor_type.dtype is of else Call(Cast(of), (x,))
    if mode not in ("count", "multi_hot", "one_hot"):
        raise layer.wrong("output_mode", mode)
    shape: Sequence[Any] = x.tensor_type.shape
    if mode == "one_hot" and len(shape) > 1 and shape[-1] == 1:
        x = reshape(x, shape[:-1])
    marks: Expr = Call(OneHot(depth), (x, constant(1, of), constant(0, of)), span=layer.span)
    if mode == "one_hot":
        return marks
    axis = 1 if len(shape) > 1 else 0
    if mode == "multi_hot":
        return core.max(marks, axis=axis)
    marks = marks if weights is None else multiply(marks, core.expand_dims(weights, -1))
    return core.sum(marks, axis=axis)
