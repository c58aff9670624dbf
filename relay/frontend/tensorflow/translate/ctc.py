"""Translate losses and decoders of connectionist temporal classification (CTC)."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.ctc import Alignments
from relay.frontend.builders.ctc_beam_search import Search
from relay.frontend.builders.tensor_helpers import constant, converted
from relay.frontend.node_errors import static_sizes
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.dims import Dim, is_static
from relay.ir.expr import Call, Constant, Expr, If
from relay.ir.trap import failure
from relay.ops.binary import opposite, subtract
from relay.ops.comparison import less
from relay.ops.creation import Full
from relay.ops.functions import core
from relay.ops.nn.softmax import LogSoftmax, Softmax
from relay.ops.selection import where
from relay.ops.tensor.dynamic_shapes import DynamicFull
from relay.ops.tensor.scatter import ScatterND
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode


@tf_operator("CTCLoss", "CTCLossV2")
def ctc_loss(node: TfNode) -> Sequence[Expr]:
    """Translate `CTCLoss`: the loss of each sequence, and the gradient of its unscaled logarithms.

    The blank is the last class, in `CTCLossV2` the first. A sequence that is too short for its
    labels traps, or has the loss 0.
    """
    if node.flag("preprocess_collapse_repeated"):
        raise node.wrong("preprocess_collapse_repeated")
    x, indices, values, lengths = node.exprs()
    batch, classes = x.tensor_type.shape[1:]
    labels, counts = _dense_labels(indices, values, core.shape_of(lengths, "int64"), batch)
    found = Alignments(
        logs=Call(LogSoftmax(-1), (x,)),
        labels=labels,
        steps=converted(lengths, int64),
        counts=counts,
        blank=0 if node.op == "CTCLossV2" else static_sizes((classes,))[0] - 1,
        merges="ctc_merge_repeated" not in node or node.flag("ctc_merge_repeated"),
    )
    slopes = subtract(Call(Softmax(-1), (x,)), found.posteriors())
    zero = constant(0, x.tensor_type.dtype)
    slopes = where(found.inside(), slopes, zero)
    if node.flag("ignore_longer_outputs_than_inputs"):
        fits = core.isfinite(found.losses)
        rows = core.expand_dims(core.expand_dims(fits, 1), 0)
        return [where(fits, found.losses, zero), where(rows, slopes, zero)]
    return [_checked(node, found.losses), slopes]


def _checked(node: TfNode, losses: Expr) -> Expr:
    """Return losses; their computation traps if one of them is infinite."""
    reason = f"{node.span.source.name}: a sequence is too short for its labels"
    return If(core.all(core.isfinite(losses)), losses, failure(losses.type, reason), span=node.span)


def _dense_labels(indices: Expr, values: Expr, batch: Expr, rows: Dim) -> tuple[Expr, Expr]:
    """Return sparse labels as a matrix with a row for each sequence, and the number in each row.

    `batch` is the number of sequences at run time, as a vector, and `rows` the same as a dimension.
    """
    columns = core.take(indices, constant(1, int64), axis=1)
    zero = constant(0, int64)
    if isinstance(indices, Constant):
        longest = int(indices.array[:, 1].max(initial=-1)) + 1
        whole: Expr = Call(Full((rows, longest)), (zero,))
    else:
        ends = core.concatenate([Constant(np.array([-1])), columns], 0)
        longest = core.add(core.max(ends, 0, keepdims=True), constant(1, int64))
        whole = Call(DynamicFull(), (zero, core.concatenate([batch, longest], 0)))
    places = core.transpose(indices, (1, 0))
    labels = Call(ScatterND(), (whole, places, converted(values, int64)))
    filled = Call(ScatterND(), (whole, places, core.full_like(columns, constant(1, int64))))
    return labels, core.sum(filled, 1)


@tf_operator("CTCGreedyDecoder")
def greedy_decoder(node: TfNode) -> Sequence[Expr]:
    """Translate `CTCGreedyDecoder`: the best class of each step, without blanks and repetitions.

    The results are a sparse matrix (indices, values and shape), and the negative sums of the
    largest inputs.
    """
    x, lengths = node.exprs()
    _, batch, classes = x.tensor_type.shape
    blank = node.integer_of("blank_index", -1) % static_sizes((classes,))[0]
    best = core.transpose(core.cast(core.argmax(x, axis=2), "int64"), (1, 0))
    ones = core.full_like(best, constant(1, int64))
    places = core.subtract(core.cumsum(ones, axis=1), constant(1, int64))
    inside = less(places, core.expand_dims(core.cast(lengths, "int64"), 1))
    kept: Expr = core.logical_and(inside, core.not_equal(best, constant(blank, int64)))
    if node.flag("merge_repeated"):
        none = Call(Full((batch, 1)), (constant(-1, int64),))
        before = core.concatenate([none, core.strided_slice(best, (0,), (-1,), axes=(1,))], 1)
        kept = core.logical_and(kept, core.not_equal(best, before))
    return [*_sparse(best, kept), _negative_sum(x, inside)]


def _sparse(values: Expr, kept: Expr) -> list[Expr]:
    """Return the kept elements of each row as a sparse matrix, moved to the left."""
    numbers = core.cast(kept, "int64")
    left = core.subtract(core.cumsum(numbers, axis=1), constant(1, int64))
    places = core.cast(core.transpose(core.argwhere(kept)), "int64")
    rows = core.take(places, constant(0, int64), axis=0)
    indices = core.stack([rows, core.gather_nd(left, places)], 1)
    longest = core.max(core.sum(numbers, axis=1))
    count = core.take(core.shape_of(values, "int64"), constant(0, int64), axis=0)
    shape = core.stack([count, longest], 0)
    return [indices, core.gather_nd(values, places), shape]


def _negative_sum(x: Expr, inside: Expr) -> Expr:
    """Return the negative sums of the largest inputs of all steps, as a column."""
    largest = core.transpose(core.max(x, axis=2), (1, 0))
    total = core.sum(where(inside, largest, constant(0, x.tensor_type.dtype)), axis=1)
    return opposite(core.expand_dims(total, 1))


@tf_operator("CTCBeamSearchDecoder")
def beam_search_decoder(node: TfNode) -> Sequence[Expr]:
    """Translate `CTCBeamSearchDecoder`: the most probable labels, without blanks.

    The results are sparse matrices (all indices, then all values, then all shapes), and the
    logarithms of the probabilities.
    """
    x, lengths = node.exprs()
    time, _, classes = x.tensor_type.shape
    if not is_static((time, classes)):
        raise node.error(
            ErrorCode.F032,
            f"the numbers of steps and of classes must be known at compile time, but are {time} "
            f"and {classes}",
        )
    width, count = node.integer_of("beam_width"), node.integer_of("top_paths")
    beams = Search(x, converted(lengths, int64), width).beams()
    merges = "merge_repeated" not in node or node.flag("merge_repeated")
    paths = [_sparse(*_path(beams.labels, rank, merges=merges)) for rank in range(count)]
    best = core.strided_slice(beams.total, (0,), (count,), axes=(1,))
    return [*(part for parts in zip(*paths, strict=True) for part in parts), best]


def _path(labels: Expr, rank: int, *, merges: bool) -> tuple[Expr, Expr]:
    """Return the labels of the beams with a rank, and which of them are results."""
    found = core.take(labels, constant(rank, int64), axis=1)
    kept: Expr = less(constant(-1, int64), found)
    if merges:
        none = Call(Full((found.tensor_type.shape[0], 1)), (constant(-1, int64),))
        before = core.concatenate([none, core.strided_slice(found, (0,), (-1,), axes=(1,))], 1)
        kept = core.logical_and(kept, core.not_equal(found, before))
    return found, kept
