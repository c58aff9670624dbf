"""The pass that splits a max pooling over several axes into poolings over one axis each."""

import math

from relay.ir.dataflow import Found, operators, wildcard
from relay.ir.expr import Call, Expr
from relay.ops.nn.pool_base import MaxPool
from relay.support.node import replace, value
from relay.transform.rewriting import RewritePass, Rule

data = wildcard()
pool = operators(MaxPool)
result = pool(data)

_GAIN = 2
"""The factor by which comparisons must decrease to pay for a second kernel."""


@value
class SplitMaxPoolByAxis(RewritePass):
    """Replace a max pooling over several axes by max poolings over one axis each.

    Maxima along an axis are shared by all windows that overlap in it: windows of 5 x 5 elements
    then take 10 comparisons instead of 25.

    Axes with the largest stride are first, because they leave the fewest elements. Windows
    with few comparisons, or that overlap little, stay.
    """

    def rules(self) -> tuple[Rule, ...]:
        """Return the rule that matches max poolings."""
        return (Rule(result, _separated),)


def _separated(found: Found) -> Expr | None:
    call, op = found[result], found[pool]
    order = sorted(range(len(op.spatial)), key=lambda axis: -op.strides[axis])
    is_plain = op.out_layout in ("", op.layout)
    if not is_plain or math.prod(op.pool_size) < _GAIN * _comparisons(op, order):
        return None
    value: Expr = found[data]
    for axis in order:
        if op.pool_size[axis] > 1 or op.strides[axis] > 1 or any(op.pads[axis]):
            value = Call(_along(op, axis), (value,), span=call.span)
    return value


def _comparisons(op: MaxPool, order: list[int]) -> int:
    """Return the comparisons per result if a pooling is computed along the axes in this order."""
    left = [math.prod(op.strides[axis] for axis in order[n + 1 :]) for n in range(len(order))]
    return sum(op.pool_size[axis] * more for axis, more in zip(order, left, strict=True))


def _along(op: MaxPool, axis: int) -> MaxPool:
    """Return the part of a max pooling that compares along one axis only."""

    def only(sizes: tuple[int, ...], other: int) -> tuple[int, ...]:
        return tuple(size if n % len(op.spatial) == axis else other for n, size in enumerate(sizes))

    return replace(
        op,
        pool_size=only(op.pool_size, 1),
        strides=only(op.strides, 1),
        dilation=only(op.dilation, 1),
        padding=only(op.padding, 0),
    )
