"""Instructions on values and on the heap, as LLVM text."""

from collections.abc import Sequence
from functools import singledispatch

from relay.build.code.function_writer import FunctionWriter, function_name, slot, slot_types
from relay.build.code.heap import size_class
from relay.kernels.llvm.types import memory_type
from relay.runtime.code import instructions as code
from relay.runtime.code.kinds import DATA_OFFSET, Kind, Layout, Scalar, Tensor
from relay.runtime.code.traps import NO_MEMORY

CODE_OFFSET = 16
"""Where a closure's function lies: the last pointer of the header, which only free blocks use."""


@singledispatch
def emit_operation(instruction: code.Instruction, to: FunctionWriter) -> None:
    """Write an instruction that computes or moves values, and goes on with the next."""
    raise AssertionError(f"no native form of {instruction!r} in {to.function.name}")


# ---- values ---------------------------------------------------------------------------------


@emit_operation.register
def _load_constant(instruction: code.LoadConstant, to: FunctionWriter) -> None:
    entry = to.program.constants.table[instruction.constant]
    place = to.at(to.load("ptr", to.context(0)), entry.offset)
    kind = to.kind(instruction.to)
    if isinstance(kind, Scalar):
        place = to.load(memory_type(kind.dtype), place)
    to.set(instruction.to, (place, "null")[: len(slot_types(kind))])


@emit_operation.register
def _move(instruction: code.Move, to: FunctionWriter) -> None:
    to.set(instruction.to, to.get(instruction.source))


@emit_operation.register
def _run_kernel(instruction: code.RunKernel, to: FunctionWriter) -> None:
    for register in instruction.outputs:
        if register not in to.function.frame:
            _make_room(register, to)
    _call_kernel(instruction.kernel, (*instruction.inputs, *instruction.outputs), to)


def _call_kernel(kernel: int, registers: Sequence[int], to: FunctionWriter) -> None:
    pointers = [_elements(register, to) for register in registers]
    pointers.append(to.load("ptr", to.context(1)))
    symbol = to.program.kernels[kernel].symbol
    to.guarded(f"call i32 @{symbol}({', '.join(f'ptr {p}' for p in pointers)})")


@emit_operation.register
def _update(instruction: code.Update, to: FunctionWriter) -> None:
    kind = to.kind(instruction.target)
    assert isinstance(kind, Tensor), "a scalar is no memory"
    number, size = size_class(DATA_OFFSET + kind.nbytes)
    elements, block = to.get(instruction.target)
    own = to.value(
        f"call ptr @relay_own(ptr %ctx, ptr {elements}, ptr {block}, i64 {number}, i64 {size}, "
        f"i64 {kind.nbytes})"
    )
    to.trap_if(to.value(f"icmp eq ptr {own}, null"), NO_MEMORY)
    to.set(instruction.to, (to.at(own, DATA_OFFSET), own))
    _call_kernel(instruction.kernel, (*instruction.inputs, instruction.to), to)


def _make_room(register: int, to: FunctionWriter) -> None:
    kind = to.kind(register)
    if isinstance(kind, Tensor):
        block = to.allocate(DATA_OFFSET + kind.nbytes, 0, "null")
        to.set(register, (to.at(block, DATA_OFFSET), block))


def _elements(register: int, to: FunctionWriter) -> str:
    """Return where a kernel finds what a register holds, or puts it."""
    if isinstance(to.kind(register), Scalar):
        return slot(register, 0)
    return to.get(register)[0]


# ---- heap -----------------------------------------------------------------------------------


@emit_operation.register
def _construct(instruction: code.Construct, to: FunctionWriter) -> None:
    if not instruction.fields:
        to.set(instruction.to, (to.value(f"inttoptr i64 {instruction.tag} to ptr"),))
        return
    to.set(instruction.to, (_new_block(instruction.fields, instruction.tag, to),))


@emit_operation.register
def _close(instruction: code.Close, to: FunctionWriter) -> None:
    block = _new_block(instruction.captured, 0, to)
    name = function_name(to.program.functions[instruction.function], instruction.function)
    to.put(f"store ptr {name}, ptr {to.at(block, CODE_OFFSET)}")
    to.set(instruction.to, (block,))


def _new_block(registers: Sequence[int], tag: int, to: FunctionWriter) -> str:
    """Return a new block whose fields are these registers."""
    layout = Layout(tuple(map(to.kind, registers)))
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


@emit_operation.register
def _load_field(instruction: code.LoadField, to: FunctionWriter) -> None:
    layout, index = instruction.layout, instruction.index
    (block,) = to.get(instruction.source)
    found = _read_field(to.at(block, layout.offsets[index]), layout.kinds[index], to)
    if not isinstance(layout.kinds[index], Scalar):
        to.retain(found[-1])
    to.set(instruction.to, found)


@emit_operation.register
def _store_field(instruction: code.StoreField, to: FunctionWriter) -> None:
    layout, index = instruction.layout, instruction.index
    (block,) = to.get(instruction.target)
    place = to.at(block, layout.offsets[index])
    old = _read_field(place, layout.kinds[index], to)
    _write_field(place, instruction.value, to)
    if not isinstance(layout.kinds[index], Scalar):
        to.release(old[-1])


@emit_operation.register
def _retain(instruction: code.Retain, to: FunctionWriter) -> None:
    to.retain(to.get(instruction.register)[-1])


@emit_operation.register
def _release(instruction: code.Release, to: FunctionWriter) -> None:
    to.release(to.get(instruction.register)[-1])
