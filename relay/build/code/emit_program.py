"""Lowering of a whole program from program code to LLVM.

Every function is `i32 name(ptr context, parameter…, ptr result…)`. A tensor is two pointers, its
elements and the block that owns them; an object is one. A return value of zero is success; any
other value is the number of a trap, which every caller passes on. Each register has a stack slot,
which LLVM promotes to machine registers.
"""

from collections.abc import Iterator

from relay.build.code.call_graph import call_graph
from relay.build.code.emit_entry import boundary_text, keeps_heap
from relay.build.code.emit_flush import tasks_text
from relay.build.code.emit_function import function_text
from relay.build.code.emit_kernels import kernel_declarations
from relay.build.code.llvm_function_writer import Children
from relay.build.code.native_runtime import support_text
from relay.build.code.stack_overflow_locations import exhausted_from
from relay.build.code.tail_call_convention import tail_calls
from relay.kernels.cpu_model import CpuModel
from relay.runtime.code.function import ProgramCode


def program_text(code: ProgramCode, machine: CpuModel) -> str:
    """Return the LLVM text of a program: its functions, its heap, and its entry `relay_run`."""
    parts = [f'target triple = "{machine.triple}"', *kernel_declarations(code)]
    calls = tail_calls(machine)
    graph = call_graph(code.functions)
    children = Children()
    indices = range(len(code.functions))
    parts += [function_text(code, index, graph, children, calls, machine) for index in indices]
    parts += ["\n".join(_children(offsets, name)) for offsets, name in children.names.items()]
    support = support_text(
        code,
        machine,
        keep=keeps_heap(code),
        recursive=bool(graph.recursive),
        exhausted_from=exhausted_from(code),
    )
    parts += [boundary_text(code, calls.convention), support]
    if code.tasks:
        parts += tasks_text(code, calls.convention)
    return "\n".join(parts)


def _children(offsets: tuple[int, ...], name: str) -> Iterator[str]:
    """Write the LLVM function `name`, which releases the references in a heap block.

    The references are at these `offsets`.
    """
    yield f"define internal void @{name}(ptr %ctx, ptr %block) {{"
    for number, offset in enumerate(offsets):
        yield f"  %a{number} = getelementptr i8, ptr %block, i64 {offset}"
        yield f"  %p{number} = load ptr, ptr %a{number}"
        yield f"  call void @relay_release(ptr %ctx, ptr %p{number})"
    yield from ("  ret void", "}")
