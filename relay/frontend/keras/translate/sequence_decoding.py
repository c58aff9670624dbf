"""Translate `keras.ops.ctc_decode`: labels of sequences of classes, without blanks."""

from collections.abc import Sequence

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.ctc_beam_search import Search
from relay.frontend.builders.tensor_helpers import converted
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_operation
from relay.frontend.node_errors import static_sizes
from relay.ir.dims import is_static
from relay.ir.expr import Constant, Expr
from relay.ops.functions import core
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode


@keras_operation("CTCDecode")
def decode(layer: LayerReader) -> Sequence[Expr]:
    """Translate `ctc_decode` of scores `(batch, time, classes)`, by the best class of each step.

    The strategy `beam_search` finds the labels whose alignments are the most probable together. The
    results are the labels, `(paths, batch, time)`, with -1 after the last, and their scores.
    """
    scores, lengths = (
        layer.as_tensor(layer.value(layer.argument(name, at)))
        for at, name in enumerate(("inputs", "sequence_lengths"))
    )
    sizes = scores.tensor_type.shape[1:]
    if not is_static(sizes):
        raise layer.error(
            ErrorCode.F032, f"the numbers of steps and of classes must be known, not {sizes}"
        )
    blank = layer.integer("mask_index", 0) % static_sizes(sizes)[1]
    steps = converted(lengths, int64)
    strategy = layer.text("strategy", "greedy")
    if strategy == "greedy":
        layer.ignore("beam_width", "top_paths")
        merges = layer.flag("merge_repeated", default=True)
        return _best_of_each_step(scores, steps, blank, merges=merges)
    if strategy != "beam_search":
        raise layer.wrong("strategy", strategy)
    layer.ignore("merge_repeated")
    return _most_probable(
        scores, steps, blank, layer.integer("beam_width", 100), layer.integer("top_paths", 1)
    )


def _best_of_each_step(scores: Expr, steps: Expr, blank: int, *, merges: bool) -> Sequence[Expr]:
    """Return the best class of each step, without blanks and, if it `merges`, repetitions."""
    time = static_sizes(scores.tensor_type.shape[1:2])[0]
    places = np.arange(time)[None]
    best = rnp.astype(rnp.argmax(scores, axis=2), "int64")
    inside = rnp.less(Constant(places), rnp.expand_dims(steps, 1))
    kept = rnp.logical_and(inside, rnp.not_equal(best, blank))
    if merges:
        before = rnp.pad(best, [(0, 0), (1, 0)], constant_values=-1)
        before = core.strided_slice(before, (0,), (time,), axes=(1,))
        kept = rnp.logical_and(kept, rnp.not_equal(best, before))
    order = core.argsort(rnp.where(kept, Constant(places), Constant(places + time)), axis=1)
    left = core.gather(best, 1, converted(order, int64))
    used = rnp.less(Constant(places), rnp.sum(kept, axis=1, keepdims=True))
    largest = rnp.where(inside, rnp.max(scores, axis=2), 0.0)
    total = rnp.negative(rnp.sum(largest, axis=1, keepdims=True))
    return [rnp.expand_dims(rnp.astype(rnp.where(used, left, -1), "int32"), 0), total]


def _most_probable(scores: Expr, steps: Expr, blank: int, width: int, count: int) -> Sequence[Expr]:
    """Return the most probable labels by a beam search, in which the blank is the last class."""
    classes = static_sizes(scores.tensor_type.shape[2:])[0]
    order = [*(each for each in range(classes) if each != blank), blank]
    by_time = core.transpose(rnp.take(scores, np.array(order), axis=2), (1, 0, 2))
    beams = Search(by_time, steps, width).beams()
    labels = core.strided_slice(beams.labels, (0,), (count,), axes=(1,))
    labels = rnp.where(rnp.greater_equal(labels, blank), rnp.add(labels, 1), labels)
    total = core.strided_slice(beams.total, (0,), (count,), axes=(1,))
    return [rnp.astype(core.transpose(labels, (1, 0, 2)), "int32"), total]
