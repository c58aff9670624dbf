"""Translate ONNX Runtime's attention operators (domain `com.microsoft`)."""

from collections.abc import Sequence
from functools import reduce
from math import sqrt

import numpy as np

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.matrix_products import multiplied
from relay.frontend.builders.tensor_helpers import constant, reshape, with_heads
from relay.frontend.node_errors import static_size
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import MICROSOFT, onnx_operator
from relay.frontend.onnx.translate.rotary_and_rms_norm import turned_head
from relay.ir.expr import Call, Expr, Tuple, TupleGetItem
from relay.ops.binary import Maximum, Minimum, add, divide, multiply, scaled, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import Less, LessEqual, equal
from relay.ops.logical import LogicalAnd
from relay.ops.nn.softmax import Softmax
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Concatenate, Split, Stack
from relay.ops.tensor.gather import Take
from relay.ops.tensor.position_tensors import numbered
from relay.ops.tensor.reshape import ExpandDims, Squeeze
from relay.ops.tensor.tile_and_repeat import Repeat
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Tanh
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode

_FILTER = -10000.0
"""The default value added to the scores of masked keys."""


@onnx_operator("MultiHeadAttention", domain=MICROSOFT)
def multi_head_attention(node: OnnxNode) -> Sequence[Expr]:
    """Translate `MultiHeadAttention`; inputs may be packed, and there may be a past (cache)."""
    heads = node.required("num_heads")
    q, k, v = _unpacked(node)
    if node.has(3):
        q, k, v = _biased(node.expr(3), q, k, v)
    q = with_heads(q, heads)
    k, v = (x if x.tensor_type.rank == 4 else with_heads(x, heads) for x in (k, v))
    if node.has(6):
        k, v = (_behind(node.expr(i), x) for i, x in ((6, k), (7, v)))
    masks = [] if not node.has(4) else [_padding_mask(node, node.expr(4), q, k)]
    if node.has(5):
        masks.append(node.expr(5))
    if node.attribute("unidirectional", 0):
        masks.append(_causal_mask(node, q, k))
    return [_merged_heads(_averaged(node, q, k, v, masks)), k, v]


@onnx_operator("DecoderMaskedMultiHeadAttention", domain=MICROSOFT)
def decoder_masked_multi_head_attention(node: OnnxNode) -> Sequence[Expr]:
    """Translate `DecoderMaskedMultiHeadAttention`: attention of one new token.

    In cross attention, the keys and values are those of the past. A past that shares its memory
    with the result has more rows than tokens. Raises `F030` for beams or a mask with such a past.
    """
    if not node.attribute("past_present_share_buffer", 0):
        return multi_head_attention(node.in_order(0, 1, 2, 10, 3, 4, 5, 6))
    if node.has(3) or node.has(9):
        raise node.error(
            ErrorCode.F030,
            (
                "the inputs mask_index and cache_indirection are not supported together with "
                "past_present_share_buffer=1, a preallocated key-value cache"
            ),
        )
    q, k, v = _unpacked(node.in_order(0, 1, 2))
    if node.has(10):
        q, k, v = _biased(node.expr(10), q, k, v)
    q, k, v = (with_heads(x, node.required("num_heads")) for x in (q, k, v))
    count = Call(Cast(int64), (reshape(node.expr(7), ()),))
    k, v = (_with_new_token(node.expr(i), x, count) for i, x in ((5, k), (6, v)))
    element = q.tensor_type.dtype
    there = Call(LessEqual(), (numbered(k, 2), count))
    masks: list[Expr] = [where(there, constant(0.0, element), constant(-np.inf, element))]
    if node.has(4):
        masks.append(node.expr(4))
    return [_merged_heads(_averaged(node, q, k, v, masks)), k, v]


def _with_new_token(past: Expr, x: Expr, place: Expr) -> Expr:
    """Return the past with the row of one new token written at `place`."""
    column = reshape(numbered(past, 2), (past.tensor_type.shape[2], 1))
    return where(equal(column, place), x, past)


def _unpacked(node: OnnxNode) -> tuple[Expr, Expr, Expr]:
    q = node.expr(0)
    if node.has(1) and node.has(2):
        return q, node.expr(1), node.expr(2)
    if node.has(1):  # (batch, keys, heads, 2, size)
        k, v = _split_packed(node.expr(1), 2)
        return q, k, v
    q, k, v = _split_packed(q, 3)
    return q, k, v


