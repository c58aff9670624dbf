"""Translate Keras attention layers."""

import numpy as np

from relay.frontend.builders.matrix_products import dense
from relay.frontend.builders.tensors import constant, reshape
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_layer
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import add, multiply
from relay.ops.cast import Cast
from relay.ops.nn.matmul import BatchMatmul
from relay.ops.nn.softmax import Softmax
from relay.ops.selection import where
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import dtype
from relay.support.error_codes import ErrorCode

_BARRED = -1e9
"""The score of masked keys: its exponential is 0."""


@keras_layer("MultiHeadAttention")
def multi_head(layer: LayerReader) -> Expr:
    """Translate `MultiHeadAttention`."""
    layer.ignore("key_dim", "value_dim", "output_shape", "num_heads", "query_shape", "key_shape",
                 "value_shape")  # fmt: skip
    if layer.option("attention_axes") not in (None, [1]):
        raise layer.wrong("attention_axes", layer.option("attention_axes"))
    query = layer.as_tensor(layer.argument("query", 0))
    value = layer.as_tensor(layer.argument("value", 1))
    given = layer.argument("key", 2)
    key = value if given is None else layer.as_tensor(given)
    _check_no_mask(layer, query, key, value)
    parts = ((query, "query_dense"), (key, "key_dense"), (value, "value_dense"))
    q, k, v = (_heads(layer, x, name, index) for index, (x, name) in enumerate(parts))
    size = int(str(q.tensor_type.shape[-1]))
    scaled = multiply(q, constant(size**-0.5, q.tensor_type.dtype))
    scores = Call(BatchMatmul(transpose_b=True), (scaled, k), span=layer.span)
    scores = _masked_scores(layer, scores)
    mixed = Call(BatchMatmul(), (Call(Softmax(-1), (scores,)), v))
    return _output_projection(layer, Call(Transpose((0, 2, 1, 3)), (mixed,)))


def _heads(layer: LayerReader, x: Expr, name: str, index: int) -> Expr:
    """Return a tensor projected into attention heads, `(batch, heads, sequence, size)`."""
    kernel, *bias = _part(layer, name, index)
    inputs, heads, size = kernel.data.shape
    flat = dense(x, Constant(kernel.data.reshape(inputs, heads * size), span=layer.span))
    if bias:
        flat = add(flat, reshape(bias[0], (heads * size,)))
    batch, sequence, _ = flat.tensor_type.shape
    return Call(Transpose((0, 2, 1, 3)), (reshape(flat, (batch, sequence, heads, size)),))


def _output_projection(layer: LayerReader, mixed: Expr) -> Expr:
    """Return the output projection, which combines the results of all heads."""
    kernel, *bias = _part(layer, "output_dense", 3)
    heads, size, *outputs = kernel.data.shape
    batch, sequence, *_ = mixed.tensor_type.shape
    rows = reshape(mixed, (batch, sequence, heads * size))
    matrix = Constant(kernel.data.reshape(heads * size, -1), span=layer.span)
    result = reshape(dense(rows, matrix), (batch, sequence, *outputs))
    return add(result, bias[0]) if bias else result


def _part(layer: LayerReader, name: str, index: int) -> list[Constant]:
    has_bias = layer.flag("use_bias", default=True)
    found = layer.weights.part(name, index, 4).arrays()
    return layer.constants(layer.as_weights(found, 1 + has_bias))


def _masked_scores(layer: LayerReader, scores: Expr) -> Expr:
    """Return attention scores, with masked positions set to a large negative number.

    Scores are `(batch, heads, queries, keys)`.
    """
    mask, element = layer.argument("attention_mask", 6), scores.tensor_type.dtype
    if mask is not None:
        if not isinstance(mask, Expr):
            raise layer.error(ErrorCode.F021, f"attention_mask must be a tensor, not {mask!r}")
        allowed = Call(Cast(dtype("bool")), (mask,))
        if allowed.tensor_type.rank == 3:
            allowed = Call(ExpandDims(1), (allowed,))
        scores = where(allowed, scores, constant(_BARRED, element))
    if layer.argument("use_causal_mask", 9):
        queries, keys = (int(str(each)) for each in scores.tensor_type.shape[-2:])
        allowed = Constant(np.tril(np.ones((queries, keys), np.bool_)))
        scores = where(allowed, scores, constant(_BARRED, element))
    return scores


def _check_no_mask(layer: LayerReader, *tensors: Expr) -> None:
    """Raise `F030` if a tensor has a mask of time steps, which is not supported here."""
    if any(each in layer.masks for each in tensors):
        raise layer.error(
            ErrorCode.F030, "attention over sequences with a mask of an embedding is not supported",
            help="pass attention_mask, and create the embedding with mask_zero=False",
        )  # fmt: skip


@keras_layer("Attention")
def attention(layer: LayerReader) -> Expr:
    """Translate `Attention`: dot-product attention without projections."""
    query, value, *rest = layer.tensors()
    key = rest[0] if rest else value
    _check_no_mask(layer, query, key, value)
    if layer.text("score_mode", "dot") != "dot":
        raise layer.wrong("score_mode", layer.option("score_mode"))
    scores = Call(BatchMatmul(transpose_b=True), (query, key), span=layer.span)
    if layer.flag("use_scale"):
        (factor,) = layer.constants(layer.arrays(1))
        scores = multiply(scores, factor)
    return Call(BatchMatmul(), (Call(Softmax(-1), (scores,)), value))
