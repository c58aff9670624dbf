"""LLVM text by which a kernel reports an index that is out of bounds.

The first thread that finds such an index writes the fault into the record of the kernel, whose
first word is `number`.
"""

from relay.kernels.bounds_checks import BoundsCheck
from relay.kernels.llvm.emitter_context import Context, constant, splat, zero
from relay.kernels.llvm.llvm_types import with_lanes
from relay.kernels.llvm.llvm_writer import (
    FunctionWriter,
    ModuleWriter,
    Operand,
    lane_type,
    lanes_of,
    suffix,
)
from relay.kernels.llvm.type_conversions import cast
from relay.support.dtype import DType, Kind, int32, int64

_NARROW = 1 << 31

_REPORT = """\
define internal void @outside(ptr %report, i64 %number, i64 %axis, i64 %index, i64 %size) \
cold noinline nounwind {
  %pair = cmpxchg ptr %report, i64 0, i64 %number monotonic monotonic
  %first = extractvalue { i64, i1 } %pair, 1
  br i1 %first, label %write, label %end
write:
  %axis_at = getelementptr i64, ptr %report, i64 1
  %index_at = getelementptr i64, ptr %report, i64 2
  %size_at = getelementptr i64, ptr %report, i64 3
  store i64 %axis, ptr %axis_at
  store i64 %index, ptr %index_at
  store i64 %size, ptr %size_at
  br label %end
end:
  ret void
}"""


def clear_fault_record(ctx: Context) -> None:
    """Emit the clearing of the fault record at the start of a kernel."""
    ctx.w.do(f"store i64 0, {ctx.report}")


def reported(ctx: Context, status: Operand) -> Operand:
    """Emit the status of a kernel after a parallel loop: 0, a fault's number, or -1 if stopped."""
    number = ctx.w.op("i64", f"load i64, {ctx.report}")
    narrow = ctx.w.op("i32", f"trunc {number} to i32")
    return ctx.w.op("i32", f"or {narrow}, {status.text}")


def tested(
    ctx: Context, test: BoundsCheck, index: Operand, size: Operand, mask: Operand | None
) -> Operand:
    """Emit the bounds check of an index; return it, or for a negative one its position.

    The emitted code returns from its function if the index is out of bounds.
    """
    w, lanes, given = ctx.w, test.dtype.lanes, test.index.dtype
    narrow = size.known is not None and size.known < _NARROW
    is_short = given.bits < 32 or (given.bits == 32 and given.kind is Kind.INT)
    working = with_lanes(int32 if narrow and is_short else int64, lanes)
    at = cast(ctx, index, given, working)
    limit = _spread(ctx, size, working)
    found = at
    if test.from_end and given.kind is Kind.INT:
        is_negative = w.icmp("slt", at, zero(working))
        found = w.select(is_negative, w.op(at.ty, f"add {at}, {limit.text}"), at)
    _leave(ctx, test, w.icmp("uge", found, limit), mask, (at, size))
    return cast(ctx, found, working, test.dtype)  # sign-extended: gathers can then use 32 bits


def _spread(ctx: Context, size: Operand, working: DType) -> Operand:
    """Return the axis's size converted to the type and the number of lanes of the checked index."""
    if size.known is not None:
        return constant(working, size.known)
    return size if working.lanes == 1 else splat(ctx, size, working.lanes)


def _leave(
    ctx: Context,
    test: BoundsCheck,
    outside: Operand,
    mask: Operand | None,
    said: tuple[Operand, Operand],
) -> None:
    """Emit the early return, with a fault record, for an index that is out of bounds."""
    w, (at, size) = ctx.w, said
    if mask is not None:
        outside = w.op(outside.ty, f"and {outside}, {mask.text}")
    some = outside
    if lanes_of(outside.ty) > 1:
        some = w.call("i1", f"llvm.vector.reduce.or.{suffix(outside.ty)}", (outside,))
    leave, stay = w.fresh("outside"), w.fresh("inside")
    w.branch_if(some, leave, stay, f", !prof {seldom(ctx.module)}")
    w.block(leave)
    first = at if lanes_of(at.ty) == 1 else _first(w, at, outside)
    wide = first if first.ty == "i64" else w.op("i64", f"sext {first} to i64")
    ctx.module.helper("outside", lambda: _REPORT)
    w.do(f"call void @outside({ctx.report}, i64 {test.number}, i64 {test.axis}, {wide}, {size})")
    w.do(f"ret i32 {test.number}" if ctx.returns else "ret void")
    w.block(stay)


def _first(w: FunctionWriter, index: Operand, outside: Operand) -> Operand:
    """Emit the selection of the first lane of an index that is out of bounds."""
    lanes = lanes_of(index.ty)
    bits = w.op(f"i{lanes}", f"bitcast {outside} to i{lanes}")
    lane = w.call(bits.ty, f"llvm.cttz.i{lanes}", (bits, Operand("i1", "true")))
    return w.op(lane_type(index.ty), f"extractelement {index}, {lane}")


def seldom(module: ModuleWriter) -> str:
    """Return branch-weight metadata: the branch to the first successor is hardly ever taken."""
    return module.metadata('!{!"branch_weights", i32 1, i32 2000}')
