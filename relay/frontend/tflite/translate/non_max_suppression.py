"""Translate TensorFlow Lite's non-maximum suppression."""

from collections.abc import Sequence

from relay.frontend.builders.non_max_suppression import best_boxes
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.ir.expr import Expr
from relay.support.error_codes import ErrorCode


@lite_operator("NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5")
def non_max_suppression(node: LiteNode) -> Sequence[Expr]:
    """Translate `NON_MAX_SUPPRESSION`: indices of selected boxes, V5 also scores, and number.

    Unused entries are 0.
    """
    count = node.integer(2, "the number of boxes")
    has_scores = node.op.endswith("V5")
    if has_scores and float(node.constant(5, "sigma").reshape(())) != 0:
        raise node.error(
            ErrorCode.F030,
            (
                "a sigma other than 0, which lowers the scores of overlapping boxes, is not "
                "supported"
            ),
        )
    limits = node.expr(3), node.expr(4)
    numbers, scores, number = best_boxes(node.expr(0), node.expr(1), count, *limits)
    return [numbers, *([scores] if has_scores else []), number]
