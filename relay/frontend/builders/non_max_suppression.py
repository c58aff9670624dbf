"""Non-maximum suppression: select the highest-scoring boxes that do not overlap."""

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.ops.binary import Maximum
from relay.ops.cast import Cast
from relay.ops.nn.pad import Pad
from relay.ops.tensor.slice import StridedSlice
from relay.ops.vision.all_class_non_max_suppression import AllClassNonMaxSuppression
from relay.support.dtype import int32, int64


def best_boxes(
    boxes: Expr, scores: Expr, count: int, overlap: Expr, least: Expr
) -> tuple[Expr, Expr, Expr]:
    """Return the indices of the selected boxes, their scores, and how many there are.

    `boxes` is `(n, 4)` and `scores` is `(n,)`. A box is dropped if it overlaps a box of higher
    score by more than `overlap`, or if its score is below `least`. The results have `count`
    entries; unused entries are 0.
    """
    size = boxes.tensor_type.shape[0]
    operands = (
        reshape(boxes, (1, size, 4)),
        reshape(scores, (1, 1, size)),
        constant(count, int64),
        *(reshape(each, ()) for each in (overlap, least)),
    )
    found = Call(AllClassNonMaxSuppression("tensorflow"), operands, span=boxes.span)
    rows, kept, number = (TupleGetItem(found, index) for index in range(3))
    chosen = Call(StridedSlice((1,), (2,), axes=(2,)), (rows,))
    numbers = Call(
        Maximum(), (_narrow(sized(reshape(chosen, (size,)), 0, count)), constant(0, int32))
    )
    return numbers, sized(reshape(kept, (size,)), 0, count), _narrow(reshape(number, ()))


def sized(x: Expr, axis: int, count: int) -> Expr:
    """Return the first `count` elements along an axis, which may have fewer, padded with zeros."""
    size = x.tensor_type.shape[axis]
    missing = max(count - size, 0) if isinstance(size, int) else count
    if missing:
        widths = tuple((0, missing * (each == axis)) for each in range(x.tensor_type.rank))
        x = Call(Pad(widths), (x, constant(0, x.tensor_type.dtype)))
    return Call(StridedSlice((0,), (count,), axes=(axis,)), (x,))


def _narrow(x: Expr) -> Expr:
    return Call(Cast(int32), (x,))
