"""Computes addresses of elements from indices and strides, for one lane or many."""

from collections.abc import Iterable, Sequence

from relay.kernels.llvm.emitter_context import (
    Context,
    Lanes,
    Memory,
    constant,
    constant_lanes,
    index,
    lane_numbers,
    splat,
)
from relay.kernels.llvm.llvm_types import element, memory_type, vector, with_lanes
from relay.kernels.llvm.llvm_writer import Operand
from relay.kernels.loops import INDIRECT_ROW_BYTES
from relay.support.dtype import DType, int64
from relay.support.node import node, replace

FAR = 4  # above this step, loading all elements in between costs more than a gather


@node
class LaneAddresses:
    """The addresses of the lanes of an access.

    With a `step`, `pointer` is the address of the first lane, and each lane is `step` elements
    after the previous one. With `offsets`, each lane is as many elements after `pointer`. Without
    both, `pointer` is a vector of the addresses of all lanes.
    """

    pointer: Operand
    step: int | None
    offsets: tuple[int, ...] | None = None


def locate(
    ctx: Context, place: Memory, where: Sequence[Lanes], dtype: DType, *, inside: bool
) -> LaneAddresses:
    """Emit the computation of the addresses of the elements of `dtype` at an index.

    If `inside`, all lanes are inside the buffer; otherwise a mask excludes those that are not.
    """
    if place.indirect_rows:
        place, where = _row(ctx, place, where[0]), where[1:]
    offset, step, lanes = index(0), 0, _Offsets(ctx, dtype.lanes)
    apart = [0] * dtype.lanes
    for one, stride in zip(where, place.strides, strict=True):
        if one.step is None and one.offsets is None:
            lanes.add(one.first, stride)
            continue
        offset = _plus(ctx, offset, _times(ctx, one.first, stride))
        if one.offsets is not None and stride.known is not None:
            known = stride.known
            apart = [each + known * own for each, own in zip(apart, one.offsets, strict=True)]
        elif one.offsets is not None:
            lanes.add(constant_lanes(with_lanes(int64, dtype.lanes), one.offsets), stride)
        elif one.step and stride.known is None:
            lanes.add_ramp(one.step, stride)
        elif one.step:
            step += one.step * (stride.known or 0)
    each = memory_type(element(dtype))
    promise = "inbounds " if inside else ""
    pointer = ctx.w.op("ptr", f"getelementptr {promise}{each}, {place.pointer}, {offset}")
    if dtype.lanes == place.unit:
        return LaneAddresses(pointer, 1)
    if not any(apart):
        if lanes.total is None and abs(step) <= FAR:
            return LaneAddresses(pointer, step)
        lanes.add_ramp(step, index(1))
        return LaneAddresses(lanes.pointers(pointer, each), None)
    apart = [own + step * lane for lane, own in enumerate(apart)]
    if lanes.total is None and max(apart) - min(apart) <= FAR * dtype.lanes:
        return LaneAddresses(pointer, None, tuple(apart))
    lanes.add_constants(apart)
    return LaneAddresses(lanes.pointers(pointer, each), None)


def _row(ctx: Context, place: Memory, number: Lanes) -> Memory:
    """Emit a load of the address of row `number` in a list of row addresses; return that row."""
    assert number.step == 0, "a vector is part of one row"
    behind = ctx.w.op("i64", f"mul nsw {number.first}, {INDIRECT_ROW_BYTES}")
    at = ctx.w.op("ptr", f"getelementptr i8, {place.pointer}, {behind}")
    row = ctx.w.op("ptr", f"load ptr, {at}, align 8, !invariant.load !{{}}")
    return replace(place, pointer=row, strides=place.strides[1:], indirect_rows=False)


def all_addresses(ctx: Context, access: LaneAddresses, dtype: DType) -> Operand:
    """Emit the address of every lane of an access as a vector of pointers."""
    lanes = _Offsets(ctx, dtype.lanes)
    if access.offsets is not None:
        lanes.add_constants(access.offsets)
    elif access.step is not None:
        lanes.add_ramp(access.step, index(1))
    else:
        return access.pointer
    return lanes.pointers(access.pointer, memory_type(element(dtype)))


class _Offsets:
    """A running sum of the lanes' offsets from a base address, in elements."""

    def __init__(self, ctx: Context, lanes: int) -> None:
        self._ctx = ctx
        self._dtype = with_lanes(int64, lanes)
        self.total: Operand | None = None

    def add(self, lanes: Operand, stride: Operand) -> None:
        """Add a vector of indices, multiplied by a stride."""
        ctx, w = self._ctx, self._ctx.w
        scale = splat(ctx, stride, self._dtype.lanes)
        part = lanes if stride.known == 1 else w.op(lanes.ty, f"mul {lanes}, {scale.text}")
        self.total = part if self.total is None else w.op(part.ty, f"add {self.total}, {part.text}")

    def add_constants(self, offsets: Iterable[int]) -> None:
        """Add a constant vector."""
        self.add(constant_lanes(self._dtype, offsets), index(1))

    def add_ramp(self, step: int, stride: Operand) -> None:
        """Add the vector 0, step, 2 step, …, multiplied by a stride."""
        numbers = lane_numbers(self._dtype)
        scale = constant(self._dtype, step)
        self.add(self._ctx.w.op(numbers.ty, f"mul {numbers}, {scale.text}"), stride)

    def pointers(self, base: Operand, each: str) -> Operand:
        """Emit the address of each lane relative to a base address."""
        total = self.total or constant(self._dtype, 0)
        ty = vector("ptr", self._dtype.lanes)
        return self._ctx.w.op(ty, f"getelementptr {each}, {base}, {total}")


def _plus(ctx: Context, a: Operand, b: Operand) -> Operand:
    if a.known is not None and b.known is not None:
        return index(a.known + b.known)
    if a.known == 0:
        return b
    return a if b.known == 0 else ctx.w.op("i64", f"add nsw {a}, {b.text}")


def _times(ctx: Context, a: Operand, b: Operand) -> Operand:
    if a.known is not None and b.known is not None:
        return index(a.known * b.known)
    return a if b.known == 1 else ctx.w.op("i64", f"mul nsw {a}, {b.text}")
