"""Translate Keras attention layers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from relay.frontend.builders.matrix_products import dense
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.json_values import is_list
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_layer
from relay.frontend.keras.translate.masks import as_booleans, masked
from relay.frontend.node_errors import static_size
from relay.ir.dims import Dim, product
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import add, multiply
from relay.ops.cast import Cast
from relay.ops.creation import Full
from relay.ops.logical import LogicalAnd
from relay.ops.nn.matmul import BatchMatmul
from relay.ops.nn.softmax import Softmax
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.tile_and_repeat import Repeat
from relay.ops.tensor.transpose import Transpose
from relay.ops.tensor.triangles_masks_diagonals import Trilu
from relay.ops.transcendental import Sigmoid, Tanh
from relay.support.dtype import bool_, int32, int64
from relay.support.error_codes import ErrorCode

_PARTS = ("query_dense", "key_dense", "value_dense", "output_dense")
_GATED = ("query_dense", "key_dense", "gate_dense", "value_dense", "output_dense")


@dataclass(frozen=True)
class _Arguments:
    """The tensors of a call: query, value and key, and the mask of their pairs or None."""

    query: Expr
    value: Expr
    key: Expr
    mask: Expr | None


@keras_layer("MultiHeadAttention")
def multi_head(layer: LayerReader) -> Sequence[Expr]:
    """Translate `MultiHeadAttention`, over one or several axes."""
    layer.ignore("key_dim", "value_dim", "output_shape", "num_heads", "query_shape", "key_shape",
                 "value_shape")  # fmt: skip
    given = _arguments(layer)
    q, k, v = _projected(layer, given)
    rank = q.tensor_type.rank
    found = layer.option("attention_axes")
    axes = (
        tuple(range(1, rank - 2)) if found is None else tuple(each % (rank - 1) for each in found)
    )
    return _result(layer, given, (q, k, v), axes)


@keras_layer("GroupQueryAttention", "GroupedQueryAttention")
def group_query(layer: LayerReader) -> Sequence[Expr]:
    """Translate `GroupQueryAttention`: several query heads share a key and a value head."""
    layer.ignore("head_dim")
    given = _arguments(layer)
    q, k, v = _projected(layer, given)
    times = layer.integer("num_query_heads") // layer.integer("num_key_value_heads")
    if times > 1:
        k, v = (Call(Repeat(times, 2), (each,)) for each in (k, v))
    return _result(layer, given, (q, k, v), (1,))


def _arguments(layer: LayerReader) -> _Arguments:
    query = layer.as_tensor(layer.argument("query", 0))
    value = layer.as_tensor(layer.argument("value", 1))
    found = layer.argument("key", 2)
    key = value if found is None else layer.as_tensor(found)
    masks = [
        _along(_step_mask(layer, "query_mask", 3, layer.argument("query", 0)), -1),
        _along(_step_mask(layer, "value_mask", 4, layer.argument("value", 1)), -2),
        _along(_step_mask(layer, "key_mask", 5, found), -2),
        _square_mask(layer, query, value),
    ]
    given = layer.argument("attention_mask", 6)
    if given is not None:
        masks.append(as_booleans(layer.as_tensor(given)))
    known = [each for each in masks if each is not None]
    mask = reduce(lambda a, b: Call(LogicalAnd(), (a, b)), known) if known else None
    return _Arguments(query, value, key, mask)


def _step_mask(layer: LayerReader, name: str, index: int, tensor: object) -> Expr | None:
    """Return the mask of the steps of a tensor: an argument, or one that a layer computed."""
    given = layer.argument(name, index)
    if given is not None:
        return as_booleans(layer.as_tensor(given))
    return layer.masks.get(tensor) if isinstance(tensor, Expr) else None


def _along(mask: Expr | None, axis: int) -> Expr | None:
    return None if mask is None else Call(ExpandDims(axis), (mask,))


def _square_mask(layer: LayerReader, query: Expr, value: Expr) -> Expr | None:
    """Return the mask of the pairs of steps that may attend to each other by their distance."""
    window = layer.integer("sliding_window") if layer.option("sliding_window") else None
    is_causal = bool(layer.argument("use_causal_mask", 9))
    if window is None and not is_causal:
        return None
    sizes = query.tensor_type.shape[1], value.tensor_type.shape[1]
    pairs: Expr = Call(Full((1, *sizes)), (constant(1, int32),))
    if window is not None:
        pairs = Call(Trilu(upper=True), (pairs, constant(1 - window, int64)))
    above = 0 if is_causal or window is None else window - 1
    return Call(Cast(bool_), (Call(Trilu(upper=False), (pairs, constant(above, int64))),))


def _projected(layer: LayerReader, given: _Arguments) -> tuple[Expr, Expr, Expr]:
    """Return query, key and value, projected into attention heads, `(…, heads, size)`."""
    pairs = (given.query, "query_dense"), (given.key, "key_dense"), (given.value, "value_dense")
    q, k, v = (_heads(layer, x, name) for x, name in pairs)
    return q, k, v


def _heads(layer: LayerReader, x: Expr, name: str) -> Expr:
    kernel, *bias = _part(layer, name)
    inputs, heads, size = kernel.array.shape
    flat = dense(x, Constant(kernel.array.reshape(inputs, heads * size), span=layer.span))
    if bias:
        flat = add(flat, reshape(bias[0], (heads * size,)))
    return reshape(flat, (*flat.tensor_type.shape[:-1], heads, size))


def _part(layer: LayerReader, name: str) -> list[Constant]:
    has_bias = layer.flag("use_bias", default=True)
    names = _GATED if layer.flag("use_gate") else _PARTS
    found = layer.weights.part(name, names.index(name), len(names)).arrays()
    return layer.constants(layer.as_weights(found, 1 + has_bias))


def _result(
    layer: LayerReader, given: _Arguments, heads: Sequence[Expr], axes: tuple[int, ...]
) -> Sequence[Expr]:
    """Return the projected attention, and the scores if they are requested."""
    layer.argument("training", 8)
    wants_scores = bool(layer.argument("return_attention_scores", 7))
    plain = heads[0].tensor_type.rank == 4 and not wants_scores
    clears = not plain or float(layer.option("dropout", 0.0)) > 0
    mixed, scores = _attended(layer, heads, axes, given.mask, clears=clears)
    if layer.flag("use_gate"):
        mixed = multiply(mixed, Call(Sigmoid(), (_heads(layer, given.query, "gate_dense"),)))
    result = _output_projection(layer, mixed)
    return [result, scores] if wants_scores else [result]


def _attended(
    layer: LayerReader, heads: Sequence[Expr], axes: tuple[int, ...], mask: Expr | None, *,
    clears: bool,
) -> tuple[Expr, Expr]:  # fmt: skip
    """Return the values mixed by the attention over `axes`, and the scores.

    Other axes of the query, key and value `(…, heads, size)` belong to the batch. With `clears`,
    queries that may attend to nothing have scores of 0, else equal ones.
    """
    rank = heads[0].tensor_type.rank
    batch = [axis for axis in range(rank - 1) if axis not in axes]
    order = (*batch, *axes, rank - 1)
    q, k, v = (Call(Transpose(order), (x,)) for x in heads)
    lead, steps, sources = (
        q.tensor_type.shape[: len(batch)], q.tensor_type.shape[len(batch) : -1],
        k.tensor_type.shape[len(batch) : -1],
    )  # fmt: skip
    size = static_size(q.tensor_type.shape[-1])
    scaled = multiply(q, constant(size**-0.5, q.tensor_type.dtype))
    left, right, values = (_flat_steps(x, len(batch)) for x in (scaled, k, v))
    scores: Expr = Call(BatchMatmul(transpose_b=True), (left, right), span=layer.span)
    flat = scores.tensor_type.shape
    whole = (*lead, *steps, *sources)
    if mask is not None:
        mask = _expanded(mask, len(whole), 2 * len(axes))
        scores = _reshaped(masked(_reshaped(scores, whole), mask), flat)
    weights: Expr = Call(Softmax(-1), (scores,))
    shown = _reshaped(weights, whole)
    if mask is not None and clears:
        shown = where(mask, shown, constant(0, shown.tensor_type.dtype))
        weights = _reshaped(shown, flat)
    mixed = Call(BatchMatmul(), (weights, values))
    back = tuple(order.index(axis) for axis in range(rank))
    apart = _reshaped(mixed, (*lead, *steps, v.tensor_type.shape[-1]))
    return Call(Transpose(back), (apart,)), shown


def _reshaped(x: Expr, shape: Sequence[Dim]) -> Expr:
    return x if x.tensor_type.shape == tuple(shape) else reshape(x, shape)


def _flat_steps(x: Expr, lead: int) -> Expr:
    """Return a tensor with the axes between the first `lead` and the last one merged."""
    shape = x.tensor_type.shape
    return _reshaped(x, (*shape[:lead], product(shape[lead:-1]), shape[-1]))


def _expanded(mask: Expr, rank: int, last: int) -> Expr:
    """Return a mask with axes of size 1 before its `last` axes, so that it has a rank."""
    shape = mask.tensor_type.shape
    split = len(shape) - last
    return reshape(mask, (*shape[:split], *(1,) * (rank - len(shape)), *shape[split:]))


def _output_projection(layer: LayerReader, mixed: Expr) -> Expr:
    """Return the output projection, which combines the results of all heads."""
    kernel, *bias = _part(layer, "output_dense")
    heads, size, *outputs = kernel.array.shape
    lead = mixed.tensor_type.shape[:-2]
    rows = reshape(mixed, (*lead, heads * size))
    matrix = Constant(kernel.array.reshape(heads * size, -1), span=layer.span)
    result = reshape(dense(rows, matrix), (*lead, *outputs))
    return add(result, bias[0]) if bias else result


# Attention without projections


@keras_layer("Attention", "AdditiveAttention")
def attention(layer: LayerReader) -> Sequence[Expr]:
    """Translate `Attention` and `AdditiveAttention`, which have no projections."""
    query, value, *rest = (layer.as_tensor(each) for each in layer.items())
    key = rest[0] if rest else value
    mask_of_query, mask_of_value = _pair_of_masks(layer)
    scores = _scores(layer, query, key)
    pairs = [_along(mask_of_value, -2), _causal(layer, query, key)]
    known = [each for each in pairs if each is not None]
    if known:
        mask = reduce(lambda a, b: Call(LogicalAnd(), (a, b)), known)
        scores = masked(scores, mask, adds=True)
    weights = Call(Softmax(-1), (scores,))
    result: Expr = Call(BatchMatmul(), (weights, value))
    if mask_of_query is not None:
        column = Call(ExpandDims(-1), (mask_of_query,))
        result = where(column, result, constant(0, result.tensor_type.dtype))
        layer.masks[result] = mask_of_query
    return [result, weights] if layer.argument("return_attention_scores", 3) else [result]


def _scores(layer: LayerReader, query: Expr, key: Expr) -> Expr:
    is_additive = layer.kind == "AdditiveAttention"
    mode = "additive" if is_additive else layer.text("score_mode", "dot")
    has_scale = layer.flag("use_scale", default=is_additive)
    if mode not in ("additive", "concat", "dot"):
        raise layer.wrong("score_mode", mode)
    factors = layer.constants(layer.arrays(has_scale + (mode == "concat")))
    if mode == "dot":
        scores: Expr = Call(BatchMatmul(transpose_b=True), (query, key), span=layer.span)
        return multiply(scores, factors[0]) if has_scale else scores
    sums = add(Call(ExpandDims(2), (query,)), Call(ExpandDims(1), (key,)))
    if mode == "additive":
        terms: Expr = Call(Tanh(), (sums,))
        terms = multiply(terms, factors[0]) if has_scale else terms
        return Call(Sum(axis=(-1,)), (terms,))
    terms = Call(Tanh(), (multiply(sums, factors[0]) if has_scale else sums,))
    return multiply(Call(Sum(axis=(-1,)), (terms,)), factors[-1])


def _causal(layer: LayerReader, query: Expr, key: Expr) -> Expr | None:
    if not layer.argument("use_causal_mask", 4):
        return None
    sizes = query.tensor_type.shape[1], key.tensor_type.shape[1]
    ones = Call(Full((1, *sizes)), (constant(1, int32),))
    return Call(Cast(bool_), (Call(Trilu(upper=False), (ones, constant(0, int64))),))


def _pair_of_masks(layer: LayerReader) -> tuple[Expr | None, Expr | None]:
    """Return the masks of the steps of the query and of the value."""
    layer.argument("training", 2)
    given = layer.argument("mask", 1)
    if is_list(given):
        found = [None if each is None else as_booleans(layer.as_tensor(each)) for each in given]
        return found[0], found[1]
    if given is not None:
        problem = f"the mask must be a list [query mask, value mask], not {given!r}"
        raise layer.error(ErrorCode.F021, problem)
    query, value, *_ = layer.items()
    known = [layer.masks.get(each) if isinstance(each, Expr) else None for each in (query, value)]
    return known[0], known[1]
