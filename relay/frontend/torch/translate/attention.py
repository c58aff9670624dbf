"""Translate PyTorch's attention operators."""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.matrix_products import multiplied
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.reduction import log_of_sum
from relay.ir.dims import Dim
from relay.ir.expr import Call, Expr
from relay.ops.binary import add, multiply, subtract
from relay.ops.creation import Ones
from relay.ops.functions import core
from relay.ops.max_min_reductions import Any
from relay.ops.nn.softmax import Softmax
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.tile_and_repeat import Repeat
from relay.ops.tensor.transpose import Transpose
from relay.ops.tensor.triangles_masks_diagonals import Trilu
from relay.support.dtype import bool_, float32, float64, int64
from relay.support.error_codes import ErrorCode


@torch_operator("scaled_dot_product_attention")
def attention(node: TorchNode) -> Expr:
    """Translate `scaled_dot_product_attention`; masks are boolean or additive.

    Raises `F036` for dropout, which is only used in training.
    """
    q, k, v = (node.tensor(name) for name in ("query", "key", "value"))
    if node.flag("enable_gqa"):
        k, v = (_repeated_heads(node, each, q) for each in (k, v))
    return multiplied(_weights(node, _masked_scores(node, q, k)), v)


@torch_operator("_scaled_dot_product_flash_attention_for_cpu")
def flash_attention(node: TorchNode) -> Sequence[Expr]:
    """Translate flash attention; also return the log-sum-exp of each row of scores.

    Groups of heads of queries may share a head of keys and values. Floats of 16 bits have a
    log-sum-exp of float32.
    """
    q, k, v = (node.tensor(name) for name in ("query", "key", "value"))
    scores = _masked_scores(node, q, _repeated_heads(node, k, q))
    result = multiplied(_weights(node, scores), _repeated_heads(node, v, q))
    element = q.tensor_type.dtype
    wide = converted(scores, element if element is float64 else float32)
    return [result, log_of_sum(wide, (-1,), keep=False)]


@torch_operator("_scaled_dot_product_flash_attention_for_cpu_backward")
def flash_attention_backward(node: TorchNode) -> Sequence[Expr]:
    """Translate the backward operator: gradients of queries, keys and values."""
    node.ignore("out", "logsumexp")  # the weights are recomputed
    q, keys, values = (node.tensor(name) for name in ("query", "key", "value"))
    k, v = (_repeated_heads(node, each, q) for each in (keys, values))
    v = _with_length_of(v, k)
    slope, weights = node.tensor("grad_out"), _weights(node, _masked_scores(node, q, k))
    by_weights = multiply(weights, multiplied(slope, _transposed(v)))
    sums = Call(Sum(axis=(-1,), keepdims=True), (by_weights,))
    by_scores = subtract(by_weights, multiply(weights, sums))
    by_scores = multiply(by_scores, _scale(node, q))
    by_values = multiplied(_transposed(weights), slope)
    by_keys = multiplied(_transposed(by_scores), q)
    of_groups = _sums_of_groups(node, by_keys, keys), _sums_of_groups(node, by_values, values)
    return [multiplied(by_scores, k), *of_groups]


def _masked_scores(node: TorchNode, q: Expr, k: Expr) -> Expr:
    """Return the scaled products of queries and keys, with -infinity where masked."""
    if node.number("dropout_p") != 0.0:
        raise node.error(
            ErrorCode.F036,
            "the model is in training mode",
            help="call model.eval() before loading the model",
        )
    scaled = multiply(q, _scale(node, q))  # the smaller operand
    scores = multiplied(scaled, _transposed(k))
    allowed, mask = _allowed(node, scores), node.optional("attn_mask")
    if mask is not None and mask.tensor_type.dtype is not bool_:
        scores = add(scores, mask)
    if allowed is None:
        return scores
    return where(allowed, scores, constant(-np.inf, scores.tensor_type.dtype))


def _weights(node: TorchNode, scores: Expr) -> Expr:
    """Return the softmax of scores; rows in which all keys are masked become zero."""
    weights = Call(Softmax(-1), (scores,), span=node.span)
    allowed = _allowed(node, scores)
    if allowed is None or "attn_mask" not in node:
        return weights
    some = Call(Any(axis=(-1,), keepdims=True), (allowed,))
    return where(some, weights, constant(0.0, weights.tensor_type.dtype))


def _scale(node: TorchNode, q: Expr) -> Expr:
    """Return the factor by which products of queries and keys are multiplied."""
    element, size = q.tensor_type.dtype, q.tensor_type.shape[-1]
    if "scale" in node:
        return constant(node.number("scale"), element)
    if isinstance(size, int):
        return constant(1 / sqrt(size), element)
    return converted(core.rsqrt(converted(size_of(q, -1), float64)), element)


def _transposed(x: Expr) -> Expr:
    """Transpose the last two axes."""
    rank = x.tensor_type.rank
    return Call(Transpose((*range(rank - 2), rank - 1, rank - 2)), (x,))


def _allowed(node: TorchNode, scores: Expr) -> Expr | None:
    """Return which keys each query may attend to, or None if there is no mask."""
    mask = node.optional("attn_mask")
    if node.flag("is_causal"):
        square = Call(Ones(scores.tensor_type.shape[-2:], bool_), ())
        return Call(Trilu(upper=False), (square, constant(0, int64)))
    return mask if mask is not None and mask.tensor_type.dtype is bool_ else None


def _repeated_heads(node: TorchNode, x: Expr, q: Expr) -> Expr:
    """Repeat the heads of keys or values to the number of heads of the queries."""
    heads, wanted = x.tensor_type.shape[-3], q.tensor_type.shape[-3]
    if heads == wanted:
        return x
    return Call(Repeat(_group_size(node, wanted, heads), x.tensor_type.rank - 3), (x,))


def _group_size(node: TorchNode, queries: Dim, keys: Dim) -> int:
    """Return how many heads of queries share a head of keys; raise `F032` if it is dynamic."""
    if not (isinstance(queries, int) and isinstance(keys, int)):
        raise node.dynamic("different numbers of heads of queries and keys", queries, keys)
    return queries // keys


def _with_length_of(v: Expr, k: Expr) -> Expr:
    """Give the values the length of the keys, which PyTorch may denote by another symbol."""
    *batch, _, size = v.tensor_type.shape
    return reshape(v, (*batch, k.tensor_type.shape[-2], size))


def _sums_of_groups(node: TorchNode, x: Expr, shared: Expr) -> Expr:
    """Sum `x` over the heads that each head of `shared` was repeated to."""
    *batch, heads, rows, columns = x.tensor_type.shape
    groups = shared.tensor_type.shape[-3]
    if groups == heads:
        return x
    apart = reshape(x, (*batch, groups, _group_size(node, heads, groups), rows, columns))
    return Call(Sum(axis=(-3,)), (apart,))
