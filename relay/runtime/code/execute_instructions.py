"""Execute the instructions of the virtual machine, with one function for each.

A new instruction needs one function here. Python manages memory: `Retain` does nothing, and
`Release` drops the reference. An instruction that transfers control changes the call frames.
"""

import math
from collections.abc import Iterator
from functools import singledispatch
from typing import TypeAlias

import numpy as np

from relay.runtime.arguments import Array
from relay.runtime.code import instructions as code
from relay.runtime.code import size_instructions as sizes
from relay.runtime.code.heap_blocks import Block, Closure, has_kind
from relay.runtime.code.instructions import Instruction
from relay.runtime.code.interpreter_state import State
from relay.runtime.code.register_kinds import Kind, Object, Tensor
from relay.runtime.code.traps import BAD_SIZE, NO_MEMORY
from relay.runtime.interruptible_copies import copied
from relay.runtime.program import FaultRecord

Kinds: TypeAlias = tuple[Kind, ...]

_OTHER_BLOCK = "reads fields that a data value does not have"


@singledispatch
def perform(instruction: Instruction, state: State) -> None:
    """Execute an instruction; raises a `RunError` if it traps."""
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
    if isinstance(kind, Tensor) and not kind.carried and not isinstance(found, Block):
        found = found.reshape(_shape(kind, iter(())))
    frame.registers[instruction.to] = found


@perform.register
def _run_kernel(instruction: code.RunKernel, state: State) -> None:
    frame = state.frame
    inputs = [frame.array(register) for register in instruction.inputs]
    extents = map(frame.size, instruction.extents)
    no_memory = instruction.trap or NO_MEMORY
    kinds = map(frame.kind, instruction.outputs)
    outputs = [_uninitialised(kind, extents, no_memory, state) for kind in kinds]
    state.run_kernel(instruction, inputs, outputs)
    frame.write(instruction.outputs, outputs)


@perform.register
def _update(instruction: code.Update, state: State) -> None:
    frame = state.frame
    inputs = [frame.array(register) for register in instruction.inputs]
    changed = copied(frame.array(instruction.target))
    state.run_kernel(instruction, inputs, [changed])
    frame.write((instruction.to,), [changed])


def _uninitialised(kind: Kind, extents: Iterator[int], no_memory: int, state: State) -> Array:
    """Return memory for a kernel's result; `extents` has its dynamic sizes.

    `no_memory` is the trap for a result that is too large.
    """
    assert not isinstance(kind, Object), "kernels write tensors"
    if not isinstance(kind, Tensor):
        return np.empty((), kind.dtype.numpy)
    shape = _shape(kind, extents)
    state.trap(BAD_SIZE if min(shape) < 0 else 0)
    try:
        return np.empty(shape, kind.dtype.numpy)
    except (MemoryError, ValueError):  # NumPy raises either for a size that is too large
        raise state.trap_error(no_memory) from None


def _shape(kind: Tensor, extents: Iterator[int]) -> tuple[int, ...]:
    return tuple(next(extents) if size is None else size for size in kind.shape)


# ---- sizes ----------------------------------------------------------------------------------


@perform.register
def _number(instruction: sizes.Number, state: State) -> None:
    _give_size(instruction.to, instruction.number, state)


@perform.register
def _size_of(instruction: sizes.SizeOf, state: State) -> None:
    _give_size(instruction.to, state.frame.array(instruction.source).shape[instruction.axis], state)


@perform.register
def _compute(instruction: sizes.Compute, state: State) -> None:
    left, right = state.frame.size(instruction.left), state.frame.size(instruction.right)
    found = instruction.operation.value_of(left, right)
    state.trap(0 if -(1 << 63) <= found < 1 << 63 else instruction.trap)
    _give_size(instruction.to, found, state)


@perform.register
def _load_element(instruction: sizes.LoadElement, state: State) -> None:
    elements = state.frame.array(instruction.source).reshape(-1)
    state.need(instruction.index < elements.size, "reads a size beyond the end of a shape")
    _give_size(instruction.to, int(elements[instruction.index]), state)


def _give_size(register: int, number: int, state: State) -> None:
    state.frame.registers[register] = np.array(number, np.int64)


