"""LLVM text of loads and stores through pointers: scalar, contiguous, strided, masked."""

from collections.abc import Sequence

from relay.kernels.llvm.element_addresses import LaneAddresses, all_addresses, locate
from relay.kernels.llvm.emitter_context import Context, Lanes, Memory, splat
from relay.kernels.llvm.llvm_types import element
from relay.kernels.llvm.llvm_writer import Operand
from relay.kernels.llvm.permuted_loads import load_permuted, most_readers
from relay.kernels.llvm.type_conversions import from_memory, to_memory
from relay.kernels.llvm.vector_loads_and_stores import (
    all_lanes,
    apart_from_truncation,
    gather,
    load_vector,
    prefetch,
    single,
    write,
)
from relay.support.dtype import DType

_READERS = 8  # lanes that read one element, whose masks are joined in less time than a gather takes


def load(
    ctx: Context, place: Memory, where: Sequence[Lanes], mask: Operand | None, dtype: DType
) -> Operand:
    """Emit a load of elements of `dtype` at an index; masked-off lanes are 0."""
    access = locate(ctx, place, where, dtype, inside=mask is None)
    if place.ahead and access.step == 1 and dtype.lanes > 1:
        prefetch(ctx, access.pointer, place.ahead)
    return from_memory(ctx, _load(ctx, access, mask, dtype, place.alignment), dtype)


def prefetch_element(ctx: Context, place: Memory, where: Sequence[Lanes], dtype: DType) -> None:
    """Emit a prefetch of the element of `dtype` at the index `where` of the buffer `place`."""
    prefetch(ctx, locate(ctx, place, where, dtype, inside=False).pointer)


def _load(
    ctx: Context, access: LaneAddresses, mask: Operand | None, dtype: DType, alignment: int
) -> Operand:
    """Emit a load of elements in their memory representation."""
    if access.step == 1:
        return load_vector(ctx, access.pointer, mask, dtype, alignment)
    if access.step == 0 and mask is None:
        first = load_vector(ctx, access.pointer, None, element(dtype), alignment)
        return splat(ctx, first, dtype.lanes)
    if access.step:
        offsets = [access.step * lane for lane in range(dtype.lanes)]
        return load_permuted(ctx, access.pointer, offsets, mask, dtype, alignment)
    if access.offsets and (mask is None or most_readers(access.offsets) <= _READERS):
        return load_permuted(ctx, access.pointer, access.offsets, mask, dtype, alignment)
    return gather(ctx, all_addresses(ctx, access, dtype), mask, dtype, alignment)


def store(
    ctx: Context, place: Memory, where: Sequence[Lanes], mask: Operand | None,
    operand: Operand, dtype: DType,
) -> None:  # fmt: skip
    """Emit a store of the live lanes of elements of `dtype`."""
    raw = to_memory(ctx, operand, dtype)
    access = locate(ctx, place, where, dtype, inside=mask is None)
    if access.step == 1 and mask is None:
        ctx.w.do(f"store {raw}, {access.pointer}, align {element(dtype).itemsize}")
        return
    mask = mask or all_lanes(dtype.lanes)
    if dtype.lanes == 1:
        raw, mask = single(ctx, raw), single(ctx, mask)
    if access.step == 1:
        write(ctx, "store", access.pointer, mask, apart_from_truncation(ctx, raw), dtype)
    else:
        write(ctx, "scatter", all_addresses(ctx, access, dtype), mask, raw, dtype)
