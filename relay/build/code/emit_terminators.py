"""LLVM text of the terminators of basic blocks."""

from relay.build.code.emit_instruction import emit
from relay.build.code.emit_stack_check import leave
from relay.build.code.llvm_function_writer import FunctionWriter, slot_types
from relay.runtime.code import instructions as code
from relay.runtime.code.register_kinds import TAGS

_TAG_OFFSET = 6


@emit.register
def _jump(instruction: code.Jump, to: FunctionWriter) -> None:
    moved = [to.get(register) for register in instruction.source]
    for register, found in zip(instruction.to, moved, strict=True):
        to.set(register, found)
    to.put(f"br label %b{instruction.block}")


@emit.register
def _branch(instruction: code.Branch, to: FunctionWriter) -> None:
    (condition,) = to.get(instruction.condition)
    bit = to.value(f"icmp ne i8 {condition}, 0")
    to.put(f"br i1 {bit}, label %b{instruction.then}, label %b{instruction.other}")


@emit.register
def _switch(instruction: code.Switch, to: FunctionWriter) -> None:
    (source,) = to.get(instruction.source)
    tag = _tag(source, to)
    cases = " ".join(f"i64 {value}, label %b{block}" for value, block in instruction.cases)
    to.put(f"switch i64 {tag}, label %b{instruction.default} [ {cases} ]")


def _tag(source: str, to: FunctionWriter) -> str:
    """Write code that reads the constructor tag of a value.

    It is stored in the value's heap block, or is the value itself if that is not a block.
    """
    number = to.value(f"ptrtoint ptr {source} to i64")
    small = to.value(f"icmp ult i64 {number}, {TAGS}")
    begin, block, end = (to.fresh("t") for _ in range(3))
    to.put(f"br label %{begin}")
    to.label(begin)
    to.put(f"br i1 {small}, label %{end}, label %{block}")
    to.label(block)
    short = to.load("i16", to.at(source, _TAG_OFFSET))
    long = to.value(f"zext i16 {short} to i64")
    to.put(f"br label %{end}")
    to.label(end)
    return to.value(f"phi i64 [ {number}, %{begin} ], [ {long}, %{block} ]")


@emit.register
def _return(instruction: code.Return, to: FunctionWriter) -> None:
    for index, register in enumerate(instruction.values):
        types = slot_types(to.kind(register))
        for part, (ty, v) in enumerate(zip(types, to.get(register), strict=True)):
            to.put(f"store {ty} {v}, ptr %r{index}.{part}")
    leave(to)
    to.put("ret i32 0")


@emit.register
def _trap(instruction: code.Trap, to: FunctionWriter) -> None:
    to.put(f"ret i32 {instruction.code}")
