"""Generates the LLVM module of a kernel.

The symbol is `i32 name(ptr buffer…, i64 scalar…, ptr workspace)`; it returns 0, the number of the
operator whose index was out of bounds (`relay.kernels.bounds_checks`), or -1 if it was stopped
(`relay.kernels.llvm.interrupt_polls`). Buffers are dense and aligned to their elements only, and
may overlap when the caller computes in place. The workspace is aligned to 64 bytes and may be null
if the kernel needs none. If the size of its workspace depends on its scalars, a kernel also defines
`i64 name.workspace(i64 scalar…, i64 workers)`.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias, TypeGuard

from relay.kernels.cpu_model import CpuModel
from relay.kernels.llvm import buffer_placement
from relay.kernels.llvm.bounds_faults import clear_fault_record
from relay.kernels.llvm.buffer_placement import BufferPlan, as_scalar
from relay.kernels.llvm.emit_statements import StatementEmitter, has_serial_version
from relay.kernels.llvm.emitter_context import NOWHERE, Context, Options, index
from relay.kernels.llvm.llvm_writer import FunctionWriter, ModuleWriter, Operand
from relay.kernels.llvm.workspace_sizes import emit_size
from relay.kernels.loops import For, If, Kernel, Load, Mode, Stmt
from relay.kernels.passes.tighten_loop_bounds import conjuncts
from relay.kernels.passes.traverse_statements import is_nothing
from relay.kernels.scalar import Binary, Compare, Const, Op, Order, Scalar, Size, Var
from relay.kernels.traverse_scalars import walk
from relay.support.node import node, replace

_Sizes: TypeAlias = tuple[tuple[Size, int], ...]
"""Sizes and their values."""


def emit_kernel(
    kernel: Kernel, symbol: str, plan: BufferPlan,
    machine: CpuModel, options: Options, *, inline: bool = False,
) -> str:  # fmt: skip
    """Return the text of an LLVM module that defines a kernel under the name `symbol`.

    With `inline`, the kernel is inlined into its callers, with whose module it must be linked.
    """
    module = ModuleWriter(machine.triple, _attributes(machine))
    writer = _VersionWriter(module, plan, machine, options)
    writer.add(_Version(kernel, symbol, " alwaysinline" if inline else ""), inline=inline)
    if not isinstance(plan.main, int) or not isinstance(plan.worker, int):
        module.add(_workspace_size(kernel, symbol, plan, module, machine, options))
    return str(module)


def emit_specialisation(
    kernel: Kernel, symbol: str, general: str, numbers: Sequence[int],
    machine: CpuModel, *, measures: bool,
) -> str:  # fmt: skip
    """Return the text of an LLVM module in which a kernel calls another one with more scalars.

    `numbers` are the values of these. The kernel also computes the size of its workspace if it
    `measures`.
    """
    module = ModuleWriter(machine.triple, _attributes(machine))
    pointers = ["ptr"] * len(kernel.params)
    scalars = [*(f"i64 %s{i}" for i in range(len(kernel.scalars))), *(f"i64 {n}" for n in numbers)]
    types = ["i64"] * len(scalars)
    module.declare(general, "i32", [*pointers, *types, "ptr"])
    w = FunctionWriter(module, symbol, f"define i32 @{symbol}({_parameters(kernel)})")
    listed = ", ".join([*(f"ptr %b{i}" for i in range(len(pointers))), *scalars, "ptr %workspace"])
    w.do(f"ret {w.op('i32', f'tail call i32 @{general}({listed})')}")
    module.add(w.finish())
    if measures:
        name, measured = workspace_symbol(symbol), workspace_symbol(general)
        module.declare(measured, "i64", [*types, "i64"])
        own = ", ".join([*scalars[: len(kernel.scalars)], "i64 %workers"])
        w = FunctionWriter(module, name, f"define i64 @{name}({own})")
        listed = ", ".join([*scalars, "i64 %workers"])
        w.do(f"ret {w.op('i64', f'tail call i64 @{measured}({listed})')}")
        module.add(w.finish())
    return str(module)


def workspace_symbol(symbol: str) -> str:
    """Return the name of the function that computes a kernel's workspace size."""
    return f"{symbol}.workspace"


@node
class _Version:
    """A function for some sizes of a kernel's arguments, of which `sizes` are known.

    With `on_threads`, threads share the loop that is its body.
    """

    kernel: Kernel
    symbol: str
    attributes: str = ""
    sizes: _Sizes = ()
    on_threads: bool = False

    def of(
        self, body: Stmt, name: str, sizes: _Sizes = (), *, on_threads: bool = False
    ) -> "_Version":
        """Return a version within this one, which is a function of its own."""
        kernel, symbol = replace(self.kernel, body=body), f"{self.symbol}.{name}"
        return _Version(kernel, symbol, " noinline", (*self.sizes, *sizes), on_threads)


