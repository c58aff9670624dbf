"""Translate TensorFlow reductions, arg-reductions, and cumulative sums."""

from collections.abc import Mapping, Sequence
from math import inf

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import at, size_of
from relay.frontend.builders.let_before_loops import bound
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Call, Expr
from relay.numpy.elementary_functions import logaddexp
from relay.opdef.definition import OperatorDef
from relay.ops.binary import divide, square
from relay.ops.broadcasting import BroadcastTo
from relay.ops.cast import Cast
from relay.ops.max_min_reductions import All, Any, ArgMax, ArgMin, Max, Min
from relay.ops.sum_and_mean_reductions import Mean, Prod, Sum
from relay.ops.tensor.transpose import Reverse, Transpose
from relay.ops.transcendental import Sqrt
from relay.support.dtype import int32, int64
from relay.transform.effects import Unspeculatable

Classes = Mapping[str, type[OperatorDef]]

_REDUCTIONS: Classes = {
    "All": All,
    "Any": Any,
    "Max": Max,
    "Mean": Mean,
    "Min": Min,
    "Prod": Prod,
    "Sum": Sum,
}
_POSITIONS: Classes = {"ArgMax": ArgMax, "ArgMin": ArgMin}


@tf_operator(*_REDUCTIONS)
def reduce(node: TfNode) -> Expr:
    """Translate a reduction over axes."""
    return _reduced(node, _REDUCTIONS[node.op], node.expr(0))


def _reduced(node: TfNode, kind: type[OperatorDef], x: Expr) -> Expr:
    over, keep = node.axes(1), node.flag("keep_dims")
    return Call(kind(axis=over, keepdims=keep), (x,), span=node.span) if over else x


@tf_operator("EuclideanNorm")
def euclidean_norm(node: TfNode) -> Expr:
    """Translate `EuclideanNorm` over axes."""
    return Call(Sqrt(), (_reduced(node, Sum, square(node.expr(0))),), span=node.span)


@tf_operator("L2Loss")
def l2_loss(node: TfNode) -> Expr:
    """Translate `L2Loss`: half of the sum of all squares."""
    total = Call(Sum(), (square(node.expr(0)),), span=node.span)
    return divide(total, constant(2, total.tensor_type.dtype))


@tf_operator(*_POSITIONS)
def position(node: TfNode) -> Expr:
    """Translate `ArgMax` and `ArgMin` along an axis."""
    wanted = node.dtype("output_type") if "output_type" in node else int64
    axis = node.integer(1, "the axis")
    found = Call(_POSITIONS[node.op](axis=(axis,)), (node.expr(0),), span=node.span)
    return found if wanted is int32 else Call(Cast(wanted), (found,))


@tf_operator("CumulativeLogsumexp")
def cumulative_log_sum(node: TfNode) -> Expr:
    """Translate `CumulativeLogsumexp`, as a loop along the axis."""
    x, rank = node.expr(0), node.type(0).rank
    axis, exclusive = node.integer(1, "the axis") % rank, node.flag("exclusive")
    order = (axis, *(each for each in range(rank) if each != axis))
    turn: Sequence[OperatorDef] = [Reverse(0)] if node.flag("reverse") else []
    rows: Expr = Call(Transpose(order), (x,))
    for op in turn:
        rows = Call(op, (rows,))
    of, (steps, *shape) = x.tensor_type.dtype, rows.tensor_type.shape
    least = constant(-inf, of)
    first = Call(BroadcastTo(tuple(shape)), (least,))
    kept = Collection(first.tensor_type, steps, size_of(rows, 0))

    def looped(given: Sequence[Expr]) -> list[Expr]:
        def run(time: Expr, old: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
            new = logaddexp(old[0], at(given[0], time))
            return [new, old[0] if exclusive else new], None

        return collecting(kept.number, None, [first], [first.tensor_type], [kept], run)

    found = bound([rows], Unspeculatable(), looped)[1]
    for op in turn:
        found = Call(op, (found,))
    return Call(Transpose(tuple(order.index(each) for each in range(rank))), (found,))
