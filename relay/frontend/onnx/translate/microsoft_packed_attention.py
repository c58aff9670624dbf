"""Translate ONNX Runtime's attention over batches without padding (`com.microsoft`).

The tokens of all sequences of a batch are the rows of one matrix. A permutation of the positions in
the padded batch, in which positions of tokens come first, maps each row to its position.
"""

from collections.abc import Sequence

from relay.frontend.builders.matrix_products import multiplied
from relay.frontend.builders.run_time_slices import first_of
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import MICROSOFT, onnx_operator
from relay.frontend.onnx.translate.microsoft_attention import attended, multi_head_attention
from relay.ir.dims import Dim
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import add, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import LessEqual
from relay.ops.creation import Zeros
from relay.ops.max_min_reductions import Max
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.gather import Take
from relay.ops.tensor.position_tensors import length, numbered
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.scan import Cumsum
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.sort import Argsort
from relay.support.dtype import int32, int64


@onnx_operator("PackedMultiHeadAttention", domain=MICROSOFT)
def packed_multi_head_attention(node: OnnxNode) -> Expr:
    """Translate `PackedMultiHeadAttention`: self-attention from projected rows."""
    given = {place: _padded(node, node.expr(place), 4) for place in range(3) if node.has(place)}
    whole = node.with_inputs({**given, 4: _sequence_lengths(node, 5)}).in_order(0, 1, 2, 3, 4, 6)
    return _without_padding(multi_head_attention(whole)[0], node, 4)


@onnx_operator("PackedAttention", domain=MICROSOFT)
def packed_attention(node: OnnxNode) -> Expr:
    """Translate `PackedAttention`: project rows, then self-attention."""
    projected = add(multiplied(node.expr(0), node.expr(1)), node.expr(2))
    whole = node.with_inputs({4: _sequence_lengths(node, 4)})
    padded = _padded(node, projected, 3)
    return _without_padding(attended(whole, padded, mask=4, past=6, bias=5)[0], node, 3)


@onnx_operator("RestorePadding", domain=MICROSOFT)
def restore_padding(node: OnnxNode) -> Expr:
    """Translate `RestorePadding`: move rows to their positions in the padded batch of zeros."""
    x = node.expr(0)
    zeros = Call(Zeros((1, x.tensor_type.shape[1]), x.tensor_type.dtype), ())
    return _padded(node, Call(Concatenate(0), (Tuple((x, zeros)),)), 1)


@onnx_operator("RemovePadding", domain=MICROSOFT)
def remove_padding(node: OnnxNode) -> Sequence[Expr]:
    """Translate `RemovePadding`; return token rows, positions, sequence ends, maximal length."""
    x, lengths = node.expr(0), Call(Cast(int64), (node.expr(1),))
    batch, longest, width = x.tensor_type.shape
    column, counts = numbered(x, 1), Call(ExpandDims(1), (lengths,))
    is_padding = Call(Cast(int32), (Call(LessEqual(), (counts, column)),))
    places = Call(Argsort(dtype=int64), (reshape(is_padding, (batch * longest,)),))
    ends = Call(Cumsum(axis=0), (lengths,))
    total = Call(Take(axis=0), (ends, subtract(length(ends, 0), constant(1, int64))))
    rows = Call(Take(axis=0), (reshape(x, (batch * longest, width)), places))
    begun = Call(Concatenate(0), (Tuple((Call(Zeros((1,), int64), ()), ends)),))
    most = reshape(Call(Max(), (lengths,)), (1,))
    narrow = [Call(Cast(int32), (each,)) for each in (places, begun, most)]
    return [first_of(rows, reshape(total, (1,))), reshape(narrow[0], (batch, longest)), *narrow[1:]]


def _shape(node: OnnxNode, index: int) -> tuple[Dim, Dim]:
    batch, longest = node.type(index).shape
    return batch, longest


def _padded_positions(node: OnnxNode, index: int) -> Expr:
    """Return the position of each row in the padded batch, then the positions of padding."""
    batch, longest = _shape(node, index)
    return Call(Cast(int64), (reshape(node.expr(index), (batch * longest,)),))


def _padded(node: OnnxNode, x: Expr, index: int) -> Expr:
    """Return rows moved to their positions in the padded batch.

    Positions of padding repeat the last row.
    """
    row = Call(Argsort(dtype=int64), (_padded_positions(node, index),))
    found = Call(Take(axis=0, mode="clip"), (x, row))
    return reshape(found, (*_shape(node, index), *x.tensor_type.shape[1:]))


def _without_padding(x: Expr, node: OnnxNode, index: int) -> Expr:
    """Return the rows of a padded batch that are tokens; their number is that of input 0."""
    batch, longest, width = x.tensor_type.shape
    count = node.type(0).shape[0]
    places = Call(StridedSlice((0,), (count,), axes=(0,)), (_padded_positions(node, index),))
    return Call(Take(axis=0), (reshape(x, (batch * longest, width)), places))


def _sequence_lengths(node: OnnxNode, index: int) -> Expr:
    """Return the length of each sequence: the difference of consecutive sequence ends."""
    ends = node.expr(index)
    count = ends.tensor_type.shape[0]
    later = Call(StridedSlice((1,), (count,), axes=(0,)), (ends,))
    return subtract(later, Call(StridedSlice((0,), (count - 1,), axes=(0,)), (ends,)))
