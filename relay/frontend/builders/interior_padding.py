"""Pad tensors before, after and between their elements."""

from relay.frontend.builders.tensor_helpers import reshape
from relay.ir.dims import Shape, maximum
from relay.ir.expr import Call, Expr
from relay.ops.nn.pad import Pad
from relay.ops.tensor.slice import StridedSlice


def padded(x: Expr, value: Expr, low: Shape, high: Shape, inner: tuple[int, ...]) -> Expr:
    """Return a tensor with `value` before, after and between its elements along each axis."""
    if any(inner):
        x = _spread_out(x, value, inner)
    pairs = [(maximum(a, 0), maximum(b, 0)) for a, b in zip(low, high, strict=True)]
    if any(each != 0 for pair in pairs for each in pair):
        x = Call(Pad(tuple(pairs)), (x, value))
    begin, cut = (tuple(maximum(-each, 0) for each in side) for side in (low, high))
    if any(each != 0 for each in (*begin, *cut)):
        end = tuple(n - less for n, less in zip(x.tensor_type.shape, cut, strict=True))
        x = Call(StridedSlice(begin, end), (x,))
    return x


def _spread_out(x: Expr, value: Expr, inner: tuple[int, ...]) -> Expr:
    """Return a tensor with `inner` elements of `value` between neighbours along each axis."""
    for axis, between in enumerate(inner):
        sizes = x.tensor_type.shape
        if not between or sizes[axis] in (0, 1):
            continue
        apart = reshape(x, (*sizes[: axis + 1], 1, *sizes[axis + 1 :]))
        widths = [(0, 0)] * (len(sizes) + 1)
        widths[axis + 1] = (0, between)
        framed = Call(Pad(tuple(widths)), (apart, value))
        step = between + 1
        joined = reshape(framed, (*sizes[:axis], sizes[axis] * step, *sizes[axis + 1 :]))
        end = [*sizes]
        end[axis] = (sizes[axis] - 1) * step + 1
        x = Call(StridedSlice((0,) * len(end), tuple(end)), (joined,))
    return x
