"""What each instruction does to the state of a program: its meaning, one function each.

A new instruction needs one function here. Memory is Python's: retaining counts nothing, and
releasing only forgets. An instruction that has the machine go elsewhere changes the frames.
"""

from functools import singledispatch

import numpy as np

from relay.runtime.arguments import Array
from relay.runtime.code import instructions as code
from relay.runtime.code.blocks import Block
from relay.runtime.code.instructions import Instruction
from relay.runtime.code.kinds import Kind, Object, Tensor
from relay.runtime.code.state import State


@singledispatch
def perform(instruction: Instruction, state: State) -> None:
    """Do what an instruction says; raises a `RunError` where the program cannot go on."""
    where = f"{state.frame.function.name}, block {state.frame.block}"
    raise AssertionError(f"the virtual machine does not know {instruction!r} in {where}")


@perform.register
def _load_constant(instruction: code.LoadConstant, state: State) -> None:
    state.frame.registers[instruction.to] = state.constants[instruction.constant]


@perform.register
def _move(instruction: code.Move, state: State) -> None:
    frame = state.frame
    found = frame.read(instruction.source)
    kind = frame.kind(instruction.to)
    if isinstance(kind, Tensor) and not isinstance(found, Block):
        found = found.reshape(kind.shape)
    frame.registers[instruction.to] = found


@perform.register
def _run_kernel(instruction: code.RunKernel, state: State) -> None:
    frame = state.frame
    inputs = [frame.array(register) for register in instruction.inputs]
    outputs = [_room(frame.kind(register)) for register in instruction.outputs]
    state.run_kernel(instruction.kernel, inputs, outputs)
    frame.write(instruction.outputs, outputs)


@perform.register
def _update(instruction: code.Update, state: State) -> None:
    frame = state.frame
    inputs = [frame.array(register) for register in instruction.inputs]
    copy = frame.array(instruction.target).copy()
    state.run_kernel(instruction.kernel, inputs, [copy])
    frame.registers[instruction.to] = copy


def _room(kind: Kind) -> Array:
    """Return memory for a tensor or a number; what is in it does not matter."""
    assert not isinstance(kind, Object), "kernels write tensors"
    return np.empty(kind.shape if isinstance(kind, Tensor) else (), kind.dtype.numpy)


# ---- heap -----------------------------------------------------------------------------------


@perform.register
def _construct(instruction: code.Construct, state: State) -> None:
    frame = state.frame
    fields = [frame.read(register) for register in instruction.fields]
    frame.registers[instruction.to] = Block(instruction.tag, fields)


@perform.register
def _load_field(instruction: code.LoadField, state: State) -> None:
    frame = state.frame
    frame.registers[instruction.to] = frame.heap(instruction.source).fields[instruction.index]


@perform.register
def _store_field(instruction: code.StoreField, state: State) -> None:
    frame = state.frame
    frame.heap(instruction.target).fields[instruction.index] = frame.read(instruction.value)


@perform.register
def _close(instruction: code.Close, state: State) -> None:
    frame = state.frame
    captured = [frame.read(register) for register in instruction.captured]
    frame.registers[instruction.to] = Block(instruction.function, captured)


@perform.register
def _retain(instruction: code.Retain, state: State) -> None:
    """Python counts by itself."""


@perform.register
def _release(instruction: code.Release, state: State) -> None:
    state.frame.registers[instruction.register] = None


# ---- calls ----------------------------------------------------------------------------------


@perform.register
def _call_function(instruction: code.CallFunction, state: State) -> None:
    args = [state.frame.read(register) for register in instruction.args]
    state.enter(instruction.function, args, instruction.results)


@perform.register
def _call_closure(instruction: code.CallClosure, state: State) -> None:
    frame = state.frame
    closure = frame.heap(instruction.closure)
    args = [closure, *(frame.read(register) for register in instruction.args)]
    state.enter(closure.tag, args, instruction.results)


@perform.register
def _tail_call(instruction: code.TailCall, state: State) -> None:
    ended = state.frames.pop()
    args = [ended.read(register) for register in instruction.args]
    state.enter(instruction.function, args, ended.awaiting)


# ---- terminators ----------------------------------------------------------------------------


@perform.register
def _jump(instruction: code.Jump, state: State) -> None:
    frame = state.frame
    frame.write(instruction.to, [frame.read(register) for register in instruction.source])
    frame.go(instruction.block)


@perform.register
def _branch(instruction: code.Branch, state: State) -> None:
    frame = state.frame
    frame.go(instruction.then if frame.array(instruction.condition) else instruction.other)


@perform.register
def _switch(instruction: code.Switch, state: State) -> None:
    frame = state.frame
    tag = frame.heap(instruction.source).tag
    fitting = (block for case, block in instruction.cases if case == tag)
    frame.go(next(fitting, instruction.default))


@perform.register
def _return(instruction: code.Return, state: State) -> None:
    frame = state.frame
    state.leave([frame.read(register) for register in instruction.values])


@perform.register
def _trap(instruction: code.Trap, state: State) -> None:
    state.trap(instruction.code)
