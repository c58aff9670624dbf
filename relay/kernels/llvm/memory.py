"""Loads and stores through pointers: scalar, contiguous, strided, masked."""

from collections.abc import Sequence

from relay.kernels.llvm.context import (
    Context,
    Lanes,
    Memory,
    constant,
    index,
    lane_numbers,
    splat,
)
from relay.kernels.llvm.convert import from_memory, to_memory
from relay.kernels.llvm.types import element, memory_type, vector, with_lanes
from relay.kernels.llvm.writer import Operand, suffix
from relay.support.dtype import DType, int64
from relay.support.node import node


def load(
    ctx: Context, place: Memory, where: Sequence[Lanes], mask: Operand | None, dtype: DType
) -> Operand:
    """Return the elements of `dtype` at an index; lanes that the mask leaves out are 0."""
    if mask is None and dtype.lanes > place.unit and all(one.step == 0 for one in where):
        one = DType(dtype.kind, dtype.bits, place.unit)
        return splat(ctx, load(ctx, place, where, None, one), dtype.lanes)
    ty = memory_type(dtype)
    access = _locate(ctx, place, where, dtype, inside=mask is None)
    if not access.contiguous:
        raw = _read(ctx, "gather", access.pointer, mask or _all(dtype.lanes), ty, dtype)
    elif mask is None:
        raw = ctx.w.op(ty, f"load {ty}, {access.pointer}, align {element(dtype).itemsize}")
    else:
        raw = _masked_load(ctx, access.pointer, mask, dtype)
    return from_memory(ctx, raw, dtype)


def store(
    ctx: Context, place: Memory, where: Sequence[Lanes], mask: Operand | None,
    operand: Operand, dtype: DType,
) -> None:  # fmt: skip
    """Write the elements of `dtype`, the live lanes only."""
    raw = to_memory(ctx, operand, dtype)
    access = _locate(ctx, place, where, dtype, inside=mask is None)
    if access.contiguous and mask is None:
        ctx.w.do(f"store {raw}, {access.pointer}, align {element(dtype).itemsize}")
        return
    mask = mask or _all(dtype.lanes)
    if dtype.lanes == 1:
        raw, mask = _single(ctx, raw), _single(ctx, mask)
    _write(ctx, access, mask, raw, dtype)


@node
class _Access:
    """Where the lanes lie: a pointer to consecutive elements, or a pointer for each lane."""

    pointer: Operand
    contiguous: bool


def _locate(
    ctx: Context, place: Memory, where: Sequence[Lanes], dtype: DType, *, inside: bool
) -> _Access:
    """Return the address of an element: the sum of its indices times their strides.

    It is `inside` the buffer unless a mask leaves out the lanes that are not.
    """
    offset, step, lanes = index(0), 0, _Offsets(ctx, dtype.lanes)
    for one, stride in zip(where, place.strides, strict=True):
        if one.step is None:
            lanes.add(one.first, stride)
            continue
        offset = _plus(ctx, offset, _times(ctx, one.first, stride))
        if one.step and stride.known is None:
            lanes.add_ramp(one.step, stride)
        elif one.step:
            step += one.step * (stride.known or 0)
    each = memory_type(element(dtype))
    promise = "inbounds " if inside else ""
    pointer = ctx.w.op("ptr", f"getelementptr {promise}{each}, {place.pointer}, {offset}")
    if dtype.lanes == place.unit or (step == 1 and lanes.total is None):
        return _Access(pointer, contiguous=True)
    if step:
        lanes.add_ramp(step, index(1))
    return _Access(lanes.pointers(pointer, each), contiguous=False)


class _Offsets:
    """The distances of the lanes from the address of the first, while they are summed."""

    def __init__(self, ctx: Context, lanes: int) -> None:
        self._ctx = ctx
        self._dtype = with_lanes(int64, lanes)
        self.total: Operand | None = None

    def add(self, lanes: Operand, stride: Operand) -> None:
        """Add a vector of indices times a stride."""
        ctx, w = self._ctx, self._ctx.w
        scale = splat(ctx, stride, self._dtype.lanes)
        part = lanes if stride.known == 1 else w.op(lanes.ty, f"mul {lanes}, {scale.text}")
        self.total = part if self.total is None else w.op(part.ty, f"add {self.total}, {part.text}")

    def add_ramp(self, step: int, stride: Operand) -> None:
        """Add 0, step, 2 step, … times a stride."""
        numbers = lane_numbers(self._dtype)
        scale = constant(self._dtype, step)
        self.add(self._ctx.w.op(numbers.ty, f"mul {numbers}, {scale.text}"), stride)

    def pointers(self, base: Operand, each: str) -> Operand:
        """Return the address of each lane."""
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


def _all(lanes: int) -> Operand:
    return Operand(f"<{lanes} x i1>", "splat (i1 true)")


def _masked_load(ctx: Context, pointer: Operand, mask: Operand, dtype: DType) -> Operand:
    """Load the live lanes; one lane is a vector of one, because a masked load must not trap."""
    ty = memory_type(dtype)
    if dtype.lanes > 1:
        return _read(ctx, "load", pointer, mask, ty, dtype)
    raw = _read(ctx, "load", pointer, _single(ctx, mask), f"<1 x {ty}>", dtype)
    return ctx.w.op(ty, f"extractelement {raw}, i64 0")


def _single(ctx: Context, operand: Operand) -> Operand:
    """Return a scalar as a vector of one lane, which masked instructions ask for."""
    ty = f"<1 x {operand.ty}>"
    return ctx.w.op(ty, f"insertelement {ty} poison, {operand}, i64 0")


def _read(
    ctx: Context, verb: str, pointer: Operand, mask: Operand, ty: str, dtype: DType
) -> Operand:
    name = f"llvm.masked.{verb}.{suffix(ty)}.{suffix(pointer.ty)}"
    ctx.module.declare(name, ty, (pointer.ty, mask.ty, ty))
    aligned = f"{pointer.ty} align {element(dtype).itemsize} {pointer.text}"
    return ctx.w.op(ty, f"call {ty} @{name}({aligned}, {mask}, {ty} zeroinitializer)")


def _write(ctx: Context, access: _Access, mask: Operand, raw: Operand, dtype: DType) -> None:
    verb = "store" if access.contiguous else "scatter"
    pointer = access.pointer
    name = f"llvm.masked.{verb}.{suffix(raw.ty)}.{suffix(pointer.ty)}"
    ctx.module.declare(name, "void", (raw.ty, pointer.ty, mask.ty))
    aligned = f"{pointer.ty} align {element(dtype).itemsize} {pointer.text}"
    ctx.w.do(f"call void @{name}({raw}, {aligned}, {mask})")