class _VersionWriter:
    """A writer of the functions of one kernel: of all its versions."""

    def __init__(
        self, module: ModuleWriter, plan: BufferPlan, machine: CpuModel, options: Options
    ) -> None:
        self._module = module
        self._plan = plan
        self._machine = machine
        self._options = options

    def add(self, version: _Version, *, inline: bool = False) -> None:
        """Add the function of a version, after those of the versions within it."""
        kernel, plan = version.kernel, self._plan
        loop = kernel.body if not inline and _is_shared(kernel.body) else None
        if loop is not None and not version.on_threads:
            plan = plan.without_polls()
        linkage = "internal " if version.attributes == " noinline" else ""
        head = f"i32 @{version.symbol}({_parameters(kernel)}){version.attributes}"
        w = FunctionWriter(self._module, version.symbol, f"define {linkage}{head}")
        main = Operand("ptr", "%workspace")
        report = main if plan.reports else NOWHERE
        ctx = Context(self._module, w, self._machine, self._options, report)
        _bind_scalars(ctx, kernel, version.sizes)
        if isinstance(kernel.body, If) and _has_versions(kernel.body) and not inline:
            self._choose(version, kernel.body, ctx)
        elif loop is not None and version.on_threads:
            _emitter(ctx, kernel, plan).on_threads(loop)
            w.do("ret i32 0")
        elif loop is not None:
            self._leave_to_threads(version, loop, ctx)
            _emitter(ctx, kernel, plan).alone(loop)
            w.do("ret i32 0")
        else:
            _emitter(ctx, kernel, plan).emit(kernel.body)
            w.do("ret i32 0")
        self._module.add(w.finish())

    def _leave_to_threads(self, version: _Version, loop: For, ctx: Context) -> None:
        """Emit the test whether threads share a kernel's loop, and a tail call for this case.

        The called function has the closure and the arguments of the pool in its frame; for small
        sizes, the kernel then needs no frame.
        """
        assert loop.shared is not None, "sizes decide whether threads share the loop"
        test = StatementEmitter(ctx, self._plan, NOWHERE, None).value(loop.shared)
        shared, alone = ctx.w.fresh("shared"), ctx.w.fresh("alone")
        ctx.w.branch_if(test, shared, alone)
        ctx.w.block(shared)
        self._call(version.of(loop, "threads", on_threads=True), ctx)
        ctx.w.block(alone)

    def _choose(self, version: _Version, choice: If, ctx: Context) -> None:
        """Emit calls of one of two versions, each a function of its own.

        In one function, a version for small sizes would save and set up what only the other one
        needs. A version for one value of a size has it as a constant.
        """
        labels = ctx.w.fresh("then"), ctx.w.fresh("else")
        test = StatementEmitter(ctx, self._plan, NOWHERE, None).value(choice.condition)
        ctx.w.branch_if(test, *labels)
        sides = (choice.then, _equal_sizes(choice.condition)), (choice.other, ())
        for number, (label, (body, sizes)) in enumerate(zip(labels, sides, strict=True)):
            ctx.w.block(label)
            self._call(version.of(body, str(number), sizes), ctx)

    def _call(self, version: _Version, ctx: Context) -> None:
        """Add the function of a version, and emit a tail call of it."""
        self.add(version)
        call = f"tail call i32 @{version.symbol}({_parameters(version.kernel)})"
        ctx.w.do(f"ret {ctx.w.op('i32', call)}")


def _emitter(ctx: Context, kernel: Kernel, plan: BufferPlan) -> StatementEmitter:
    """Return an emitter of a function's statements, after emitting its beginning."""
    emitter = StatementEmitter(ctx, plan, Operand("ptr", "%workspace"), None)
    emitter.make_room(plan.main)
    if plan.reports:
        clear_fault_record(ctx)
    for number, buffer in enumerate(kernel.params):
        emitter.place(buffer, Operand("ptr", f"%b{number}"))
    return emitter


def _parameters(kernel: Kernel) -> str:
    """Return the parameters of a kernel as LLVM text."""
    pointers = [f"ptr %b{i}" for i in range(len(kernel.params))]
    scalars = [f"i64 %s{i}" for i in range(len(kernel.scalars))]
    return ", ".join([*pointers, *scalars, "ptr %workspace"])


def _has_versions(choice: If) -> bool:
    """Whether the arguments of a kernel, without its data, decide between two statements."""
    reads_data = any(isinstance(part, Load) for part in walk(choice.condition))
    return not (reads_data or is_nothing(choice.other))


def _is_shared(body: Stmt) -> TypeGuard[For]:
    """Whether a kernel is one parallel loop, and sizes decide whether threads share it."""
    return isinstance(body, For) and body.mode is Mode.PARALLEL and has_serial_version(body)


def _equal_sizes(test: Scalar) -> _Sizes:
    """Return the sizes that are equal to a number if a test holds."""
    found: list[tuple[Size, int]] = []
    for part in conjuncts(test):
        match part:
            case Compare(order=Order.EQ, a=Size() as size, b=Const(value=int() as number)):
                found.append((size, number))
            case _:
                pass
    return tuple(found)


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


def workspace_total(
    main: buffer_placement.Size, worker: buffer_placement.Size, workers: Var
) -> Binary:
    """Return the bytes of workspace as an expression of the scalars and the number of workers."""
    each = Binary(Op.MUL, as_scalar(worker), workers)
    return Binary(Op.ADD, as_scalar(main), each)


def _bind_scalars(ctx: Context, kernel: Kernel, sizes: Iterable[tuple[Size, int]] = ()) -> None:
    """Bind the kernel's scalar arguments, those in `sizes` to constants."""
    for number, scalar in enumerate(kernel.scalars):
        ctx.variables[scalar] = Operand("i64", f"%s{number}")
    for size, value in sizes:
        ctx.variables[size] = index(value)


def _attributes(machine: CpuModel) -> str:
    """Return the LLVM attributes of all functions, which set the preferred vector width."""
    bits = machine.vector_bytes * 8
    return f'nounwind "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}"'
