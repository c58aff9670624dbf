"""Generates the LLVM module of a kernel.

The symbol is `i32 name(ptr buffer…, i64 scalar…, ptr workspace)`; it returns 0, the number of the
operator whose index was out of bounds (`relay.kernels.bounds_checks`), or -1 if it was stopped
(`relay.kernels.llvm.interrupt_polls`). Buffers are dense and aligned to their elements only, and
may overlap when the caller computes in place. The workspace is aligned to 64 bytes and may be null
if the kernel needs none. If the size of its workspace depends on its scalars, a kernel also defines
`i64 name.workspace(i64 scalar…, i64 workers)`.
"""

from relay.kernels.cpu_model import CpuModel
from relay.kernels.llvm.bounds_faults import clear_fault_record
from relay.kernels.llvm.buffer_placement import BufferPlan, Size, as_scalar
from relay.kernels.llvm.emit_statements import StatementEmitter
from relay.kernels.llvm.emitter_context import NOWHERE, Context, Options
from relay.kernels.llvm.llvm_writer import FunctionWriter, ModuleWriter, Operand
from relay.kernels.llvm.workspace_sizes import emit_size
from relay.kernels.loops import If, Kernel, Load
from relay.kernels.passes.traverse_statements import is_nothing
from relay.kernels.scalar import Binary, Op, Var
from relay.kernels.traverse_scalars import walk
from relay.support.node import replace


def emit_kernel(
    kernel: Kernel, symbol: str, plan: BufferPlan,
    machine: CpuModel, options: Options, *, inline: bool = False,
) -> str:  # fmt: skip
    """Return the text of an LLVM module that defines a kernel under the name `symbol`.

    With `inline`, the kernel is inlined into its callers, with whose module it must be linked.
    """
    module = ModuleWriter(machine.triple, _attributes(machine))
    module.add(_entry(kernel, symbol, plan, module, machine, options, inline))
    if not isinstance(plan.main, int) or not isinstance(plan.worker, int):
        module.add(_workspace_size(kernel, symbol, plan, module, machine, options))
    return str(module)


def workspace_symbol(symbol: str) -> str:
    """Return the name of the function that computes a kernel's workspace size."""
    return f"{symbol}.workspace"


def _entry(
    kernel: Kernel, symbol: str, plan: BufferPlan,
    module: ModuleWriter, machine: CpuModel, options: Options, inline: bool,
    is_version: bool = False,
) -> str:  # fmt: skip
    listed = _parameters(kernel)
    inlining = " alwaysinline" if inline else " noinline" if is_version else ""
    linkage = "internal " if is_version else ""
    w = FunctionWriter(module, symbol, f"define {linkage}i32 @{symbol}({listed}){inlining}")
    main = Operand("ptr", "%workspace")
    ctx = Context(module, w, machine, options, main if plan.reports else NOWHERE)
    _bind_scalars(ctx, kernel)
    if isinstance(kernel.body, If) and _has_versions(kernel.body) and not inline:
        return _versions(kernel, kernel.body, symbol, plan, ctx)
    emitter = StatementEmitter(ctx, plan, main, None)
    emitter.make_room(plan.main)
    if plan.reports:
        clear_fault_record(ctx)
    for number, buffer in enumerate(kernel.params):
        emitter.place(buffer, Operand("ptr", f"%b{number}"))
    emitter.emit(kernel.body)
    w.do("ret i32 0")
    return w.finish()


def _parameters(kernel: Kernel) -> str:
    """Return the parameters of a kernel as LLVM text."""
    pointers = [f"ptr %b{i}" for i in range(len(kernel.params))]
    scalars = [f"i64 %s{i}" for i in range(len(kernel.scalars))]
    return ", ".join([*pointers, *scalars, "ptr %workspace"])


def _has_versions(choice: If) -> bool:
    """Whether the arguments of a kernel, without its data, decide between two statements."""
    reads_data = any(isinstance(part, Load) for part in walk(choice.condition))
    return not (reads_data or is_nothing(choice.other))


def _versions(kernel: Kernel, choice: If, symbol: str, plan: BufferPlan, ctx: Context) -> str:
    """Return a kernel that calls one of two versions of itself, each a function of its own.

    In one function, a version for small sizes would save and set up what only the other one needs.
    """
    w, listed = ctx.w, _parameters(kernel)
    labels = w.fresh("then"), w.fresh("else")
    test = StatementEmitter(ctx, plan, NOWHERE, None).value(choice.condition)
    w.branch_if(test, *labels)
    for number, (label, body) in enumerate(zip(labels, (choice.then, choice.other), strict=True)):
        name, version = f"{symbol}.{number}", replace(kernel, body=body)
        ctx.module.add(
            _entry(version, name, plan, ctx.module, ctx.machine, ctx.options, False, True)
        )
        w.block(label)
        result = w.op("i32", f"tail call i32 @{name}({listed})")
        w.do(f"ret {result}")
    return w.finish()


def _workspace_size(
    kernel: Kernel, symbol: str, plan: BufferPlan,
    module: ModuleWriter, machine: CpuModel, options: Options,
) -> str:  # fmt: skip
    name = workspace_symbol(symbol)
    scalars = [f"i64 %s{i}" for i in range(len(kernel.scalars))]
    listed = ", ".join([*scalars, "i64 %workers"])
    w = FunctionWriter(module, name, f'define i64 @"{name}"({listed})')
    ctx = Context(module, w, machine, options)
    _bind_scalars(ctx, kernel)
    workers = Var("workers")
    ctx.variables[workers] = Operand("i64", "%workers")
    w.do(f"ret {emit_size(ctx, workspace_total(plan.main, plan.worker, workers))}")
    return w.finish()


def workspace_total(main: Size, worker: Size, workers: Var) -> Binary:
    """Return the bytes of workspace as an expression of the scalars and the number of workers."""
    each = Binary(Op.MUL, as_scalar(worker), workers)
    return Binary(Op.ADD, as_scalar(main), each)


def _bind_scalars(ctx: Context, kernel: Kernel) -> None:
    for number, scalar in enumerate(kernel.scalars):
        ctx.variables[scalar] = Operand("i64", f"%s{number}")


def _attributes(machine: CpuModel) -> str:
    """Return the LLVM attributes of all functions, which set the preferred vector width."""
    bits = machine.vector_bytes * 8
    return f'nounwind "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}"'
