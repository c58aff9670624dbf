"""LLVM text of deferred calls, which are added to batches instead of executed.

The *level* of a call is one more than the highest level among its inputs, so that all calls of one
level are independent and can be flushed together. See `c/batches.c` of the runtime.
"""

from relay.build.code.batch_layout import BatchLayout
from relay.build.code.emit_batches import defer_arguments
from relay.build.code.emit_instruction import emit
from relay.build.code.llvm_function_writer import FunctionWriter, owner, slot
from relay.runtime.code import instructions as code
from relay.runtime.code.register_kinds import Tensor


@emit.register
def _defer(instruction: code.Defer, to: FunctionWriter) -> None:
    level = to.value(f"add i64 1, {_highest_level(instruction.inputs, to)}")
    given = [part for register in instruction.inputs for part in to.get(register)]
    given += [slot(register, part) for register in instruction.outputs for part in (0, 1)]
    layout = BatchLayout(to.program, to.program.tasks[instruction.task])
    pairs = zip(defer_arguments(layout), given, strict=True)
    arguments = ", ".join(["ptr %ctx", f"i64 {level}", *(f"{ty} {part}" for ty, part in pairs)])
    to.guarded(f"call i32 @relay_defer{instruction.task}({arguments})")


@emit.register
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
    """Write code that computes the highest level of the tensors in these registers.

    The level that is already flushed is returned if it is higher.
    """
    level = _done(to)
    for register in registers:
        kind = to.kind(register)
        if isinstance(kind, Tensor):
            own = to.value(f"call i64 @relay_level(ptr {owner(kind, to.get(register))})")
            level = to.value(f"call i64 @llvm.smax.i64(i64 {level}, i64 {own})")
    return level


def _done(to: FunctionWriter) -> str:
    return to.value("call i64 @relay_done(ptr %ctx)")