def _split_packed(packed: Expr, count: int) -> list[Expr]:
    """Return the `count` tensors that are packed along the fourth axis, with heads merged."""
    batch, length, heads, _, size = packed.tensor_type.shape
    pieces = Call(Split(count, 3), (packed,))
    return [reshape(TupleGetItem(pieces, i), (batch, length, heads * size)) for i in range(count)]


def _biased(bias: Expr, *parts: Expr) -> list[Expr]:
    sizes = [static_size(part.tensor_type.shape[-1]) for part in parts]
    ends = np.cumsum(sizes)[:-1].tolist()
    pieces = Call(Split(tuple(ends), 0), (bias,))
    return [add(part, TupleGetItem(pieces, i)) for i, part in enumerate(parts)]


def _behind(past: Expr, x: Expr) -> Expr:
    return Call(Concatenate(2), (Tuple((past, x)),))


def _padding_mask(node: OnnxNode, mask: Expr, q: Expr, k: Expr) -> Expr:
    """Return the additive mask for padding, from lengths `(batch,)` or from ones and zeros."""
    element, rank = q.tensor_type.dtype, mask.tensor_type.rank
    batch = mask.tensor_type.shape[0]
    whole = Call(Cast(int64), (mask,))
    if rank == 1:
        there = Call(Less(), (numbered(k, 2), reshape(whole, (batch, 1, 1, 1))))
    else:
        axes = {2: (1, 2), 3: (1, 1)}[rank]
        there = Call(ExpandDims(axes[0], axes[1]), (Call(Less(), (constant(0, int64), whole)),))
    low = constant(node.attribute("mask_filter_value", _FILTER), element)
    return where(there, constant(0.0, element), low)


def _causal_mask(node: OnnxNode, q: Expr, k: Expr) -> Expr:
    """Return the additive causal mask; the last query is aligned with the last key."""
    rows, columns = size_of(q, 2), size_of(k, 2)
    place = add(numbered(q, 2), subtract(columns, rows))
    there = Call(LessEqual(), (numbered(k, 2), Call(ExpandDims(1), (place,))))
    element = q.tensor_type.dtype
    low = constant(node.attribute("mask_filter_value", _FILTER), element)
    return where(there, constant(0.0, element), low)


def _averaged(node: OnnxNode, q: Expr, k: Expr, v: Expr, masks: Sequence[Expr]) -> Expr:
    scores = _scores(node, q, k)
    scores = reduce(add, masks, scores)
    return multiplied(Call(Softmax(-1), (scores,), span=node.span), v)


def _scores(node: OnnxNode, q: Expr, k: Expr) -> Expr:
    size = static_size(q.tensor_type.shape[-1])
    factor = node.attribute("scale", 0.0) or 1.0 / sqrt(size)
    scores = scaled(multiplied(q, Call(Transpose((0, 1, 3, 2)), (k,))), factor)
    cap = node.attribute("softcap", 0.0)
    if cap <= 0:  # as in ONNX Runtime
        return scores
    limit = constant(cap, scores.tensor_type.dtype)
    return multiply(limit, Call(Tanh(), (divide(scores, limit),)))


def _merged_heads(x: Expr) -> Expr:
    """Merge attention heads: `(batch, heads, length, size)` to `(batch, length, heads · size)`."""
    batch, heads, length, size = x.tensor_type.shape
    return reshape(Call(Transpose((0, 2, 1, 3)), (x,)), (batch, length, heads * size))


@onnx_operator("Attention", domain=MICROSOFT)
def attention(node: OnnxNode) -> Sequence[Expr]:
    """Translate `Attention`: project the input by one packed weight, then attend."""
    projected = multiplied(node.expr(0), node.expr(1))
    if node.has(2):
        projected = add(projected, node.expr(2))
    return attended(node, projected, mask=3, past=4, bias=5)


