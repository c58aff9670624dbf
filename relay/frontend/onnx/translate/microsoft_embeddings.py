"""Translate ONNX Runtime's operators around transformers: embeddings, GELU, softmax with bias."""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from relay.frontend.builders.matrix_products import multiplied
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import MICROSOFT, onnx_operator
from relay.frontend.onnx.translate.normalization import normalised
from relay.ir.dims import Dim
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import add, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import equal
from relay.ops.creation import OnesLike, Zeros, ZerosLike
from relay.ops.logical import LogicalAnd
from relay.ops.nn.more_activations import Gelu
from relay.ops.nn.normalization import LayerNorm
from relay.ops.nn.pad import Pad
from relay.ops.nn.softmax import Softmax
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.gather import Take
from relay.ops.tensor.scatter import ScatterElements
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Sigmoid
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode


@onnx_operator("Gelu", "FastGelu", "BiasGelu", domain=MICROSOFT)
def gelu(node: OnnxNode) -> Expr:
    """Translate `Gelu` variants: GELU, after adding a bias if there is one."""
    x = add(node.expr(0), node.expr(1)) if node.has(1) else node.expr(0)
    return Call(Gelu("tanh" if node.op == "FastGelu" else "none"), (x,), span=node.span)


@onnx_operator("QuickGelu", domain=MICROSOFT)
def quick_gelu(node: OnnxNode) -> Expr:
    """Translate `QuickGelu`: `x · sigmoid(alpha · x)`."""
    x = node.expr(0)
    alpha = constant(node.attribute("alpha", 1.702), x.tensor_type.dtype)
    return multiply(x, Call(Sigmoid(), (multiply(x, alpha),)))


@onnx_operator("BiasSoftmax", domain=MICROSOFT)
def bias_softmax(node: OnnxNode) -> Expr:
    """Translate `BiasSoftmax`: add a bias, then softmax over the axes from `axis` on."""
    node.required("is_inner_broadcast")  # follows from the shapes
    total = add(node.expr(0), node.expr(1))
    return normalised(node, Softmax, total, node.attribute("axis", 1), is_joined=True)


@onnx_operator("BiasDropout", domain=MICROSOFT)
def bias_dropout(node: OnnxNode) -> Sequence[Expr]:
    """Translate `BiasDropout` for inference: add a bias and another tensor; the mask is ones.

    Raises `F030` if the node is in training mode.
    """
    training = node.optional(4)
    if training is not None and not (isinstance(training, Constant) and not training.array.any()):
        raise node.error(ErrorCode.F030, "training_mode must be false: training is not supported")
    node.attribute("seed")  # used only in training
    total = add(node.expr(0), node.expr(1))
    result = add(total, node.expr(2)) if node.has(2) else total
    return [result, Call(OnesLike(), (equal(total, total),))]


@onnx_operator("SkipLayerNormalization", domain=MICROSOFT)
def skip_layer_normalization(node: OnnxNode) -> Sequence[Expr]:
    """Translate `SkipLayerNormalization`: normalise a sum, which is the last output.

    Raises `F030` if mean or deviation are requested.
    """
    if any(node.outputs[1:3]):
        raise node.error(ErrorCode.F030, "the outputs mean and inv_std_var are not supported")
    total = add(node.expr(0), node.expr(1))
    if node.has(4):
        total = add(total, node.expr(4))
    result = _normalised(node, total, 2)
    return [result, result, result, total]


def _normalised(node: OnnxNode, x: Expr, index: int) -> Expr:
    scale = node.expr(index)
    given = node.optional(index + 1)
    shift = Call(ZerosLike(), (scale,)) if given is None else given
    op = LayerNorm(axis=-1, epsilon=node.attribute("epsilon", 1e-12))
    return Call(op, (x, scale, shift), span=node.span)


@onnx_operator("EmbedLayerNormalization", domain=MICROSOFT)
def embed_layer_normalization(node: OnnxNode) -> Sequence[Expr]:
    """Translate `EmbedLayerNormalization`: sum and normalise token embeddings.

    The embeddings are of words, positions and segments; also returns the number of unmasked tokens.
    """
    words = Call(Take(axis=0, mode="raise"), (node.expr(2), node.expr(0)))
    total = add(words, _position_embeddings(node))
    if node.has(1) and node.has(4):
        total = add(total, Call(Take(axis=0, mode="raise"), (node.expr(4), node.expr(1))))
    return [_normalised(node, total, 5), _token_counts(node), total]


