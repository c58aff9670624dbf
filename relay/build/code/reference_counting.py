"""Inserts reference counting (retains and releases) into program code.

Every register owns one reference to its value. An instruction that consumes a register takes over
the reference; if the register is live afterwards, a retain precedes the instruction. A value is
released right after its last use, so that its memory is free for later values.

Reinking, Xie, de Moura, Leijen: Perceus: Garbage Free Reference Counting with Reuse (2021).
"""

from collections import Counter
from collections.abc import Iterable

from relay.build.code.liveness import is_dead, live_at_end, live_before, live_entries
from relay.runtime.code.function import Block, CodeFunction
from relay.runtime.code.instructions import Instruction, Jump, Release, Retain, Terminator
from relay.runtime.code.register_kinds import Scalar
from relay.support.node import replace


def count_references(function: CodeFunction) -> CodeFunction:
    """Return the function with retains and releases, and without dead instructions."""
    return _Counting(function).run()


class _Counting:
    def __init__(self, function: CodeFunction) -> None:
        self._function = function
        self._entries = live_entries(function)
        kinds = enumerate(function.kinds)
        self._counted = {r for r, kind in kinds if not isinstance(kind, Scalar)} - function.frame
        self._dying: list[set[int]] = [set() for _ in function.blocks]  # released as a block starts

    def run(self) -> CodeFunction:
        parameters = set(range(self._function.parameters))
        self._dying[0] |= parameters - self._entries[0]
        for block in self._function.blocks:
            for target in block.end.targets if not isinstance(block.end, Jump) else ():
                leaving = live_at_end(block, self._entries).difference(block.end.consumes)
                self._dying[target] |= leaving - self._entries[target]
        blocks = [self._block(i, block) for i, block in enumerate(self._function.blocks)]
        return replace(self._function, blocks=tuple(blocks))

    def _block(self, index: int, block: Block) -> Block:
        end, reversed_body = self._end(block)
        live = live_at_end(block, self._entries)
        for instruction in reversed(block.body):
            if not is_dead(instruction, live):
                reversed_body += reversed(self._counted_form(instruction, live))
            live = live_before(instruction, live)
        releases = [Release(r) for r in sorted(self._dying[index] & self._counted)]
        return Block((*releases, *reversed(reversed_body)), end)

    def _end(self, block: Block) -> tuple[Terminator, list[Instruction]]:
        """Return the terminator without moves to dead registers, and the retains before it."""
        end = block.end
        if not isinstance(end, Jump):
            after = set[int]().union(*(self._entries[target] for target in end.targets))
            return end, list(self._retains(end.consumes, after))
        live = self._entries[end.block]
        pairs = [(to, s) for to, s in zip(end.to, end.source, strict=True) if to in live]
        jump = Jump(end.block, tuple(to for to, _ in pairs), tuple(s for _, s in pairs))
        return jump, list(self._retains(jump.source, live.difference(jump.to)))

    def _counted_form(self, instruction: Instruction, live: set[int]) -> list[Instruction]:
        """Return an instruction with the retains before it and the releases after it."""
        after = live.difference(instruction.writes)
        kept = after.union(instruction.consumes)
        done = [r for r in instruction.borrows if r not in kept]
        done += [r for r in instruction.writes if r not in live]
        releases = [Release(r) for r in dict.fromkeys(done) if r in self._counted]
        return [*self._retains(instruction.consumes, after), instruction, *releases]

    def _retains(self, consumed: Iterable[int], after: set[int]) -> Iterable[Instruction]:
        """Yield a retain for each consumed reference beyond the one that the register owns."""
        for register, uses in Counter(consumed).items():
            if register in self._counted:
                for _ in range(uses - (register not in after)):
                    yield Retain(register)
