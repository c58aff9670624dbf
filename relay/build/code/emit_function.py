"""One function of program code as LLVM text."""

from relay.build.code.calls import CallGraph
from relay.build.code.emit_calls import emit_call
from relay.build.code.emit_kernels import emit_kernel_call, emit_update
from relay.build.code.emit_operations import emit_operation
from relay.build.code.emit_sizes import emit_size
from relay.build.code.emit_stack import enter
from relay.build.code.emit_terminators import emit_terminator
from relay.build.code.emit_waiting import emit_waiting
from relay.build.code.function_writer import Children, FunctionWriter
from relay.build.code.native_text import STOP_OFFSET
from relay.kernels.machine import Machine
from relay.runtime.code.function import Code
from relay.runtime.code.instructions import (
    Await,
    CallClosure,
    CallFunction,
    Defer,
    Instruction,
    Jump,
    RunKernel,
    TailCall,
    TailCallClosure,
    Terminator,
    Update,
)
from relay.runtime.code.sizes import SizeInstruction
from relay.runtime.code.traps import INTERRUPTED


def function_text(
    program: Code, index: int, graph: CallGraph, children: Children, machine: Machine
) -> str:
    """Return the definition of a function; what its blocks refer to is noted in `children`."""
    to = FunctionWriter(program, index, graph, children, counts_stack=machine.is_wasm)
    to.make_slots()
    if index in graph.recursive:
        enter(to)
        _check_stop(to)
    to.put("br label %b0")
    for number, block in enumerate(to.function.blocks):
        to.label(f"b{number}")
        for instruction in block.body:
            _emit(instruction, to)
        if _turns_back(block.end, number):
            _check_stop(to)
        _emit(block.end, to)
    return to.text()


def looks_at_stop(program: Code, graph: CallGraph) -> bool:
    """Whether a program, by its loops or circles, ever looks at the word that stops it."""
    blocks = (each for function in program.functions for each in enumerate(function.blocks))
    return bool(graph.recursive) or any(_turns_back(block.end, n) for n, block in blocks)


def _turns_back(end: Terminator, number: int) -> bool:
    """Whether control goes back to a block that it came from."""
    return isinstance(end, Jump) and end.block <= number


def _check_stop(to: FunctionWriter) -> None:
    """Stop if the caller says so: looked at in every turn of a loop, and every call in a circle."""
    word = to.value(f"load volatile i32, ptr {to.at('%ctx', STOP_OFFSET)}")
    to.trap_if(to.value(f"icmp ne i32 {word}, 0"), INTERRUPTED)


def _emit(instruction: Instruction, to: FunctionWriter) -> None:
    match instruction:
        case CallFunction() | CallClosure() | TailCall() | TailCallClosure():
            emit_call(instruction, to)
        case RunKernel():
            emit_kernel_call(instruction, to)
        case Update():
            emit_update(instruction, to)
        case SizeInstruction():
            emit_size(instruction, to)
        case Defer() | Await():
            emit_waiting(instruction, to)
        case Terminator():
            emit_terminator(instruction, to)
        case _:
            emit_operation(instruction, to)