@onnx_operator("QEmbedLayerNormalization", domain=MICROSOFT)
def quantised_embed_layer_normalization(node: OnnxNode) -> Sequence[Expr]:
    """Translate `QEmbedLayerNormalization`, whose embedding tables are quantised."""
    tables = [place for place in range(2, 7) if node.has(place)]
    real = {place: _real_table(node, place, place + 6, place + 11) for place in tables}
    return embed_layer_normalization(node.with_inputs(real).in_order(*range(8)))


def _real_table(node: OnnxNode, table: int, scale: int, zero: int) -> Expr:
    whole = [Call(Cast(int32), (node.expr(place),)) for place in (table, zero)]
    factor = node.expr(scale)
    return multiply(Call(Cast(factor.tensor_type.dtype), (subtract(*whole),)), factor)


@onnx_operator("NGramRepeatBlock", domain=MICROSOFT)
def n_gram_repeat_block(node: OnnxNode) -> Expr:
    """Translate `NGramRepeatBlock`: scores of tokens that repeat an n-gram become -infinity."""
    low = constant(-np.inf, node.type(1).dtype)
    return without_repetitions(node.expr(0), node.expr(1), node.required("ngram_size"), low)


def without_repetitions(tokens: Expr, scores: Expr, size: int, low: Expr) -> Expr:
    """Return scores with `low` for tokens that would repeat a sequence of `size` tokens."""
    before = Pad(((0, 0), (size - 1, 0)))  # pad, so that a sequence ends at each token
    tokens = Call(before, (tokens, constant(-1, tokens.tensor_type.dtype)))
    count = tokens.tensor_type.shape[1]

    def columns(first: Dim, last: Dim) -> Expr:
        return Call(StridedSlice((first,), (last,), axes=(1,)), (tokens,))

    starts = count - size + 1  # the number of sequences of that size
    following = columns(size - 1, count)
    repeated = [Call(OnesLike(), (equal(following, following),))] + [
        equal(columns(place, place + starts), columns(starts + place, starts + place + 1))
        for place in range(size - 1)
    ]
    every = reduce(lambda a, b: Call(LogicalAnd(), (a, b)), repeated)
    limits = where(every, low, constant(np.inf, scores.tensor_type.dtype))
    return Call(ScatterElements(1, "min"), (scores, following, limits))


def _token_counts(node: OnnxNode) -> Expr:
    """Return the number of unmasked tokens of each sequence; zeros without a mask."""
    if not node.has(7):
        return Call(Zeros((node.type(0).shape[0],), int32), ())
    return Call(Sum(axis=(1,)), (Call(Cast(int32), (node.expr(7),)),))


def _position_embeddings(node: OnnxNode) -> Expr:
    """Return the position embeddings, of explicit positions or of positions from 0 on."""
    if node.has(8):
        return Call(Take(axis=0, mode="raise"), (node.expr(3), node.expr(8)))
    return Call(StridedSlice((0,), (node.type(0).shape[1],), axes=(0,)), (node.expr(3),))


@onnx_operator("FusedMatMul", "TransposeMatMul", domain=MICROSOFT)
def fused_matmul(node: OnnxNode) -> Expr:
    """Translate `FusedMatMul`: a scaled matrix product with optional transpositions.

    The rows of a matrix may also precede the batch axes.
    """
    sides = [node.expr(0), node.expr(1)]
    for index, side in enumerate("AB"):
        rank = sides[index].tensor_type.rank
        order = list(range(rank))
        if node.attribute(f"transBatch{side}", 0):
            order = [*range(1, rank - 1), 0, rank - 1]
        if node.attribute(f"trans{side}", 0) and rank > 1:
            order[-2:] = order[:-3:-1]
        if order != list(range(rank)):
            sides[index] = Call(Transpose(tuple(order)), (sides[index],))
    result = multiplied(*sides)
    alpha = node.attribute("alpha", 1.0)
    return result if alpha == 1.0 else multiply(result, constant(alpha, result.tensor_type.dtype))
