"""Pad tensors before, after and between their elements."""

from relay.frontend.builders.tensors import reshape
from relay.ir.expr import Call, Expr
from relay.ops.nn.pad import Pad
from relay.ops.tensor.slice import StridedSlice


def padded(
    x: Expr, value: Expr, low: tuple[int, ...], high: tuple[int, ...], inner: tuple[int, ...]
) -> Expr:
    """Return a tensor with `value` before, after and between its elements along each axis."""
    if any(inner):
        x = _spread_out(x, value, inner)
    if any(each > 0 for each in (*low, *high)):
        pairs = zip(low, high, strict=True)
        x = Call(Pad(tuple((max(a, 0), max(b, 0)) for a, b in pairs)), (x, value))
    if any(each < 0 for each in (*low, *high)):
        sizes = x.tensor_type.static_shape
        begin = tuple(max(-a, 0) for a in low)
        end = tuple(n - max(-b, 0) for n, b in zip(sizes, high, strict=True))
        x = Call(StridedSlice(begin, end), (x,))
    return x


def _spread_out(x: Expr, value: Expr, inner: tuple[int, ...]) -> Expr:
    """Return a tensor with `inner` elements of `value` between neighbours along each axis."""
    for axis, between in enumerate(inner):
        sizes = x.tensor_type.static_shape
        if not between or sizes[axis] < 2:
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
