"""Translate rotary position embeddings, and RMS normalisation."""

from collections.abc import Sequence

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.tensor_helpers import constant, reshape, with_heads
from relay.frontend.node_errors import static_size
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import MICROSOFT, onnx_operator
from relay.ir.dims import Dim
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.sum_and_mean_reductions import Mean
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Sqrt
from relay.support.dtype import float32, int64


@onnx_operator("RMSNormalization")
def rms_normalization(node: OnnxNode) -> Expr:
    """Translate `RMSNormalization` over the axes from `axis` on."""
    return root_mean_square(node, node.expr(0), node.expr(1))[0]


def root_mean_square(node: OnnxNode, x: Expr, scale: Expr) -> tuple[Expr, Expr]:
    """Return the RMS-normalised tensor, and 1 / (root mean square)."""
    element, rank = x.tensor_type.dtype, x.tensor_type.rank
    wide = Call(Cast(float32), (x,)) if element.bits < float32.bits else x
    axes = tuple(range(node.attribute("axis", -1) % rank, rank))
    squares = Call(Mean(axis=axes, keepdims=True), (multiply(wide, wide),))
    small = constant(node.attribute("epsilon", 1e-5), wide.tensor_type.dtype)
    root = Call(Sqrt(), (add(squares, small),), span=node.span)
    normal = divide(wide, root)
    narrow = normal if wide is x else Call(Cast(element), (normal,))
    return multiply(narrow, scale), divide(constant(1.0, wide.tensor_type.dtype), root)


@onnx_operator("RotaryEmbedding")
def rotary_embedding(node: OnnxNode) -> Expr:
    """Translate `RotaryEmbedding`: rotate pairs of features by position-dependent angles."""
    x = node.expr(0)
    shape, flat = x.tensor_type.shape, x.tensor_type.rank == 3
    if flat:
        x = with_heads(x, node.attribute("num_heads", 0))
    size = static_size(x.tensor_type.shape[-1])
    angles = [_angles(node, index) for index in (1, 2)]
    turned = node.attribute("rotary_embedding_dim", 0) or size
    result = _turned_part(x, angles, turned, interleaved=bool(node.attribute("interleaved", 0)))
    return reshape(Call(Transpose((0, 2, 1, 3)), (result,)), shape) if flat else result


@onnx_operator("RotaryEmbedding", domain=MICROSOFT)
def placed_rotary_embedding(node: OnnxNode) -> Expr:
    """Translate `RotaryEmbedding` of `com.microsoft`.

    Its second input contains the positions of all tokens, or the position of the first.
    """
    x, places = node.expr(0), Call(Cast(int64), (node.expr(1),))
    shape, flat = x.tensor_type.shape, x.tensor_type.rank == 3
    caches = node.expr(2), node.expr(3)
    if flat:
        half = static_size(caches[0].tensor_type.shape[1])
        heads = node.attribute("num_heads", 0) or shape[-1] // (2 * half)
        x = with_heads(x, static_size(heads))
    if places.tensor_type.rank == 1:
        bounds = (constant(0, int64), size_of(x, 2), constant(1, int64))
        places = Call(ExpandDims(0), (add(Call(Arange(), bounds), places),))
    result = turned_head(x, caches, places, interleaved=bool(node.attribute("interleaved", 0)))
    return reshape(Call(Transpose((0, 2, 1, 3)), (result,)), shape) if flat else result


def turned_head(x: Expr, caches: tuple[Expr, Expr], places: Expr, *, interleaved: bool) -> Expr:
    """Rotate `(batch, heads, tokens, size)` by the angles at positions `(batch, tokens)`.

    `caches` are the cosines and sines of all positions; features beyond their width are unchanged.
    """
    angles = [
        Call(ExpandDims(1), (Call(Take(axis=0, mode="clip"), (cache, places)),)) for cache in caches
    ]
    turned = 2 * static_size(caches[0].tensor_type.shape[1])
    return _turned_part(x, angles, turned, interleaved=interleaved)


def _turned_part(x: Expr, angles: Sequence[Expr], turned: int, *, interleaved: bool) -> Expr:
    """Rotate the first `turned` features; the others are unchanged."""
    size = static_size(x.tensor_type.shape[-1])
    cosine, sine = angles
    result = _turned(_cut(x, 0, turned), cosine, sine, interleaved=interleaved)
    if turned == size:
        return result
    return Call(Concatenate(-1), (Tuple((result, _cut(x, turned, size))),))


def _angles(node: OnnxNode, index: int) -> Expr:
    """Return a table of cosines or sines as `(batch, 1, sequence, half)`."""
    table = node.expr(index)
    if node.has(3):
        table = Call(Take(axis=0, mode="raise"), (table, node.expr(3)))
    batch, sequence, half = table.tensor_type.shape
    return reshape(table, (batch, 1, sequence, half))


def _turned(x: Expr, cosine: Expr, sine: Expr, *, interleaved: bool) -> Expr:
    size = static_size(x.tensor_type.shape[-1])
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
