"""Translate MXNet operators of object detectors: anchor boxes, box decoding, ROI align."""

import numpy as np

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.frontend.node_errors import static_size
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ops.broadcasting import BroadcastTo
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.slice import StridedSlice
from relay.ops.vision.box_selection import NonMaxSuppression
from relay.ops.vision.multibox import MultiboxPrior, MultiboxTransformLoc
from relay.ops.vision.roi_align import RoiAlign
from relay.support.dtype import float32, int32


@mxnet_operator("_contrib_MultiBoxPrior", "MultiBoxPrior")
def multibox_prior(node: MxNode) -> Expr:
    """Translate `MultiBoxPrior`: return anchor boxes around each element of a feature map."""
    op = MultiboxPrior(
        sizes=node.numbers("sizes", (1.0,)),
        ratios=node.numbers("ratios", (1.0,)),
        steps=node.numbers("steps", (-1.0, -1.0)),
        offsets=node.numbers("offsets", (0.5, 0.5)),
        clip=node.flag("clip"),
    )
    return Call(op, (node.tensor(),), span=node.span)


@mxnet_operator("_contrib_MultiBoxDetection", "MultiBoxDetection")
def multibox_detection(node: MxNode) -> Expr:
    """Translate `MultiBoxDetection`: return rows `(class, score, corners)` by descending score.

    Suppressed rows have class -1 but keep their scores and corners, so the rows are first sorted
    without suppressing any.
    """
    if node.integer("background_id", 0) != 0:
        raise node.wrong("background_id")
    decode = MultiboxTransformLoc(
        clip=node.flag("clip", default=True),
        threshold=node.number("threshold", 0.01),
        variances=node.numbers("variances", (0.1, 0.1, 0.2, 0.2)),
    )
    both = Call(decode, tuple(node.inputs[:3]), span=node.span)
    rows, count = TupleGetItem(both, 0), TupleGetItem(both, 1)
    batch, boxes, _ = rows.tensor_type.shape
    threshold, everything = node.number("nms_threshold", 0.5), 2.0
    choose = NonMaxSuppression(
        force_suppress=node.flag("force_suppress"),
        top_k=node.integer("nms_topk", -1),
        return_indices=False,
    )
    if not 0 < threshold <= 1:
        return rows
    numbers = Constant(np.arange(static_size(boxes), dtype=np.int32))
    indices = Call(BroadcastTo((batch, boxes)), (numbers,))
    given = (rows, count, indices, constant(-1, int32))
    kept, ordered = (
        Call(choose, (*given, constant(limit, float32)), span=node.span)
        for limit in (threshold, everything)
    )
    classes = Call(StridedSlice((0,), (1,), axes=(2,)), (kept,))
    others = Call(StridedSlice((1,), (6,), axes=(2,)), (ordered,))
    return Call(Concatenate(2), (Tuple((classes, others)),))


@mxnet_operator("_contrib_ROIAlign")
def roi_align(node: MxNode) -> Expr:
    """Translate `ROIAlign`: sample regions of images into windows of one size."""
    op = RoiAlign(
        pooled_size=node.ints("pooled_size"),
        spatial_scale=node.number("spatial_scale"),
        sample_ratio=node.integer("sample_ratio", -1),
        aligned=node.flag("aligned"),
    )
    return Call(op, (node.tensor(), node.tensor(1)), span=node.span)
