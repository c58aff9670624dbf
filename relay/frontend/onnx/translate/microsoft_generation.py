"""Translate ONNX Runtime's greedy text generation, a loop around a decoder subgraph."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx

from relay.frontend.builders.counted_loops import at, size_of
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.builders.while_loops import repeated
from relay.frontend.onnx.declared_types import declared_type
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import MICROSOFT, onnx_operator
from relay.frontend.onnx.value import OnnxValue
from relay.ir.expr import Call, Constant, Expr, If, Tuple
from relay.ir.types import TensorType
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import Less, NotEqual, equal, less
from relay.ops.creation import Full, OnesLike, Zeros, ZerosLike
from relay.ops.logical import LogicalAnd, LogicalOr
from relay.ops.max_min_reductions import All, ArgMax
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.gather import Gather
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.scan import Cumsum
from relay.ops.tensor.scatter import ScatterElements
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import bool_, int32, int64
from relay.support.error_codes import ErrorCode

_IDS = 3
"""How many inputs of a decoder come before the past: tokens, positions, and the mask."""


@onnx_operator("GreedySearch", domain=MICROSOFT)
def greedy_search(node: OnnxNode) -> Expr:
    """Translate `GreedySearch`: extend texts by their most probable tokens to `max_length`.

    The decoder subgraph is like GPT-2: it maps tokens, positions, a mask, and the cache of each
    layer to scores and the new cache. Raises `F030` for decoders with an encoder and for
    `no_repeat_ngram_size`, `F022` for a length that is not constant.
    """
    if node.attribute("model_type", 0) or "encoder" in node:
        raise node.error(
            ErrorCode.F030,
            "the attribute model_type=1, a decoder with an encoder, is not supported",
        )
    if node.attribute("no_repeat_ngram_size", 0):
        raise node.error(ErrorCode.F030, "the attribute no_repeat_ngram_size is not supported")
    node.attribute("decoder_start_token_id")  # only for encoder-decoder models
    (longest,) = node.ints(1, "the length")
    tokens = node.expr(0)
    mask = node.expr(6) if node.has(6) else _cast_mask(node, tokens)
    places = multiply(Call(Cumsum(axis=1, exclusive=True), (mask,)), mask)
    following = _last(Call(Cumsum(axis=1), (mask,)))
    past = _empty_past(node, tokens)
    scores, past = _decoded(node, "init_decoder", [tokens, places, mask, *past])
    no = Call(ZerosLike(), (equal(_last(tokens), constant(0, int32)),))
    chosen, finished = _chosen(node, scores, tokens, no, is_first=True)

    def step(state: Sequence[Expr]) -> tuple[Expr, Sequence[Expr]]:
        tokens, new, places, mask, finished, *past = state
        shorter = Call(Less(), (size_of(tokens, 1), constant(longest, int64)))
        goes_on = If(Call(All(), (finished,)), constant(0, bool_), shorter)
        scores, past = _decoded(node, "decoder", [new, places, mask, *past])
        chosen, finished = _chosen(node, scores, tokens, finished)
        grown = [_behind(tokens, chosen), _behind(mask, Call(OnesLike(), (chosen,)))]
        later = add(places, constant(1, int32))
        return goes_on, [grown[0], chosen, later, grown[1], finished, *past]

    mask = _behind(mask, Call(OnesLike(), (chosen,)))
    first = [_behind(tokens, chosen), chosen, following, mask, finished, *past]
    found = repeated(first, step)[0]
    batch = tokens.tensor_type.shape[0]
    pads = Call(Full((batch, longest), int32), (constant(node.required("pad_token_id"), int32),))
    return Call(StridedSlice((0,), (longest,), axes=(1,)), (_behind(found, pads),))


def _cast_mask(node: OnnxNode, tokens: Expr) -> Expr:
    """Return the attention mask: 1 for tokens, 0 for padding."""
    pad = constant(node.required("pad_token_id"), int32)
    return Call(Cast(int32), (Call(NotEqual(), (tokens, pad)),))


def _empty_past(node: OnnxNode, tokens: Expr) -> list[Expr]:
    """Return the empty cache of each layer, with the shapes that the decoder declares."""
    decoder: onnx.GraphProto = node.required("decoder")
    batch = tokens.tensor_type.shape[0]
    found: list[Expr] = []
    for info in decoder.input[_IDS:]:
        ty = declared_type(info.type, node.span)
        if not (isinstance(ty, TensorType) and ty.rank == 5):
            raise node.error(
                ErrorCode.F030,
                f"the decoder's input '{info.name}' must be a key-value cache of rank 5, (2, batch,"
                f" heads, length, head size), but is {ty!r}",
                help="export the decoder with one combined cache of keys and values per layer",
            )
        _, _, heads, _, size = ty.shape
        found.append(Call(Zeros((2, batch, heads, 0, size), ty.dtype), ()))
    return found


def _decoded(node: OnnxNode, name: str, given: Sequence[Expr]) -> tuple[Expr, Sequence[Expr]]:
    """Run a decoder subgraph; return the scores of the next token and the new cache."""
    graph: onnx.GraphProto = node.attribute(name) or node.required("decoder")
    names = [info.name for info in graph.input]
    values: Mapping[str, OnnxValue] = dict(zip(names, map(OnnxValue, given), strict=True))
    scores, *past = (value.expr for value in node.subgraph(graph, values))
    return reshape(_last(scores), _row_shape(scores)), past


def _row_shape(scores: Expr) -> tuple[Any, Any]:
    batch, _, words = scores.tensor_type.shape
    return batch, words


def _last(x: Expr) -> Expr:
    """Return the last element along the second axis, which is kept with size 1."""
    last = at(x, subtract(size_of(x, 1), constant(1, int64)), 1)
    return Call(ExpandDims(1), (last,))


def _behind(x: Expr, new: Expr) -> Expr:
    return Call(Concatenate(1), (Tuple((x, new)),))


def _chosen(
    node: OnnxNode, scores: Expr, tokens: Expr, finished: Expr, *, is_first: bool = False
) -> tuple[Expr, Expr]:
    """Return the next token of each text, and which texts are finished; these get padding."""
    scores = _processed(node, scores, tokens, is_first=is_first)
    best = Call(ExpandDims(1), (Call(Cast(int32), (Call(ArgMax(axis=1), (scores,)),)),))
    end, pad = (constant(node.required(f"{each}_token_id"), int32) for each in ("eos", "pad"))
    finished = Call(LogicalOr(), (finished, equal(best, end)))
    return where(finished, pad, best), finished


def _processed(node: OnnxNode, scores: Expr, tokens: Expr, *, is_first: bool) -> Expr:
    """Return scores with penalties; forbidden tokens get the lowest finite number."""
    kind = scores.tensor_type.dtype
    least = constant(float(np.finfo(str(kind)).min), kind)
    wide = Call(Cast(int64), (tokens,))
    if node.has(3):
        penalty = reshape(node.expr(3), ())
        old = Call(Gather(1), (scores, wide))
        is_negative = less(old, constant(0.0, kind))
        new = where(is_negative, multiply(old, penalty), divide(old, penalty))
        scores = Call(ScatterElements(1), (scores, wide, new))
    for place in (4, 5) if is_first else (4,):
        if node.has(place):
            scores = where(equal(node.expr(place), constant(0, int32)), least, scores)
    if node.has(2):
        is_short = less(size_of(tokens, 1), Call(Cast(int64), (reshape(node.expr(2), ()),)))
        words = np.arange(scores.tensor_type.static_shape[1]) == node.required("eos_token_id")
        ends = Call(LogicalAnd(), (is_short, Constant(words)))
        scores = where(ends, least, scores)
    return scores
