"""Indices that advance evenly from lane to lane: a base, and a stride known at compile time."""

from relay.kernels.scalar import Binary, Broadcast, Const, Op, Ramp, Scalar
from relay.support.dtype import int64
from relay.support.node import node


@node
class Even:
    """The lanes `base, base + stride, …`; a plain scalar has stride 0."""

    base: Scalar
    stride: int


def even(index: Scalar) -> Even | None:
    """Return an index as base and stride, or nothing if its lanes are irregular.

    Indices are shallow, so their sums are taken apart by recursion.
    """
    if index.dtype.lanes == 1:
        return Even(index, 0)
    match index:
        case Broadcast(operand=operand):
            return Even(operand, 0)
        case Ramp(base=base, stride=Const(value=int() as stride)):
            return Even(base, stride)
        case Binary(op=Op.ADD | Op.SUB as op, a=a, b=b) if index.dtype.bits == int64.bits:
            return _sum(op, even(a), even(b))
        case Binary(op=Op.MUL, a=a, b=b) if index.dtype.bits == int64.bits:
            return _product(even(a), even(b))
        case _:
            pass
    return None


def _sum(op: Op, a: Even | None, b: Even | None) -> Even | None:
    if a is None or b is None:
        return None
    stride = a.stride + b.stride if op is Op.ADD else a.stride - b.stride
    return Even(Binary(op, a.base, b.base), stride)


def _product(a: Even | None, b: Even | None) -> Even | None:
    if a is None or b is None:
        return None
    if isinstance(a.base, Const) and a.stride == 0:
        a, b = b, a
    if not (isinstance(b.base, Const) and b.stride == 0):
        return None
    return Even(Binary(Op.MUL, a.base, b.base), a.stride * int(b.base.value))
