"""Loads and stores through pointers: scalar, contiguous, strided, masked."""

from collections.abc import Sequence

from relay.kernels.llvm.address import Access, all_addresses, locate
from relay.kernels.llvm.context import Context, Lanes, Memory, splat
from relay.kernels.llvm.convert import from_memory, to_memory
from relay.kernels.llvm.strided import load_strided
from relay.kernels.llvm.types import element, memory_type
from relay.kernels.llvm.writer import Operand, suffix
from relay.support.dtype import DType


def load(
    ctx: Context, place: Memory, where: Sequence[Lanes], mask: Operand | None, dtype: DType
) -> Operand:
    """Return the elements of `dtype` at an index; lanes that the mask leaves out are 0."""
    access = locate(ctx, place, where, dtype, inside=mask is None)
    return from_memory(ctx, _load(ctx, access, mask, dtype), dtype)


def _load(ctx: Context, access: Access, mask: Operand | None, dtype: DType) -> Operand:
    """Return the elements as they lie in memory."""
    ty = memory_type(dtype)
    if access.step == 1:
        if mask is not None:
            return _masked_load(ctx, access.pointer, mask, dtype)
        return _plain_load(ctx, access.pointer, dtype)
    if access.step == 0 and mask is None:
        return splat(ctx, _plain_load(ctx, access.pointer, element(dtype)), dtype.lanes)
    if access.step is not None and mask is None:
        return load_strided(ctx, access.pointer, access.step, dtype)
    pointers = all_addresses(ctx, access, dtype)
    return _read(ctx, "gather", pointers, mask or _all(dtype.lanes), ty, dtype)


def _plain_load(ctx: Context, pointer: Operand, dtype: DType) -> Operand:
    ty = memory_type(dtype)
    return ctx.w.op(ty, f"load {ty}, {pointer}, align {element(dtype).itemsize}")


def store(
    ctx: Context, place: Memory, where: Sequence[Lanes], mask: Operand | None,
    operand: Operand, dtype: DType,
) -> None:  # fmt: skip
    """Write the elements of `dtype`, the live lanes only."""
    raw = to_memory(ctx, operand, dtype)
    access = locate(ctx, place, where, dtype, inside=mask is None)
    if access.step == 1 and mask is None:
        ctx.w.do(f"store {raw}, {access.pointer}, align {element(dtype).itemsize}")
        return
    mask = mask or _all(dtype.lanes)
    if dtype.lanes == 1:
        raw, mask = _single(ctx, raw), _single(ctx, mask)
    if access.step == 1:
        _write(ctx, "store", access.pointer, mask, raw, dtype)
    else:
        _write(ctx, "scatter", all_addresses(ctx, access, dtype), mask, raw, dtype)


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


def _write(
    ctx: Context, verb: str, pointer: Operand, mask: Operand, raw: Operand, dtype: DType
) -> None:
    name = f"llvm.masked.{verb}.{suffix(raw.ty)}.{suffix(pointer.ty)}"
    ctx.module.declare(name, "void", (raw.ty, pointer.ty, mask.ty))
    aligned = f"{pointer.ty} align {element(dtype).itemsize} {pointer.text}"
    ctx.w.do(f"call void @{name}({raw}, {aligned}, {mask})")
