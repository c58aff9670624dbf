"""How many numbers a range has, where that is known only when the program runs."""

from relay.ir.expr import Expr
from relay.ops.functions import core


def count_of(start: Expr, stop: Expr, step: Expr) -> Expr:
    """Return how many numbers there are: the quotient, rounded up, and not below 0."""
    if start.tensor_type.dtype.is_float:
        count = core.cast(core.ceil((stop - start) / step), "int32")
    else:
        count = core.cast(-core.floor_divide(start - stop, step), "int32")
    return core.maximum(count, 0)
