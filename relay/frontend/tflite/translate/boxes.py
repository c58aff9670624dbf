"""Translate the selection of overlapping boxes."""

from collections.abc import Sequence

from relay.frontend.builders.tensors import constant, reshape
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.ops.binary import Maximum
from relay.ops.cast import Cast
from relay.ops.nn.pad import Pad
from relay.ops.tensor.slice import StridedSlice
from relay.ops.vision.non_max_suppression import AllClassNonMaxSuppression
from relay.support.dtype import int32, int64
from relay.support.error_codes import ErrorCode


@lite_operator("NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5")
def non_max_suppression(node: LiteNode) -> Sequence[Expr]:
    """Keep the best boxes: their indices, with V5 also their scores, and their number.

    Unused entries are 0.
    """
    count = node.integer(2, "the number of boxes")
    if node.op.endswith("V5") and float(node.constant(5, "sigma").reshape(())) != 0:
        raise node.error(ErrorCode.F030, "scores that overlaps lower (sigma) are not supported")
    (boxes,) = node.type(0).static_shape[:1]
    operands = (
        reshape(node.expr(0), (1, boxes, 4)),
        reshape(node.expr(1), (1, 1, boxes)),
        constant(count, int64),
        *(reshape(node.expr(index), ()) for index in (3, 4)),
    )
    found = Call(AllClassNonMaxSuppression("tensorflow"), operands, span=node.span)
    rows, scores, number = (TupleGetItem(found, index) for index in range(3))
    chosen = Call(StridedSlice((1,), (2,), axes=(2,)), (rows,))
    numbers = Call(Maximum(), (_narrow(_first(chosen, boxes, count)), constant(0, int32)))
    kept = [_first(scores, boxes, count)] if node.op.endswith("V5") else []
    return [numbers, *kept, _narrow(reshape(number, ()))]


def _first(x: Expr, size: int, count: int) -> Expr:
    """Return the first numbers of a vector, padded with zeros."""
    part = Call(StridedSlice((0,), (min(size, count),), axes=(0,)), (reshape(x, (size,)),))
    behind = max(count - size, 0)
    zero = constant(0, x.tensor_type.dtype)
    return Call(Pad(((0, behind),)), (part, zero)) if behind else part


def _narrow(x: Expr) -> Expr:
    return Call(Cast(int32), (x,))
