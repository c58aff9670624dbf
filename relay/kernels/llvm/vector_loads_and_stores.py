"""LLVM text of vector loads, stores and gathers, masked or not."""

from collections.abc import Sequence

from relay.kernels.llvm.emitter_context import Context
from relay.kernels.llvm.llvm_types import element, memory_type
from relay.kernels.llvm.llvm_writer import Operand, lane_type, lanes_of, suffix
from relay.support.dtype import DType


def load_vector(
    ctx: Context, pointer: Operand, mask: Operand | None, dtype: DType, alignment: int
) -> Operand:
    """Emit a load of the live lanes of contiguous elements; masked-off lanes are 0."""
    ty = memory_type(dtype)
    if mask is None:
        return ctx.w.op(ty, f"load {ty}, {pointer}, align {alignment}")
    return _masked_load(ctx, pointer, mask, dtype, alignment)


def prefetch(ctx: Context, pointer: Operand, ahead: int = 0) -> None:
    """Emit a prefetch of the address `ahead` bytes further on, which need not be valid."""
    further = ctx.w.op("ptr", f"getelementptr i8, {pointer}, i64 {ahead}")
    ctx.module.declare("llvm.prefetch.p0", "void", ("ptr", "i32", "i32", "i32"))
    ctx.w.do(f"call void @llvm.prefetch.p0({further}, i32 0, i32 3, i32 1)")


def gather(
    ctx: Context, pointers: Operand, mask: Operand | None, dtype: DType, alignment: int
) -> Operand:
    """Emit loads of the elements at several addresses, in live lanes only."""
    live = mask or all_lanes(dtype.lanes)
    return _read(ctx, "gather", pointers, live, memory_type(dtype), alignment)


def all_lanes(lanes: int) -> Operand:
    """Return the mask with all lanes live."""
    return Operand(f"<{lanes} x i1>", "splat (i1 true)")


def _masked_load(
    ctx: Context, pointer: Operand, mask: Operand, dtype: DType, alignment: int
) -> Operand:
    """Emit a load of the live lanes; a scalar is loaded as a vector of one lane.

    It does not trap if the lane is masked off.
    """
    ty = memory_type(dtype)
    if dtype.lanes > 1:
        return _read(ctx, "load", pointer, _apart_from_operations(ctx, mask, ty), ty, alignment)
    raw = _read(ctx, "load", pointer, single(ctx, mask), f"<1 x {ty}>", alignment)
    return ctx.w.op(ty, f"extractelement {raw}, i64 0")


def single(ctx: Context, operand: Operand) -> Operand:
    """Emit a scalar as a vector of one lane, which masked instructions require."""
    ty = f"<1 x {operand.ty}>"
    return ctx.w.op(ty, f"insertelement {ty} poison, {operand}, i64 0")


def _read(
    ctx: Context, verb: str, pointer: Operand, mask: Operand, ty: str, alignment: int
) -> Operand:
    name = f"llvm.masked.{verb}.{suffix(ty)}.{suffix(pointer.ty)}"
    ctx.module.declare(name, ty, (pointer.ty, mask.ty, ty))
    aligned = f"{pointer.ty} align {alignment} {pointer.text}"
    return ctx.w.op(ty, f"call {ty} @{name}({aligned}, {mask}, {ty} zeroinitializer)")


_NARROWEST, _WIDEST = 128, 512  # bits of a vector register
_WITH_MASKS = ("i32", "i64", "float", "double")  # lanes of masked multiply-adds
_PURE = "nounwind willreturn memory(none)"


def apart_from_truncation(ctx: Context, raw: Operand) -> Operand:
    """Emit a barrier so that LLVM does not merge a vector with a truncation that produced it.

    For AVX-512, LLVM 22 merges a truncation and a masked store into one masked instruction. If the
    mask is a constant with one live lane, it then stores that lane without truncation, which writes
    too many bytes. An empty inline assembly prevents the merge and costs nothing.
    """
    lanes, ty = lanes_of(raw.ty), lane_type(raw.ty)
    if not (ctx.machine.has("avx512f") and lanes > 1 and ty in ("i8", "i16", "i32")):
        return raw
    bits = int(ty[1:])
    if lanes * bits > _WIDEST:
        halves = [_lanes(ctx, raw, None, range(k, k + lanes // 2)) for k in (0, lanes // 2)]
        near, far = (apart_from_truncation(ctx, half) for half in halves)
        return _lanes(ctx, near, far, range(lanes))
    whole = max(lanes, _NARROWEST // bits)
    wide = raw if whole == lanes else _lanes(ctx, raw, None, range(whole))
    same = ctx.w.op(wide.ty, f'call {wide.ty} asm "", "=v,0"({wide}) {_PURE}')
    return same if whole == lanes else _lanes(ctx, same, None, range(lanes))


def _apart_from_operations(ctx: Context, mask: Operand, ty: str) -> Operand:
    """Emit a copy of a load's mask that LLVM takes for another mask, unless it is a constant.

    For AVX-512, LLVM merges a masked load into an arithmetic instruction with the same mask. Where
    LLVM 22 takes one that overwrites an operand apart again, a multiply-add, it emits a load
    without a mask, which reads masked-off lanes beyond the end of the buffer. Such instructions
    have lanes of 32 or 64 bits. The copy is an empty inline assembly of a mask register.
    """
    lanes = lanes_of(mask.ty)
    most = 64 if ctx.machine.has("avx512bw") else 16 if ctx.machine.has("avx512f") else 0
    if lane_type(ty) not in _WITH_MASKS or lanes > most:
        return mask
    bits, copied = f"i{lanes}", f"i{max(8, 1 << (lanes - 1).bit_length())}"
    known = ctx.w.op(bits, f"bitcast {mask} to {bits}")
    wide = known if bits == copied else ctx.w.op(copied, f"zext {known} to {copied}")
    same = ctx.w.op(copied, f'call {copied} asm "", "=^Yk,0"({wide}) {_PURE}')
    narrow = same if bits == copied else ctx.w.op(bits, f"trunc {same} to {bits}")
    ctx.module.declare(f"llvm.is.constant.{bits}", "i1", (bits,))
    is_constant = ctx.w.op("i1", f"call i1 @llvm.is.constant.{bits}({known})")
    chosen = ctx.w.select(is_constant, known, narrow)
    return ctx.w.op(mask.ty, f"bitcast {chosen} to {mask.ty}")


def _lanes(ctx: Context, near: Operand, far: Operand | None, chosen: Sequence[int]) -> Operand:
    """Emit lanes of two vectors, numbered consecutively; lanes beyond them are undefined."""
    known = lanes_of(near.ty) * (1 if far is None else 2)
    listed = ", ".join(f"i32 {k if k < known else 'poison'}" for k in chosen)
    other = "poison" if far is None else far.text
    operands = f"{near}, {near.ty} {other}, <{len(chosen)} x i32> <{listed}>"
    return ctx.w.op(f"<{len(chosen)} x {lane_type(near.ty)}>", f"shufflevector {operands}")


def write(
    ctx: Context, verb: str, pointer: Operand, mask: Operand, raw: Operand, dtype: DType
) -> None:
    """Emit a masked `store` or `scatter` of the live lanes."""
    name = f"llvm.masked.{verb}.{suffix(raw.ty)}.{suffix(pointer.ty)}"
    ctx.module.declare(name, "void", (raw.ty, pointer.ty, mask.ty))
    aligned = f"{pointer.ty} align {element(dtype).itemsize} {pointer.text}"
    ctx.w.do(f"call void @{name}({raw}, {aligned}, {mask})")
