"""The functions of `relay.vision`: operators for object detection.

Functions not defined here are generated from the operator `vision.…` of that name.
"""

from relay.ir.expr import Call, Expr, operands
from relay.ops.functions.call_builders import builder
from relay.ops.functions.generated_members import namespace
from relay.ops.functions.variables_and_constants import const
from relay.ops.vision.all_class_non_max_suppression import AllClassNonMaxSuppression
from relay.ops.vision.box_selection import GetValidCounts, NonMaxSuppression
from relay.ops.vision.roi_align import RoiAlign
from relay.support.dtype import DType


def all_class_non_max_suppression(
    boxes: Expr,
    scores: Expr,
    max_output_boxes_per_class: Expr | int = -1,
    iou_threshold: Expr | float = -1.0,
    score_threshold: Expr | float = -1.0,
    output_format: str = "onnx",
) -> Call:
    """Return the best boxes of every class without those that overlap too much."""
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


def get_valid_counts(
    data: Expr, score_threshold: Expr | float, id_index: int = 0, score_index: int = 1
) -> Call:
    """Return the number of rows with a score above a threshold, these rows, and their indices."""
    (data,) = operands((data,))
    least = _number(score_threshold, data.tensor_type.dtype)
    op = GetValidCounts.made({"id_index": id_index, "score_index": score_index})
    return Call(op, (data, least))


def non_max_suppression(
    data: Expr,
    valid_count: Expr,
    indices: Expr,
    max_output_size: Expr | int = -1,
    iou_threshold: Expr | float = 0.5,
    force_suppress: bool = False,
    top_k: int = -1,
    coord_start: int = 2,
    score_index: int = 1,
    id_index: int = 0,
    return_indices: bool = True,
    invalid_to_bottom: bool = False,
) -> Call:
    """Return the best boxes of each image, or their indices, and their number."""
    given = operands((data, valid_count, indices))
    limits = [_number(max_output_size, "int32")]
    limits.append(_number(iou_threshold, given[0].tensor_type.dtype))
    flags = {"return_indices": return_indices, "invalid_to_bottom": invalid_to_bottom}
    columns = {"coord_start": coord_start, "score_index": score_index, "id_index": id_index}
    chosen = {"force_suppress": force_suppress, "top_k": top_k}
    op = NonMaxSuppression.made({**chosen, **columns, **flags})
    return Call(op, (*given, *limits))


roi_align = builder(
    RoiAlign,
    "data rois pooled_size spatial_scale sample_ratio layout mode aligned",
    sample_ratio=-1,
)


def _number(of: Expr | float, dtype: "DType | str") -> Expr:
    return of if isinstance(of, Expr) else const(of, dtype)


__getattr__, __dir__ = namespace("vision.", globals())
