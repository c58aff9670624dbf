"""A builder for one function of program code."""

from collections.abc import Sequence

from relay.runtime.code.function import Block, CodeFunction
from relay.runtime.code.instructions import Instruction, Jump, Registers, Terminator
from relay.runtime.code.register_kinds import Kind


class FunctionBuilder:
    """A builder of a function of program code: its registers, blocks and instructions.

    Instructions are appended to the block entered last.
    """

    def __init__(self, name: str, parameters: Sequence[Kind], results: Sequence[Kind]) -> None:
        self.name = name
        self._kinds = list(parameters)
        self._parameters = len(parameters)
        self.results = tuple(results)
        self._bodies: list[list[Instruction]] = [[]]
        self._ends: list[Terminator | None] = [None]
        self._current = 0

    @property
    def parameters(self) -> Registers:
        """Return the numbers of the registers that hold the parameters."""
        return tuple(range(self._parameters))

    def kind(self, register: int) -> Kind:
        """Return the kind (scalar, tensor or object) of a register."""
        return self._kinds[register]

    def fresh(self, kinds: Sequence[Kind]) -> Registers:
        """Return new registers of these kinds."""
        first = len(self._kinds)
        self._kinds.extend(kinds)
        return tuple(range(first, len(self._kinds)))

    def emit(self, instruction: Instruction) -> None:
        """Append an instruction to the current block."""
        self._bodies[self._current].append(instruction)

    def end(self, terminator: Terminator) -> None:
        """End the current block with a terminator."""
        assert self._ends[self._current] is None, "a block ends once"
        self._ends[self._current] = terminator

    def block(self) -> int:
        """Add an empty block, and return its number."""
        self._bodies.append([])
        self._ends.append(None)
        return len(self._bodies) - 1

    def enter(self, block: int) -> None:
        """Make `block` the current block, to which instructions are appended."""
        self._current = block

    def jump(self, block: int, to: Registers = (), source: Registers = ()) -> None:
        """End the current block with a jump that moves `source` registers to `to`."""
        pairs = [(a, b) for a, b in zip(to, source, strict=True) if a != b]
        self.end(Jump(block, tuple(a for a, _ in pairs), tuple(b for _, b in pairs)))

    def finish(self) -> CodeFunction:
        """Return the finished function."""
        blocks: list[Block] = []
        for body, end in zip(self._bodies, self._ends, strict=True):
            assert end is not None, f"a block of {self.name} has no end"
            blocks.append(Block(tuple(body), end))
        return CodeFunction(
            self.name, tuple(self._kinds), self._parameters, self.results, tuple(blocks)
        )
