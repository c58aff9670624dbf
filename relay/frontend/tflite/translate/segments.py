"""Translate TensorFlow Lite segment reductions, which combine rows of the same number."""

from relay.frontend.builders.segment_reductions import segments
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.ir.expr import Expr

_MODES = {"SUM": "add", "PROD": "mul", "MAX": "max", "MIN": "min"}


@lite_operator("SEGMENT_SUM")
def segment_sum(node: LiteNode) -> Expr:
    """Translate `SEGMENT_SUM`, whose segment numbers are sorted."""
    node.check_not_quantised()
    ids = node.ints(1, "the segments")
    return segments(node.expr(0), node.expr(1), ids[-1] + 1 if ids else 0, "add")


@lite_operator(*(f"UNSORTED_SEGMENT_{name}" for name in _MODES))
def unsorted_segments(node: LiteNode) -> Expr:
    """Translate reductions of segments in any order; negative segment numbers are ignored."""
    node.check_not_quantised()
    count = node.integer(2, "the number of segments")
    return segments(node.expr(0), node.expr(1), count, _MODES[node.op.rpartition("_")[2]])
