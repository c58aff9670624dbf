"""LLVM text by which a kernel that runs long polls whether its call must stop.

The record in the workspace has the address of the call's control block. While the first word of
that is 0, a poll is a load and a branch. Otherwise the thread that runs the kernel asks the
callback in the record, and the other threads of a parallel loop check whether it must stop.
"""

from relay.kernels.llvm.bounds_faults import seldom
from relay.kernels.llvm.cold_functions import cold_convention
from relay.kernels.llvm.emitter_context import Context
from relay.kernels.llvm.llvm_writer import Operand
from relay.support.kernel_error_record import CALL_OFFSET, LOOK_OFFSET, STOPPED

# The callback changes nothing that the kernel reads.
_STOPS = f"""\
define internal {{convention}} i1 @stops(ptr %record, ptr %call, i64 %worker) \
cold noinline nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) {{
  %is_caller = icmp eq i64 %worker, 0
  br i1 %is_caller, label %caller, label %other
caller:
  %look_at = getelementptr i8, ptr %record, i64 {LOOK_OFFSET}
  %look = load ptr, ptr %look_at
  %silent = icmp eq ptr %look, null
  br i1 %silent, label %stop, label %ask
ask:
  %answer = call i32 %look(ptr %call)
  %goes_on = icmp eq i32 %answer, 0
  br i1 %goes_on, label %go, label %stop
other:
  %stopped_at = getelementptr i8, ptr %call, i64 4
  %stopped = load atomic i32, ptr %stopped_at monotonic, align 4
  %runs = icmp eq i32 %stopped, 0
  br i1 %runs, label %go, label %stop
stop:
  store atomic i64 {STOPPED}, ptr %record monotonic, align 8
  ret i1 true
go:
  ret i1 false
}}"""

WORKER = Operand("i64", "%worker")
"""The operand with the thread's number in the body of a parallel loop."""


def find_call(ctx: Context) -> None:
    """Emit, at a function's beginning, a load of the control block's address into the context."""
    at = ctx.w.op("ptr", f"getelementptr i8, {ctx.report}, i64 {CALL_OFFSET}")
    ctx.call = ctx.w.op("ptr", f"load ptr, {at}")


def poll(ctx: Context) -> None:
    """Emit a poll; the function returns early if the call must stop."""
    w = ctx.w
    # Not volatile, so that LLVM keeps its knowledge about other memory.
    word = w.op("i32", f"load atomic i32, {ctx.call} unordered, align 4")
    asked, stop, go = w.fresh("asked"), w.fresh("stop"), w.fresh("go")
    unlikely = f", !prof {seldom(ctx.module)}"
    w.branch_if(w.icmp("ne", word, Operand("i32", "0")), asked, go, unlikely)
    w.block(asked)
    convention = cold_convention(ctx.machine)
    ctx.module.helper("stops", lambda: _STOPS.replace("{convention}", convention))
    worker = Operand("i64", "0", 0) if ctx.returns else WORKER
    arguments = ctx.report, ctx.call, worker
    w.branch_if(w.invoke("i1", "stops", arguments, convention), stop, go)
    w.block(stop)
    w.do(f"ret i32 {STOPPED}" if ctx.returns else "ret void")
    w.block(go)
