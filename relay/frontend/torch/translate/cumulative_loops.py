"""Translate cumulative maxima, minima and log-sum-exp, as loops along an axis."""

from collections.abc import Callable, Sequence

import numpy as np

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import at, size_of
from relay.frontend.builders.let_before_loops import bound
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.arithmetic import log_sum
from relay.frontend.torch.translate.shapes import broadcast, transposed
from relay.frontend.torch.translate.type_promotion import floating
from relay.ir.expr import Call, Expr
from relay.ops.comparison import GreaterEqual, LessEqual
from relay.ops.elementwise import IsNan
from relay.ops.logical import LogicalOr
from relay.ops.selection import where
from relay.support.dtype import int64
from relay.transform.effects import Unspeculatable

Next = Callable[[Expr, Expr, Sequence[Expr]], Sequence[Expr]]
"""Maps the step number, its slice and the state to the next state, all collected."""


@torch_operator("cummax", "cummin")
def running_extreme(node: TorchNode) -> Sequence[Expr]:
    """Translate `cummax` and `cummin`; the index is that of the last of equal elements."""
    x, largest = node.tensor("self"), node.operator == "cummax"
    if not x.tensor_type.rank:
        node.ignore("dim")
        return [x, constant(0, int64)]
    better = GreaterEqual if largest else LessEqual

    def step(time: Expr, part: Expr, state: Sequence[Expr]) -> Sequence[Expr]:
        best, place = state
        is_better: Expr = Call(better(), (part, best))
        if x.tensor_type.dtype.is_float:
            is_better = Call(LogicalOr(), (is_better, Call(IsNan(), (part,))))
        is_first = Call(LessEqual(), (time, constant(0, int64)))
        wins = Call(LogicalOr(), (is_better, is_first))
        return [where(wins, part, best), where(wins, time, place)]

    return _along(
        x, node.integer("dim"), [constant(0, x.tensor_type.dtype), constant(0, int64)], step
    )


@torch_operator("logcumsumexp")
def running_log_sum(node: TorchNode) -> Expr:
    """Translate `logcumsumexp`: cumulative log-sum-exp."""
    x = floating(node.tensor("self"))
    if not x.tensor_type.rank:
        node.ignore("dim")
        return x

    def step(_: Expr, part: Expr, state: Sequence[Expr]) -> Sequence[Expr]:
        return [log_sum(state[0], part)]

    first = constant(-np.inf, x.tensor_type.dtype)
    return _along(x, node.integer("dim"), [first], step)[0]


def _along(x: Expr, axis: int, first: Sequence[Expr], step: Next) -> list[Expr]:
    """Return the state of a loop at each position of an axis, given the initial state."""
    rank = x.tensor_type.rank
    axis %= rank
    order = [axis, *(each for each in range(rank) if each != axis)]
    back = [order.index(each) for each in range(rank)]

    def looped(given: Sequence[Expr]) -> list[Expr]:
        (rows,) = given
        count, shape = size_of(rows, 0), rows.tensor_type.shape
        state = [broadcast(each, shape[1:]) for each in first]
        kept = [Collection(each.tensor_type, shape[0], count) for each in state]

        def run(time: Expr, old: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
            new = step(time, at(rows, time), old)
            return [*new, *new], None

        results = collecting(count, None, state, [each.type for each in state], kept, run)
        return [transposed(each, back) for each in results[len(state) :]]

    return bound([transposed(x, order)], Unspeculatable(), looped)