def attended(node: OnnxNode, projected: Expr, *, mask: int, past: int, bias: int) -> Sequence[Expr]:
    """Compute attention from packed projections; `mask`, `past` and `bias` are input indices."""
    heads, total = node.required("num_heads"), static_size(projected.tensor_type.shape[-1])
    sizes: list[int] = node.attribute("qkv_hidden_sizes") or [total // 3] * 3
    if node.attribute("do_rotary", 0):
        help_ = "export the model with GroupQueryAttention, or with RotaryEmbedding nodes"
        raise node.error(ErrorCode.F030, "do_rotary=1 is not supported", help=help_)
    pieces = Call(Split(tuple(np.cumsum(sizes)[:-1].tolist()), 2), (projected,))
    q, k, v = (with_heads(TupleGetItem(pieces, i), heads) for i in range(3))
    if node.has(past):
        both = Call(Split(2, 0), (node.expr(past),))
        k, v = (
            _behind(Call(Squeeze((0,)), (TupleGetItem(both, i),)), x) for i, x in enumerate((k, v))
        )
    masks = [_padding_mask(node, node.expr(mask), q, k)] if node.has(mask) else []
    if node.has(bias):
        masks.append(node.expr(bias))
    if node.attribute("unidirectional", 0):
        masks.append(_causal_mask(node, q, k))
    present = Call(Stack(0), (Tuple((k, v)),))
    return [_merged_heads(_averaged(node, q, k, v, masks)), present]


@onnx_operator("GroupQueryAttention", domain=MICROSOFT)
def group_query_attention(node: OnnxNode) -> Sequence[Expr]:
    """Translate `GroupQueryAttention`: groups of query heads share a key and value head.

    It has a cache of keys and values. Each sequence of a batch has `seqlens_k + 1` tokens.
    """
    heads, groups = node.required("num_heads"), node.required("kv_num_heads")
    q, k, v = _grouped(node, heads, groups)
    rows = size_of(q, 2)
    batch = q.tensor_type.shape[0]
    ends = Call(Cast(int64), (reshape(node.expr(5), (batch, 1)),))
    total = add(ends, constant(1, int64))
    past = Call(Maximum(), (subtract(total, rows), constant(0, int64)))
    places = add(numbered(q, 2), past)  # (batch, tokens)
    if node.attribute("do_rotary", 0):
        caches = node.expr(7), node.expr(8)
        interleaved = bool(node.attribute("rotary_interleaved", 0))
        q, k = (turned_head(x, caches, places, interleaved=interleaved) for x in (q, k))
    if node.has(3):
        k, v = (_with_new_tokens(node.expr(i), x, past) for i, x in ((3, k), (4, v)))
    scores = _scores(node, q, _shared(k, heads // groups))
    there = _attended_keys(node, places, k)
    low = constant(-np.inf, scores.tensor_type.dtype)
    weights = Call(Softmax(-1), (where(there, scores, low),), span=node.span)
    return [_merged_heads(multiplied(weights, _shared(v, heads // groups))), k, v]


def _grouped(node: OnnxNode, heads: int, groups: int) -> list[Expr]:
    """Return queries, keys and values split into heads."""
    q = node.expr(0)
    if node.has(1):
        return [with_heads(q, heads), *(with_heads(node.expr(i), groups) for i in (1, 2))]
    size = static_size(q.tensor_type.shape[-1]) // (heads + 2 * groups)
    pieces = Call(Split((heads * size, (heads + groups) * size), 2), (q,))
    counts = (heads, groups, groups)
    return [with_heads(TupleGetItem(pieces, i), count) for i, count in enumerate(counts)]


def _with_new_tokens(past: Expr, x: Expr, begin: Expr) -> Expr:
    """Return the cache with new tokens written from row `begin` of each sequence on."""
    if past.tensor_type.shape[2] == 0:
        return x
    room, new = size_of(past, 2), size_of(x, 2)
    place = numbered(Call(Concatenate(2), (Tuple((past, x)),)), 2)
    zero, one = (constant(each, int64) for each in (0, 1))
    own = Call(Minimum(), (place, subtract(room, one)))
    behind = Call(Maximum(), (subtract(place, begin), zero))
    inside = Call(Minimum(), (behind, subtract(new, one)))
    old = Call(Take(axis=2, mode="clip"), (past, own))
    tokens = Call(Transpose((0, 2, 1, 3)), (x,))
    added = Call(Take(axis=1, batch_dims=1, mode="clip"), (tokens, inside))
    is_old = Call(ExpandDims(2), (Call(ExpandDims(1), (Call(Less(), (place, begin)),)),))
    is_old = Call(Transpose((0, 1, 3, 2)), (is_old,))
    return where(is_old, old, Call(Transpose((0, 2, 1, 3)), (added,)))


def _shared(x: Expr, times: int) -> Expr:
    return x if times == 1 else Call(Repeat(times, 1), (x,))


def _attended_keys(node: OnnxNode, places: Expr, k: Expr) -> Expr:
    """Return which keys each query attends to: those up to its position, within the window."""
    column = numbered(k, 2)
    row = Call(ExpandDims(2), (places,))
    there = Call(LessEqual(), (column, row))
    window = node.attribute("local_window_size", -1)
    if window > 0:
        near = Call(Less(), (subtract(row, constant(window, int64)), column))
        there = Call(LogicalAnd(), (there, near))
    return Call(ExpandDims(1), (there,))
