"""Translate the standard operator `Attention`."""

from collections.abc import Sequence
from functools import reduce
from math import sqrt

import numpy as np

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.matrix_products import multiplied
from relay.frontend.builders.tensor_helpers import constant, reshape, with_heads
from relay.frontend.node_errors import static_size
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import GreaterEqual, Less, LessEqual, NotEqual
from relay.ops.logical import LogicalAnd
from relay.ops.nn.pad import Pad
from relay.ops.nn.softmax import Softmax
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.position_tensors import numbered
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.tile_and_repeat import Repeat
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Rsqrt, Sqrt, Tanh
from relay.support.dtype import bool_, float32, int64


@onnx_operator("Attention")
def attention(node: OnnxNode) -> Sequence[Expr]:
    """Translate `Attention`; queries for which all keys are masked have the result zero."""
    q, k, v = (node.expr(index) for index in range(3))
    flat = q.tensor_type.rank == 3
    if flat:
        kv_heads = node.required("kv_num_heads")
        q = with_heads(q, node.required("q_num_heads"))
        k, v = with_heads(k, kv_heads), with_heads(v, kv_heads)
    past: Expr = constant(0, int64)
    if node.has(4):
        past = size_of(node.expr(4), 2)
        k = Call(Concatenate(2), (Tuple((node.expr(4), k)),))
        v = Call(Concatenate(2), (Tuple((node.expr(5), v)),))
    plain, capped = _products(node, q, k)
    scores, allowed = _masked(node, capped, _position_conditions(node, q, k, past))
    weights = _weights(node, scores, allowed)
    result = multiplied(weights, _repeated(v, q))
    if flat:
        batch, heads, sequence, size = result.tensor_type.shape
        moved = Call(Transpose((0, 2, 1, 3)), (result,))
        result = reshape(moved, (batch, sequence, heads * size))
    shown = {0: plain, 1: capped, 2: scores, 3: weights}
    if node.opset >= 24:
        shown[1], shown[2] = scores, capped
    return [result, k, v, shown[node.attribute("qk_matmul_output_mode", 0)]]


def _products(node: OnnxNode, q: Expr, k: Expr) -> tuple[Expr, Expr]:
    """Return the scaled products of queries and keys, before and after soft capping."""
    element = q.tensor_type.dtype
    scale = _root_of_scale(node, q)
    keys = Call(Transpose((0, 1, 3, 2)), (_repeated(k, q),))
    plain = multiplied(multiply(q, scale), multiply(keys, scale))
    cap = node.attribute("softcap", 0.0)
    if cap <= 0:  # as in ONNX Runtime
        return plain, plain
    limit = constant(cap, element)
    return plain, multiply(limit, Call(Tanh(), (divide(plain, limit),)))


def _root_of_scale(node: OnnxNode, q: Expr) -> Expr:
    """Return the square root of the scale, which is by default 1 / sqrt(head size)."""
    element, size = q.tensor_type.dtype, q.tensor_type.shape[-1]
    given = node.attribute("scale", None if not isinstance(size, int) else 1.0 / sqrt(size))
    if given is not None:
        return constant(sqrt(given), element)
    root = Call(Rsqrt(), (Call(Cast(float32), (size_of(q, -1),)),))
    return Call(Cast(element), (Call(Sqrt(), (root,)),))


def _position_conditions(node: OnnxNode, q: Expr, k: Expr, past: Expr) -> list[Expr]:
    """Return the conditions on positions of queries and keys: causal and sliding window.

    `past` is the number of keys before those of the first query.
    """
    left, right = (node.attribute(f"{side}_window_size", -1) for side in ("left", "right"))
    if node.attribute("is_causal", 0) == 1:  # as in ONNX Runtime, which ignores other values
        right = 0
    padded = node.optional(6)
    if left < 0 and right < 0 and padded is None:
        return []
    query = add(Call(ExpandDims(1), (numbered(q, 2),)), past)
    key = numbered(k, 2)
    found: list[Expr] = []
    if padded is not None:
        length = reshape(Call(Cast(int64), (padded,)), (*padded.tensor_type.shape, 1, 1, 1))
        found.append(Call(Less(), (key, length)))
        query = add(query, subtract(length, size_of(q, 2)))
    if right >= 0:
        found.append(Call(LessEqual(), (key, add(query, constant(right, int64)))))
    if left >= 0:
        found.append(Call(GreaterEqual(), (key, subtract(query, constant(left, int64)))))
    return found


def _masked(node: OnnxNode, scores: Expr, allowed: list[Expr]) -> tuple[Expr, Expr | None]:
    """Return scores with all masks applied, and the condition that a score is not masked."""
    element = scores.tensor_type.dtype
    lowest = constant(-np.inf, element)
    mask = _extended_mask(node.optional(3), scores)
    if mask is not None and mask.tensor_type.dtype is bool_:
        allowed = [mask, *allowed]
    elif mask is not None:
        scores = add(scores, mask)
        allowed = [Call(NotEqual(), (mask, lowest)), *allowed]
    if not allowed:
        return scores, None
    together = reduce(lambda a, b: Call(LogicalAnd(), (a, b)), allowed)
    return where(together, scores, lowest), together


def _extended_mask(mask: Expr | None, scores: Expr) -> Expr | None:
    """Return the mask, extended to exclude keys for which it has no column."""
    if mask is None:
        return None
    element, have = mask.tensor_type.dtype, mask.tensor_type.shape[-1]
    wanted = scores.tensor_type.shape[-1]
    if not (isinstance(have, int) and isinstance(wanted, int) and 1 < have < wanted):
        return mask
    widths = ((0, 0),) * (mask.tensor_type.rank - 1) + ((0, wanted - have),)
    denied = constant(0 if element is bool_ else -np.inf, element)
    return Call(Pad(widths), (mask, denied))


def _weights(node: OnnxNode, scores: Expr, allowed: Expr | None) -> Expr:
    """Return the softmax of the scores, computed in the precision that the node requests."""
    element = scores.tensor_type.dtype
    wide = node.attribute("softmax_precision", 0) == 1 and element is not float32
    exact = Call(Cast(float32), (scores,)) if wide else scores
    weights = Call(Softmax(-1), (exact,), span=node.span)
    weights = Call(Cast(element), (weights,)) if wide else weights
    return weights if allowed is None else where(allowed, weights, constant(0, element))


def _repeated(x: Expr, q: Expr) -> Expr:
    """Repeat the heads of keys or values to the number of heads of the queries."""
    heads, wanted = x.tensor_type.shape[1], q.tensor_type.shape[1]
    if heads is wanted:
        return x
    times = static_size(wanted) // static_size(heads)
    return x if times == 1 else Call(Repeat(times, 1), (x,))
