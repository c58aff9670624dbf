"""Liveness analysis of registers in program code."""

from collections.abc import Iterable

from relay.runtime.code.function import Block, CodeFunction
from relay.runtime.code.instructions import (
    Close,
    Construct,
    Defer,
    Instruction,
    Jump,
    LoadConstant,
    LoadField,
    Move,
    RunKernel,
    Update,
)
from relay.runtime.code.size_instructions import Compute, LoadElement, Number, SizeOf, View

_PURE = (
    LoadConstant, Move, RunKernel, Update, Defer, Construct, LoadField, Close,
    Number, SizeOf, Compute, LoadElement, View,
)  # fmt: skip


def is_dead(instruction: Instruction, live: set[int]) -> bool:
    """Whether an instruction has no effect and unused results.

    `live` are the registers that are live after it.
    """
    return isinstance(instruction, _PURE) and live.isdisjoint(instruction.writes)


def live_before(instruction: Instruction, live: set[int]) -> set[int]:
    """Return the registers live before an instruction, given those live after it."""
    if is_dead(instruction, live):
        return live
    return live.difference(instruction.writes).union(instruction.borrows, instruction.consumes)


def live_at_end(block: Block, entries: list[set[int]]) -> set[int]:
    """Return the registers live before a block's terminator; moves to dead ones do not count."""
    end = block.end
    if isinstance(end, Jump):
        after = entries[end.block]
        moved = {s for to, s in zip(end.to, end.source, strict=True) if to in after}
        return after.difference(end.to) | moved
    after = set[int]().union(*(entries[target] for target in end.targets))
    return after.union(end.borrows, end.consumes)


def live_entries(function: CodeFunction) -> list[set[int]]:
    """Return the registers that are live at the start of each block."""
    entries: list[set[int]] = [set() for _ in function.blocks]
    callers = _predecessors(function.blocks)
    pending = set(range(len(function.blocks)))
    while pending:
        index = max(pending)  # later blocks first: most edges lead forward
        pending.remove(index)
        live = live_at_end(function.blocks[index], entries)
        for instruction in reversed(function.blocks[index].body):
            live = live_before(instruction, live)
        if live != entries[index]:
            entries[index] = live
            pending.update(callers[index])
    return entries


def _predecessors(blocks: Iterable[Block]) -> list[set[int]]:
    found: list[set[int]] = [set() for _ in blocks]
    for index, block in enumerate(blocks):
        for target in block.end.targets:
            found[target].add(index)
    return found