@perform.register
def _view(instruction: sizes.View, state: State) -> None:
    frame = state.frame
    kind = frame.kind(instruction.to)
    assert isinstance(kind, Tensor), "views are tensors"
    shape = _shape(kind, map(frame.size, instruction.extents))
    elements = frame.array(instruction.source).reshape(-1)
    state.trap(BAD_SIZE if min(shape) < 0 or math.prod(shape) > elements.size else 0)
    frame.registers[instruction.to] = elements[: math.prod(shape)].reshape(shape)


@perform.register
def _require(instruction: sizes.Require, state: State) -> None:
    left, right = state.frame.size(instruction.left), state.frame.size(instruction.right)
    if not (left >= right if instruction.at_least else left == right):
        raise state.trap_error(instruction.trap, FaultRecord(0, right, left))


# ---- heap -----------------------------------------------------------------------------------


@perform.register
def _construct(instruction: code.Construct, state: State) -> None:
    frame = state.frame
    fields = [frame.read(register) for register in instruction.fields]
    frame.registers[instruction.to] = Block(instruction.tag, fields)


@perform.register
def _load_field(instruction: code.LoadField, state: State) -> None:
    frame = state.frame
    fields, kinds = frame.heap(instruction.source).fields, instruction.layout.kinds
    state.need(len(fields) == len(kinds), _OTHER_BLOCK)
    found = fields[instruction.index]
    state.need(has_kind(kinds[instruction.index], found), _OTHER_BLOCK)
    frame.registers[instruction.to] = found


@perform.register
def _store_field(instruction: code.StoreField, state: State) -> None:
    frame = state.frame
    fields = frame.heap(instruction.target).fields
    state.need(len(fields) == len(instruction.layout.kinds), _OTHER_BLOCK)
    fields[instruction.index] = frame.read(instruction.value)


@perform.register
def _close(instruction: code.Close, state: State) -> None:
    frame = state.frame
    captured = [frame.read(register) for register in instruction.captured]
    frame.registers[instruction.to] = Closure(instruction.function, captured)


@perform.register
def _retain(instruction: code.Retain, state: State) -> None:
    """Do nothing: Python counts references."""


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
    results = tuple(map(frame.kind, instruction.results))
    _check_closure(closure, tuple(map(frame.kind, instruction.args)), results, state)
    args = [closure, *(frame.read(register) for register in instruction.args)]
    state.enter(closure.tag, args, instruction.results)


def _check_closure(closure: Block, args: Kinds, results: Kinds, state: State) -> None:
    """Raise an error unless a closure's function takes `args` and returns values for `results`."""
    state.need(isinstance(closure, Closure), "calls a value that is not a function")
    callee = state.code.functions[closure.tag]
    fits = (args, results) == (callee.kinds[1 : callee.parameters], callee.results)
    state.need(fits, "calls a function with values of wrong types")


@perform.register
def _defer(instruction: code.Defer, state: State) -> None:
    """Run the call immediately: the virtual machine does not defer calls."""
    args = [state.frame.read(register) for register in instruction.inputs]
    state.enter(state.code.tasks[instruction.task].single, args, instruction.outputs)


@perform.register
def _await(instruction: code.Await, state: State) -> None:
    """Do nothing: no calls are deferred."""


@perform.register
def _tail_call(instruction: code.TailCall, state: State) -> None:
    ended = state.frames.pop()
    args = [ended.read(register) for register in instruction.args]
    state.enter(instruction.function, args, ended.awaiting)


@perform.register
def _tail_call_closure(instruction: code.TailCallClosure, state: State) -> None:
    ended = state.frame
    closure = ended.heap(instruction.closure)
    args = tuple(map(ended.kind, instruction.args))
    _check_closure(closure, args, ended.function.results, state)
    state.frames.pop()
    held = [closure, *(ended.read(register) for register in instruction.args)]
    state.enter(closure.tag, held, ended.awaiting)


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
    matching = (block for case, block in instruction.cases if case == tag)
    frame.go(next(matching, instruction.default))


@perform.register
def _return(instruction: code.Return, state: State) -> None:
    frame = state.frame
    state.leave([frame.read(register) for register in instruction.values])


@perform.register
def _trap(instruction: code.Trap, state: State) -> None:
    state.trap(instruction.code)
