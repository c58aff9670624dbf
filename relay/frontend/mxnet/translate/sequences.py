"""Translate MXNet operators on sequences of different lengths in one tensor."""

from relay import numpy as rnp
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.frontend.mxnet.translate.indexing import whole
from relay.ir.expr import Call, Expr
from relay.ops.binary import subtract
from relay.ops.tensor.gather import GatherND
from relay.ops.tensor.transpose import Reverse, ReverseSequence
from relay.ops.tensor.triangles_masks_diagonals import SequenceMask


@mxnet_operator("SequenceMask")
def sequence_mask(node: MxNode) -> Expr:
    """Translate `SequenceMask`: a number replaces the elements after the end of each sequence."""
    axis, value = node.integer("axis", 0), node.number("value", 0.0)
    if not node.flag("use_sequence_length"):
        return node.tensor()
    op = SequenceMask(mask_value=value, axis=axis)
    return Call(op, (node.tensor(), whole(node.tensor(1))), span=node.span)


@mxnet_operator("SequenceLast")
def sequence_last(node: MxNode) -> Expr:
    """Translate `SequenceLast`: the last element of each sequence."""
    x, axis = node.tensor(), node.integer("axis", 0)
    if not node.flag("use_sequence_length"):
        return rnp.take(x, -1, axis=axis)
    lengths = whole(node.tensor(1))
    last = subtract(lengths, constant(1, lengths.tensor_type.dtype))
    rows = rnp.arange(last.tensor_type.shape[0], dtype=last.tensor_type.dtype.numpy)
    index = rnp.stack([last, rows] if axis == 0 else [rows, last], axis=0)
    return Call(GatherND(), (x, index), span=node.span)


@mxnet_operator("SequenceReverse")
def sequence_reverse(node: MxNode) -> Expr:
    """Translate `SequenceReverse`: reverse the elements of each sequence, along the first axis."""
    if node.integer("axis", 0):
        raise node.wrong("axis")
    if not node.flag("use_sequence_length"):
        return Call(Reverse(0), (node.tensor(),), span=node.span)
    op = ReverseSequence(seq_axis=0, batch_axis=1)
    return Call(op, (node.tensor(), reshape(whole(node.tensor(1)), (-1,))), span=node.span)
