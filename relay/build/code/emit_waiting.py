"""Calls that wait, as LLVM text: each is a block on the heap with its inputs and its outputs.

The *level* of a call is one more than the highest level of the calls that make its inputs, so that
calls of one level can be carried out at once. See `waiting.ll`.
"""

from functools import singledispatch

from relay.build.code.emit_operations import new_block
from relay.build.code.function_writer import FunctionWriter, owner
from relay.build.code.heap import size_class
from relay.runtime.code import instructions as code
from relay.runtime.code.kinds import DATA_OFFSET, LEVEL_OFFSET, Layout, Tensor


@singledispatch
def emit_waiting(instruction: code.Instruction, to: FunctionWriter) -> None:
    """Write an instruction that lets a call wait, or that waits for calls."""
    raise AssertionError(f"no native form of {instruction!r} in {to.function.name}")


@emit_waiting.register
def _defer(instruction: code.Defer, to: FunctionWriter) -> None:
    level = to.value(f"add i64 1, {_highest_level(instruction.inputs, to)}")
    for register in instruction.outputs:
        kind = to.kind(register)
        assert isinstance(kind, Tensor), "numbers do not wait"
        to.set(register, to.allocate_tensor(kind, ()))
        block = owner(kind, to.get(register))
        to.put(f"store i64 {level}, ptr {to.at(block, LEVEL_OFFSET)}")
        to.retain(block)
    registers = (*instruction.inputs, *instruction.outputs)
    block = new_block(registers, 0, to)
    made = [kind for kind in map(to.kind, instruction.outputs) if isinstance(kind, Tensor)]
    nbytes = sum(size_class(DATA_OFFSET + kind.nbytes)[1] for kind in made)
    nbytes += Layout(tuple(map(to.kind, registers))).nbytes
    arguments = f"ptr {block}, i64 {instruction.task}, i64 {level}, i64 {nbytes}"
    to.guarded(f"call i32 @relay_defer(ptr %ctx, {arguments})")


@emit_waiting.register
def _await(instruction: code.Await, to: FunctionWriter) -> None:
    level = _highest_level(instruction.registers, to)
    late = to.value(f"icmp sgt i64 {level}, {_done(to)}")
    wait, ready = to.fresh("w"), to.fresh("w")
    to.put(f"br i1 {late}, label %{wait}, label %{ready}")
    to.label(wait)
    to.guarded("call i32 @relay_await(ptr %ctx)")
    to.put(f"br label %{ready}")
    to.label(ready)


def _highest_level(registers: code.Registers, to: FunctionWriter) -> str:
    """Return the highest level of tensors, at least that up to which all is done."""
    level = _done(to)
    for register in registers:
        kind = to.kind(register)
        if isinstance(kind, Tensor):
            own = to.value(f"call i64 @relay_level(ptr {owner(kind, to.get(register))})")
            level = to.value(f"call i64 @llvm.smax.i64(i64 {level}, i64 {own})")
    return level


def _done(to: FunctionWriter) -> str:
    return to.value("call i64 @relay_done(ptr %ctx)")
