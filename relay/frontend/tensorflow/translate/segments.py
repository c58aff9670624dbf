"""Translate TensorFlow segment reductions, which combine rows with the same segment number."""

from relay.frontend.builders.segment_reductions import segments
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Expr

_MODES = {"Sum": "add", "Prod": "mul", "Max": "max", "Min": "min"}


@tf_operator(*(f"UnsortedSegment{name}" for name in _MODES))
def unsorted_segments(node: TfNode) -> Expr:
    """Translate reductions of segments in any order; negative segment numbers are ignored."""
    count = node.integer(2, "the number of segments")
    return segments(
        node.expr(0), node.expr(1), count, _MODES[node.op.removeprefix("UnsortedSegment")]
    )


@tf_operator("SegmentSum", "SegmentProd")
def sorted_segments(node: TfNode) -> Expr:
    """Translate reductions of segments whose numbers are sorted."""
    ids = node.ints(1, "the segments")
    mode = _MODES[node.op.removeprefix("Segment")]
    return segments(node.expr(0), node.expr(1), ids[-1] + 1 if ids else 0, mode)
