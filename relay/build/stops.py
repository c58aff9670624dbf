"""Where a kernel may stop the program: the operators that have no value for some arguments."""

from typing import cast

from relay.ir.expr import Call, Function
from relay.ir.walk import post_order
from relay.ops.tensor.indices import OUT_OF_RANGE
from relay.runtime.program import Trap
from relay.transform.purity import may_stop


def stops_of(function: Function) -> tuple[Call, ...]:
    """Return the calls in a primitive function that may stop, as its kernel numbers them from 1."""
    found = (expr for expr in post_order(function.body) if may_stop(expr))
    return tuple(cast("Call", expr) for expr in found)


def outside_traps(function: Function, first: int) -> tuple[Trap, ...]:
    """Return the reasons why a kernel stops, numbered from `first`."""
    return tuple(
        Trap(first + number, "R056", "an index is out of range", call.span, OUT_OF_RANGE)
        for number, call in enumerate(stops_of(function))
    )
