"""Translate MXNet operators on sequences of different lengths in one tensor, and their loss."""

from relay import numpy as rnp
from relay.frontend.builders.ctc import Alignments
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.frontend.mxnet.translate.indexing import whole
from relay.frontend.node_errors import static_size
from relay.ir.expr import Call, Expr
from relay.ops.binary import subtract
from relay.ops.nn.softmax import LogSoftmax
from relay.ops.tensor.gather import GatherND
from relay.ops.tensor.transpose import Reverse, ReverseSequence
from relay.ops.tensor.triangles_masks_diagonals import SequenceMask
from relay.support.dtype import int64


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


@mxnet_operator("CTCLoss")
def ctc_loss(node: MxNode) -> Expr:
    """Translate `CTCLoss` of unscaled logarithms; it is 0 for sequences shorter than their labels.

    Without lengths, the labels end before the first blank or, if the blank is last, before -1.
    """
    x, labels, *lengths = node.inputs
    classes = static_size(x.tensor_type.shape[2])
    blank, end = (0, 0) if node.text("blank_label", "first") == "first" else (classes - 1, -1)
    labels = converted(labels, int64)
    full = rnp.full_like(rnp.take(labels, 0, axis=1), x.tensor_type.shape[0])
    steps = converted(lengths.pop(0), int64) if node.flag("use_data_lengths") else full
    inside = rnp.cumprod(rnp.not_equal(labels, end), axis=1, dtype="int64")
    counts = lengths.pop(0) if node.flag("use_label_lengths") else rnp.sum(inside, axis=1)
    logs = Call(LogSoftmax(-1), (x,), span=node.span)
    losses = Alignments(logs, labels, steps, converted(counts, int64), blank).losses
    return rnp.where(rnp.isfinite(losses), losses, rnp.zeros_like(losses))
