"""LLVM text of one function of program code."""

from relay.build.code import (
    emit_calls,
    emit_deferred_calls,
    emit_kernels,
    emit_operations,
    emit_sizes,
    emit_terminators,
)
from relay.build.code.back_edges import back_edges
from relay.build.code.call_graph import CallGraph
from relay.build.code.emit_instruction import emit
from relay.build.code.emit_stack_check import enter
from relay.build.code.llvm_function_writer import Children, FunctionWriter
from relay.build.code.tail_call_convention import TailCalls
from relay.kernels.cpu_model import CpuModel
from relay.runtime.code.function import ProgramCode
from relay.runtime.code.heap_layout import STOP_OFFSET

EMITTERS = (
    emit_calls,
    emit_deferred_calls,
    emit_kernels,
    emit_operations,
    emit_sizes,
    emit_terminators,
)
"""The modules that register how to emit instructions."""


def function_text(
    program: ProgramCode, index: int, graph: CallGraph,
    children: Children, calls: TailCalls, machine: CpuModel,
) -> str:  # fmt: skip
    """Return the LLVM definition of a function.

    The layouts of the heap blocks that it creates are recorded in `children`.
    """
    to = FunctionWriter(program, index, graph, children, calls, counts_stack=machine.is_wasm)
    to.make_slots()
    if index in graph.recursive:
        enter(to)
        _check_stop(to)
    to.put("br label %b0")
    turning = back_edges(to.function)
    for number, block in enumerate(to.function.blocks):
        to.label(f"b{number}")
        for instruction in block.body:
            emit(instruction, to)
        if number in turning:
            _check_stop(to)
        emit(block.end, to)
    return to.text()


def polls_for_interrupts(program: ProgramCode, graph: CallGraph) -> bool:
    """Whether a program has loops or recursive functions, which poll for interrupts."""
    return bool(graph.recursive) or any(map(back_edges, program.functions))


def _check_stop(to: FunctionWriter) -> None:
    """Write code that polls whether the caller has asked the program to stop."""
    line, look, go = to.at("%ctx", STOP_OFFSET), to.fresh("t"), to.fresh("t")
    word = to.value(f"load volatile i32, ptr {line}")
    wanted = to.value(f"icmp ne i32 {word}, 0")
    to.put(f"br i1 {wanted}, label %{look}, label %{go}, !prof !0")
    to.label(look)
    to.guarded(f"call i32 @relay_look(ptr {line})")
    to.put(f"br label %{go}")
    to.label(go)
