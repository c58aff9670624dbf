"""Recognises indices with a constant stride from lane to lane, and comparisons of such indices."""

from relay.kernels.llvm.llvm_types import element
from relay.kernels.scalar import Binary, Broadcast, Compare, Const, Op, Order, Ramp, Scalar
from relay.support.dtype import int64
from relay.support.node import node


@node
class ConstantStride:
    """An index whose lanes are `base, base + stride, …`; a scalar index has stride 0."""

    base: Scalar
    stride: int


def constant_stride(index: Scalar) -> ConstantStride | None:
    """Return an index as base and stride, or None if its lanes have no constant stride.

    It recurses on sums and products; indices are shallow.
    """
    if element(index.dtype) is not int64:
        return None
    if index.dtype.lanes == 1:
        return ConstantStride(index, 0)
    match index:
        case Broadcast(operand=operand):
            return ConstantStride(operand, 0)
        case Ramp(base=base, stride=Const(value=int() as stride)):
            return ConstantStride(base, stride)
        case Binary(op=Op.ADD | Op.SUB as op, a=a, b=b):
            return _sum(op, constant_stride(a), constant_stride(b))
        case Binary(op=Op.MUL, a=a, b=b):
            return _product(constant_stride(a), constant_stride(b))
        case _:
            pass
    return None


def _sum(op: Op, a: ConstantStride | None, b: ConstantStride | None) -> ConstantStride | None:
    if a is None or b is None:
        return None
    stride = a.stride + b.stride if op is Op.ADD else a.stride - b.stride
    return ConstantStride(Binary(op, a.base, b.base), stride)


def _product(a: ConstantStride | None, b: ConstantStride | None) -> ConstantStride | None:
    if a is None or b is None:
        return None
    if isinstance(a.base, Const) and a.stride == 0:
        a, b = b, a
    if not (isinstance(b.base, Const) and b.stride == 0):
        return None
    return ConstantStride(Binary(Op.MUL, a.base, b.base), a.stride * int(b.base.value))


@node
class LaneTest:
    """A comparison of lane numbers: lane i is set if `i order bound - base` holds."""

    order: Order
    base: Scalar
    bound: Scalar


_FLIPPED = {
    Order.EQ: Order.EQ,
    Order.NE: Order.NE,
    Order.LT: Order.GT,
    Order.LE: Order.GE,
    Order.GT: Order.LT,
    Order.GE: Order.LE,
}


def lane_test(test: Compare) -> LaneTest | None:
    """Return a comparison of indices as a comparison of lane numbers, or None if impossible.

    Masks are such tests: whether lanes are inside a row, or inside the padding.
    """
    if test.dtype.lanes == 1:
        return None
    a, b = constant_stride(test.a), constant_stride(test.b)
    if a is None or b is None:
        return None
    if a.stride - b.stride == 1:
        return LaneTest(test.order, a.base, b.base)
    if b.stride - a.stride == 1:
        return LaneTest(_FLIPPED[test.order], b.base, a.base)
    return None
