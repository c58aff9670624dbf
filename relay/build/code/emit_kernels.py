"""LLVM text of kernel calls: result buffers, sizes and scratch memory."""

from collections.abc import Iterator, Sequence

from relay.build.code.emit_instruction import emit
from relay.build.code.llvm_function_writer import FunctionWriter, slot
from relay.kernels.llvm.emit_kernel_module import workspace_symbol
from relay.runtime.code.function import KernelUse, ProgramCode
from relay.runtime.code.instructions import RunKernel, Update
from relay.runtime.code.register_kinds import DATA_OFFSET, Scalar, Tensor
from relay.runtime.code.traps import NO_MEMORY
from relay.support.kernel_error_record import RECORD_BYTES


def kernel_declarations(code: ProgramCode) -> Iterator[str]:
    """Yield the LLVM declarations of each kernel and of its workspace function."""
    for symbol, use in {use.symbol: use for use in code.kernels}.items():
        pointers, sizes = ["ptr"] * use.pointers, ["i64"] * use.sizes
        yield f"declare i32 @{symbol}({', '.join([*pointers, *sizes, 'ptr'])})"
        if use.measures:
            measure = workspace_symbol(symbol)
            yield f'declare i64 @"{measure}"({", ".join([*sizes, "i64"])})'
    if any(use.measures for use in code.kernels):
        yield "@relay_threads = external global i64"


@emit.register
def _run_kernel(instruction: RunKernel, to: FunctionWriter) -> None:
    """Write code that allocates the results of a kernel and calls it."""
    extents = iter(instruction.extents)
    for register in instruction.outputs:
        kind = to.kind(register)
        if isinstance(kind, Tensor) and register not in to.function.frame:
            sizes = [to.get(next(extents))[0] for _ in kind.carried]
            no_memory = instruction.trap or NO_MEMORY
            if register in to.wanted:
                _allocate_at_destination(register, kind, sizes, no_memory, to)
            else:
                to.set(register, to.allocate_tensor(kind, sizes, no_memory))
    registers = (*instruction.inputs, *instruction.outputs)
    _call_kernel(instruction, registers, to)


def _allocate_at_destination(
    register: int, kind: Tensor, sizes: Sequence[str], no_memory: int, to: FunctionWriter
) -> None:
    """Write code that uses the address the caller wants for a result, or allocates a block."""
    place = to.load("ptr", f"%r{to.wanted[register]}.0")
    anywhere = to.value(f"icmp eq ptr {place}, null")
    new, given, end = to.fresh("p"), to.fresh("p"), to.fresh("p")
    to.put(f"br i1 {anywhere}, label %{new}, label %{given}")
    to.label(new)
    to.set(register, to.allocate_tensor(kind, sizes, no_memory))
    to.put(f"br label %{end}")
    to.label(given)
    to.set(register, (place, "null", *sizes))
    to.put(f"br label %{end}")
    to.label(end)


@emit.register
def _update(instruction: Update, to: FunctionWriter) -> None:
    """Write code that updates a tensor: in place, or a copy of it if others refer to the tensor."""
    kind = to.kind(instruction.target)
    assert isinstance(kind, Tensor), "a scalar is no memory"
    elements, block, *extents = to.get(instruction.target)
    own = to.value(
        f"call ptr @relay_own(ptr %ctx, ptr {elements}, ptr {block}, "
        f"i64 {to.block_bytes(kind, extents)})"
    )
    to.trap_if(to.value(f"icmp eq ptr {own}, null"), NO_MEMORY)
    to.mark_made(own)
    to.set(instruction.to, (to.at(own, DATA_OFFSET), own, *extents))
    _call_kernel(instruction, (*instruction.inputs, instruction.to), to)


def _call_kernel(
    instruction: RunKernel | Update, registers: Sequence[int], to: FunctionWriter
) -> None:
    use = to.program.kernels[instruction.kernel]
    numbers = [to.get(register)[0] for register in instruction.sizes]
    pointers = [_elements(register, to) for register in registers]
    if use.measures:
        status = _call_with_own_workspace(use, pointers, numbers, to)
    else:
        workspace = to.load("ptr", to.context(1))
        status = to.value(_call(use, pointers, numbers, workspace))
    to.pass_on_kernel(status, instruction.trap)


def _call(use: KernelUse, pointers: Sequence[str], sizes: Sequence[str], workspace: str) -> str:
    args = [*(f"ptr {p}" for p in pointers), *(f"i64 {s}" for s in sizes), f"ptr {workspace}"]
    return f"call i32 @{use.symbol}({', '.join(args)})"


def _call_with_own_workspace(
    use: KernelUse, pointers: Sequence[str], sizes: Sequence[str], to: FunctionWriter
) -> str:
    """Write a kernel call with a workspace that is allocated for the call only.

    The fault record at its start is a copy, and is copied back after the call.
    """
    threads = to.load("i64", "@relay_threads")
    given = ", ".join(f"i64 {size}" for size in (*sizes, threads))
    needed = to.value(f'call i64 @"{workspace_symbol(use.symbol)}"({given})')
    room = to.value(f"call i64 @llvm.umax.i64(i64 {needed}, i64 {RECORD_BYTES})")
    block = to.allocate_bytes(to.value(f"add i64 {room}, {DATA_OFFSET}"))
    workspace = to.at(block, DATA_OFFSET)
    record = to.load("ptr", to.context(1))
    _copy_record(workspace, record, to)
    status = to.value(_call(use, pointers, sizes, workspace))
    _copy_record(record, workspace, to)
    to.release(block)
    return status


def _copy_record(target: str, source: str, to: FunctionWriter) -> None:
    given = f"ptr {target}, ptr {source}, i64 {RECORD_BYTES}, i1 false"
    to.put(f"call void @llvm.memcpy.p0.p0.i64({given})")


def _elements(register: int, to: FunctionWriter) -> str:
    """Return the address of the elements that a register holds."""
    if isinstance(to.kind(register), Scalar):
        return slot(register, 0)
    return to.get(register)[0]
