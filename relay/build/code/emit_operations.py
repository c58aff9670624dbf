"""LLVM text of instructions on values and heap blocks."""

from collections.abc import Sequence

from relay.build.code.emit_instruction import emit
from relay.build.code.llvm_function_writer import (
    FunctionWriter,
    function_name,
    owner,
    slot_types,
)
from relay.kernels.llvm.llvm_types import memory_type
from relay.runtime.code import instructions as code
from relay.runtime.code.register_kinds import BlockLayout, Kind, Scalar

CODE_OFFSET = 16
"""The offset of a closure's function: the last pointer of the header, used in free blocks only."""


# ---- values ---------------------------------------------------------------------------------


@emit.register
def _load_constant(instruction: code.LoadConstant, to: FunctionWriter) -> None:
    entry = to.program.constants.table[instruction.constant]
    place = to.at(to.load("ptr", to.context(0)), entry.offset)
    kind = to.kind(instruction.to)
    if isinstance(kind, Scalar):
        place = to.load(memory_type(kind.dtype), place)
    to.set(instruction.to, (place, "null")[: len(slot_types(kind))])


@emit.register
def _move(instruction: code.Move, to: FunctionWriter) -> None:
    to.set(instruction.to, to.get(instruction.source))


# ---- heap -----------------------------------------------------------------------------------


@emit.register
def _construct(instruction: code.Construct, to: FunctionWriter) -> None:
    if not instruction.fields:
        to.set(instruction.to, (to.value(f"inttoptr i64 {instruction.tag} to ptr"),))
        return
    to.set(instruction.to, (new_block(instruction.fields, instruction.tag, to),))


@emit.register
def _close(instruction: code.Close, to: FunctionWriter) -> None:
    block = new_block(instruction.captured, 0, to)
    name = function_name(to.program.functions[instruction.function], instruction.function)
    to.put(f"store ptr {name}, ptr {to.at(block, CODE_OFFSET)}")
    to.set(instruction.to, (block,))


def new_block(registers: Sequence[int], tag: int, to: FunctionWriter) -> str:
    """Write code that creates a heap block whose fields are these registers; return its address."""
    layout = BlockLayout(tuple(map(to.kind, registers)))
    block = to.allocate(layout.nbytes, tag, to.children.of(layout))
    for register, offset in zip(registers, layout.offsets, strict=True):
        _write_field(to.at(block, offset), register, to)
    return block


def _write_field(place: str, register: int, to: FunctionWriter) -> None:
    types = slot_types(to.kind(register))
    for part, (ty, found) in enumerate(zip(types, to.get(register), strict=True)):
        to.put(f"store {ty} {found}, ptr {to.at(place, 8 * part)}")


def _read_field(place: str, kind: Kind, to: FunctionWriter) -> list[str]:
    types = enumerate(slot_types(kind))
    return [to.load(ty, to.at(place, 8 * part)) for part, ty in types]


@emit.register
def _load_field(instruction: code.LoadField, to: FunctionWriter) -> None:
    layout, index = instruction.layout, instruction.index
    (block,) = to.get(instruction.source)
    kind = layout.kinds[index]
    found = _read_field(to.at(block, layout.offsets[index]), kind, to)
    if not isinstance(kind, Scalar):
        to.retain(owner(kind, found))
    to.set(instruction.to, found)


@emit.register
def _store_field(instruction: code.StoreField, to: FunctionWriter) -> None:
    layout, index = instruction.layout, instruction.index
    (block,) = to.get(instruction.target)
    place, kind = to.at(block, layout.offsets[index]), layout.kinds[index]
    old = _read_field(place, kind, to)
    _write_field(place, instruction.value, to)
    if not isinstance(kind, Scalar):
        to.release(owner(kind, old))


@emit.register
def _retain(instruction: code.Retain, to: FunctionWriter) -> None:
    to.retain(owner(to.kind(instruction.register), to.get(instruction.register)))


@emit.register
def _release(instruction: code.Release, to: FunctionWriter) -> None:
    to.release(owner(to.kind(instruction.register), to.get(instruction.register)))
