"""`relay.vision`: operators of object detection.

What is not written here is generated from the operator `vision.…` of that name.
"""

from relay.ir.expr import Call, Expr, operands
from relay.ops.functions.namespace import namespace
from relay.ops.functions.syntax import const
from relay.ops.vision.non_max_suppression import AllClassNonMaxSuppression


def all_class_non_max_suppression(
    boxes: Expr,
    scores: Expr,
    max_output_boxes_per_class: Expr | int = -1,
    iou_threshold: Expr | float = -1.0,
    score_threshold: Expr | float = -1.0,
    output_format: str = "onnx",
) -> Call:
    """Return the best boxes of every class that do not overlap too much; see the operator."""
    (boxes,) = operands((boxes,))
    element = boxes.tensor_type.dtype
    limits = [
        each if isinstance(each, Expr) else const(each, of)
        for each, of in (
            (max_output_boxes_per_class, "int64"),
            (iou_threshold, element),
            (score_threshold, element),
        )
    ]
    op = AllClassNonMaxSuppression.made({"output_format": output_format})
    return Call(op, (boxes, scores, *limits))


__getattr__, __dir__ = namespace("vision.", globals())
