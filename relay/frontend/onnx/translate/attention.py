"""Attention, rotary positions, and the normalisations of transformers."""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.common import constant, reshape
from relay.frontend.onnx.translate.products import multiplied
from relay.ir.dims import Dim, is_static
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.nn.softmax import Softmax
from relay.ops.reduction import Mean
from relay.ops.selection import where
from relay.ops.tensor.gather import Take
from relay.ops.tensor.join import Concatenate, Split
from relay.ops.tensor.repeat import Repeat
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Sqrt, Tanh
from relay.support.dtype import DType, bool_, float32, int64


@onnx_operator("RMSNormalization")
def rms_normalization(node: OnnxNode) -> Expr:
    """Divide by the root of the mean square over the last axes, from `axis` on, and scale."""
    x = node.expr(0)
    element, rank = x.tensor_type.dtype, x.tensor_type.rank
    wide = Call(Cast(float32), (x,)) if element.bits < 32 else x
    axes = tuple(range(node.attribute("axis", -1) % rank, rank))
    squares = Call(Mean(axis=axes, keepdims=True), (multiply(wide, wide),))
    small = constant(node.attribute("epsilon", 1e-5), wide.tensor_type.dtype)
    scaled = divide(wide, Call(Sqrt(), (add(squares, small),)))
    narrow = scaled if wide is x else Call(Cast(element), (scaled,))
    return multiply(narrow, node.expr(1))


@onnx_operator("RotaryEmbedding")
def rotary_embedding(node: OnnxNode) -> Expr:
    """Turn pairs of features by angles that grow with the position."""
    x = node.expr(0)
    heads, flat = node.attribute("num_heads", 0), x.tensor_type.rank == 3
    shape = x.tensor_type.shape
    if flat:
        x = _heads(x, heads)
    size = x.tensor_type.shape[-1]
    turned = node.attribute("rotary_embedding_dim", 0) or int(str(size))
    cosine, sine = (_angles(node, index) for index in (1, 2))
    head, rest = _cut(x, 0, turned), _cut(x, turned, size)
    step = 2 if node.attribute("interleaved", 0) else 1
    result = _turned(head, cosine, sine, interleaved=step == 2)
    if turned != size:
        result = Call(Concatenate(-1), (Tuple((result, rest)),))
    return reshape(Call(Transpose((0, 2, 1, 3)), (result,)), shape) if flat else result


def _angles(node: OnnxNode, index: int) -> Expr:
    """Return cosines or sines as `(batch, 1, sequence, half)`."""
    table = node.expr(index)
    if node.has(3):
        table = Call(Take(axis=0), (table, node.expr(3)))
    batch, sequence, half = table.tensor_type.shape
    return reshape(table, (batch, 1, sequence, half))


def _turned(x: Expr, cosine: Expr, sine: Expr, *, interleaved: bool) -> Expr:
    size = int(str(x.tensor_type.shape[-1]))
    half = size // 2
    if interleaved:
        a, b = (_cut(x, start, size, 2) for start in (0, 1))
    else:
        a, b = _cut(x, 0, half), _cut(x, half, size)
    real = subtract(multiply(a, cosine), multiply(b, sine))
    imaginary = add(multiply(a, sine), multiply(b, cosine))
    if not interleaved:
        return Call(Concatenate(-1), (Tuple((real, imaginary)),))
    shape = real.tensor_type.shape
    columns = tuple(reshape(each, (*shape, 1)) for each in (real, imaginary))
    return reshape(Call(Concatenate(-1), (Tuple(columns),)), (*shape[:-1], 2 * shape[-1]))


def _cut(x: Expr, begin: Dim, end: Dim, step: int = 1) -> Expr:
    """Return a range of the last axis."""
    op = StridedSlice((begin,), (end,), (step,), axes=(x.tensor_type.rank - 1,))
    return Call(op, (x,))


