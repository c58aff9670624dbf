"""LLVM text of calls of functions and closures, including tail calls."""

from collections.abc import Iterable

from relay.build.code.emit_instruction import emit
from relay.build.code.emit_operations import CODE_OFFSET
from relay.build.code.emit_stack_check import leave
from relay.build.code.llvm_function_writer import FunctionWriter, function_name, slot, slot_types
from relay.runtime.code import instructions as code
from relay.runtime.code.function import CodeFunction


@emit.register
def _call_function(instruction: code.CallFunction, to: FunctionWriter) -> None:
    callee = to.program.functions[instruction.function]
    name = function_name(callee, instruction.function)
    args = [*_arguments(instruction.args, to), *_places(instruction.results, to)]
    to.guarded(f"{_call_prefix(to)} i32 {name}({', '.join(args)})")


@emit.register
def _call_closure(instruction: code.CallClosure, to: FunctionWriter) -> None:
    function, args = _closure_operands(instruction.closure, instruction.args, to)
    args += _places(instruction.results, to)
    to.guarded(f"{_call_prefix(to)} i32 {function}({', '.join(args)})")


def _call_prefix(to: FunctionWriter) -> str:
    """Return the first words of an LLVM call, not a tail call: `notail` and the convention.

    Without `notail`, LLVM may turn an infinite recursion into a loop, which uses no stack and so
    never traps.
    """
    marker = "notail call" if to.index in to.graph.recursive else "call"
    return f"{marker} {to.calls.convention}"


@emit.register
def _tail_call_closure(instruction: code.TailCallClosure, to: FunctionWriter) -> None:
    """Write a tail call of a closure, whose callee is unknown at compile time.

    It cannot be a required tail call: see `_same_machine_types`.
    """
    function, args = _closure_operands(instruction.closure, instruction.args, to)
    args += [f"ptr {place}" for place in to.result_places()]
    leave(to)
    ended = to.value(f"tail call {to.calls.convention} i32 {function}({', '.join(args)})")
    to.put(f"ret i32 {ended}")


def _closure_operands(
    closure: code.Register, args: code.Registers, to: FunctionWriter
) -> tuple[str, list[str]]:
    """Return the address of a closure's function, and the LLVM arguments of its parameters."""
    (block,) = to.get(closure)
    function = to.load("ptr", to.at(block, CODE_OFFSET))
    return function, _arguments((closure, *args), to)


@emit.register
def _tail_call(instruction: code.TailCall, to: FunctionWriter) -> None:
    callee = to.program.functions[instruction.function]
    name = function_name(callee, instruction.function)
    places = [f"ptr {place}" for place in to.result_places()]
    args = ", ".join([*_arguments(instruction.args, to), *places])
    circular = to.graph.in_one_cycle(to.index, instruction.function)
    must = circular and not to.function.frame and _same_machine_types(to.function, callee)
    marker = to.calls.required if must else "tail"
    leave(to)
    to.put(f"ret i32 {to.value(f'{marker} call {to.calls.convention} i32 {name}({args})')}")


def _same_machine_types(caller: CodeFunction, callee: CodeFunction) -> bool:
    """Whether two functions take the same machine types, so that one can reuse the other's frame.

    If they differ, LLVM may reject a `musttail` call. A `tail` call with this calling convention
    reuses the caller's frame all the same, and moves the arguments as needed.
    """
    return _passed(caller) == _passed(callee)


def _passed(function: CodeFunction) -> list[str]:
    kinds = function.kinds[: function.parameters]
    return [ty for kind in kinds for ty in slot_types(kind)]


def _arguments(registers: Iterable[int], to: FunctionWriter) -> list[str]:
    found = ["ptr %ctx"]
    for register in registers:
        types = slot_types(to.kind(register))
        found += [f"{ty} {v}" for ty, v in zip(types, to.get(register), strict=True)]
    return found


def _places(registers: Iterable[int], to: FunctionWriter) -> list[str]:
    """Return the LLVM arguments that pass the stack slots of the registers for a call's results."""
    return [
        f"ptr {slot(register, part)}"
        for register in registers
        for part in range(len(slot_types(to.kind(register))))
    ]
