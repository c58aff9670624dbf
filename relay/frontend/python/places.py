"""The places of the elements along an axis, as a tensor: `0, 1, …`."""

import numpy as np

from relay.frontend.python.operations import cast, constant, size
from relay.frontend.python.values import Static
from relay.ir.dims import AnyDim
from relay.ir.expr import Call, Constant, Expr
from relay.ops.tensor.ranges import Arange
from relay.support.dtype import int32
from relay.support.span import Span


def places_along(x: Expr, axis: int, span: Span | None) -> Expr:
    """Return the places along an axis, whose size may be one of the program, or open."""
    count = size(x, axis, span)
    if isinstance(count, Static):
        return Constant(np.arange(count.number or 0, dtype=np.int32), span=span)
    end = None if isinstance(count.dim, AnyDim) else count.dim
    ends = constant(0, int32, span), cast(count.expr, int32, span), constant(1, int32, span)
    return Call(Arange(0, end, 1), ends, span=span)


def count_along(x: Expr, axis: int, span: Span | None) -> Expr:
    """Return the size of an axis as a number of the program."""
    count = size(x, axis, span)
    if isinstance(count, Static):
        return constant(count.content, int32, span)
    return cast(count.expr, int32, span)