def _heads(x: Expr, heads: int) -> Expr:
    """Turn `(batch, sequence, hidden)` into `(batch, heads, sequence, size)`."""
    batch, sequence, hidden = x.tensor_type.shape
    split = reshape(x, (batch, sequence, heads, hidden // heads))
    return Call(Transpose((0, 2, 1, 3)), (split,))


@onnx_operator("Attention")
def attention(node: OnnxNode) -> Sequence[Expr]:
    """Average values by how keys match queries (`F030` for lengths that are known at run time)."""
    if node.has(6):
        raise node.error("F030", "lengths of padded keys are not supported")
    q, k, v = (node.expr(index) for index in range(3))
    flat = q.tensor_type.rank == 3
    if flat:
        kv_heads = node.required("kv_num_heads")
        q = _heads(q, node.required("q_num_heads"))
        k, v = _heads(k, kv_heads), _heads(v, kv_heads)
    past: Dim = 0
    if node.has(4):
        past = node.type(4).shape[2]
        k = Call(Concatenate(2), (Tuple((node.expr(4), k)),))
        v = Call(Concatenate(2), (Tuple((node.expr(5), v)),))
    scores, matched = _scores(node, q, k, past)
    wide = _at_least(scores, node)
    weights = Call(Softmax(-1), (wide,))
    if weights.tensor_type.dtype is not scores.tensor_type.dtype:
        weights = Call(Cast(scores.tensor_type.dtype), (weights,))
    result = multiplied(weights, _repeated(v, q))
    if flat:
        batch, heads, sequence, size = result.tensor_type.shape
        moved = Call(Transpose((0, 2, 1, 3)), (result,))
        result = reshape(moved, (batch, sequence, heads * size))
    shown = weights if node.attribute("qk_matmul_output_mode", 0) == 3 else matched
    return [result, k, v, shown]


def _at_least(scores: Expr, node: OnnxNode) -> Expr:
    """Return the scores in the precision that the softmax is asked for."""
    wanted = node.attribute("softmax_precision", 0)
    return Call(Cast(float32), (scores,)) if wanted == 1 else scores


def _scores(node: OnnxNode, q: Expr, k: Expr, past: Dim) -> tuple[Expr, Expr]:
    """Return the masked scores, and those that the node's fourth output shows."""
    element = q.tensor_type.dtype
    size = int(str(q.tensor_type.shape[-1]))
    scale = constant(sqrt(node.attribute("scale", 1.0 / sqrt(size))), element)
    keys = Call(Transpose((0, 1, 3, 2)), (_repeated(k, q),))
    plain = multiplied(multiply(q, scale), multiply(keys, scale))
    mode = node.attribute("qk_matmul_output_mode", 0)
    cap = node.attribute("softcap", 0.0)
    limit = constant(cap, element)
    capped = multiply(limit, Call(Tanh(), (divide(plain, limit),))) if cap else plain
    masked = capped
    if node.has(3):
        masked = _masked(masked, node.expr(3))
    if node.attribute("is_causal", 0):
        masked = _masked(masked, _causal(node, q, k, past))
    return masked, {0: plain, 1: masked if node.opset >= 24 else capped}.get(mode, masked)


def _masked(scores: Expr, mask: Expr) -> Expr:
    """Add a mask, or take out what a mask of truth values denies."""
    element = scores.tensor_type.dtype
    if mask.tensor_type.dtype is not bool_:
        return add(scores, mask)
    return where(mask, scores, constant(-np.inf, element))


def _causal(node: OnnxNode, q: Expr, k: Expr, past: Dim) -> Expr:
    rows, columns = q.tensor_type.shape[2], k.tensor_type.shape[2]
    if not is_static((rows, columns, past)):
        raise node.error("F032", "a causal mask needs lengths that are known")
    ones = np.ones((int(str(rows)), int(str(columns))), bool)
    return Constant(np.tril(ones, int(str(past))))


def _repeated(x: Expr, q: Expr) -> Expr:
    """Repeat the heads of keys or values so that there is one for each head of the queries."""
    heads, wanted = x.tensor_type.shape[1], q.tensor_type.shape[1]
    times = int(str(wanted)) // int(str(heads))
    return x if times == 1 else Call(Repeat(times, 1), (x,))
