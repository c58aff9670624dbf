"""The state of a running program: its call stack and registers."""

from collections.abc import Sequence
from typing import Protocol

from relay.runtime.arguments import Array
from relay.runtime.code.blocks import Block, Held
from relay.runtime.code.function import CodeFunction, ProgramCode
from relay.runtime.code.instructions import Register, Registers, Update
from relay.runtime.code.instructions import RunKernel as KernelCall
from relay.runtime.code.kinds import Kind
from relay.runtime.code.traps import MOST_CALLS, counted_from, trapped
from relay.runtime.json_fields import malformed
from relay.runtime.program import Outside
from relay.support.errors import RunError


class RunKernel(Protocol):
    """Runs kernels by their numbers."""

    def __call__(
        self,
        number: int,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        sizes: Sequence[int],
        /,
    ) -> int:
        """Run a kernel with run-time sizes; returns 0, or where it stopped."""
        ...

    def report(self) -> Outside | None:
        """Return what the last kernel said that stopped."""
        ...


class CallFrame:
    """One call in progress: its registers, and the instruction that comes next.

    `awaiting` are the registers of the caller that the results go to.
    """

    __slots__ = ("awaiting", "block", "function", "number", "position", "registers")

    def __init__(self, number: int, function: CodeFunction, awaiting: Registers) -> None:
        self.number = number
        self.function = function
        self.registers: list[Held | None] = [None] * len(function.kinds)
        self.block = 0
        self.position = 0
        self.awaiting = awaiting

    def kind(self, register: Register) -> Kind:
        """Return what kind of thing a register holds."""
        return self.function.kinds[register]

    def read(self, register: Register) -> Held:
        """Return what a register holds."""
        found = self.registers[register]
        assert found is not None, "registers are written before they are read"
        return found

    def array(self, register: Register) -> Array:
        """Return the tensor or the number in a register."""
        found = self.read(register)
        assert not isinstance(found, Block), "the register is one of a tensor"
        return found

    def size(self, register: Register) -> int:
        """Return the number in a register."""
        return int(self.array(register)[()])

    def heap(self, register: Register) -> Block:
        """Return the block in a register."""
        found = self.read(register)
        assert isinstance(found, Block), "the register is one of an object"
        return found

    def write(self, registers: Registers, values: Sequence[Held]) -> None:
        """Give registers new values, all at once."""
        for register, found in zip(registers, values, strict=True):
            self.registers[register] = found

    def go(self, block: int) -> None:
        """Go on with a block."""
        self.block = block
        self.position = 0


class State:
    """A program, the frames of its calls, the innermost last, and its results at the end."""

    def __init__(
        self, code: ProgramCode, constants: Sequence[Array], run_kernel: RunKernel
    ) -> None:
        self.code = code
        self.constants = constants
        self.frames: list[CallFrame] = []
        self.results: list[Held] = []
        self._run_kernel = run_kernel

    @property
    def frame(self) -> CallFrame:
        """Return the frame of the innermost call."""
        return self.frames[-1]

    def enter(self, function: int, args: Sequence[Held], awaiting: Registers) -> None:
        """Begin a call; `R050` where too many wait already."""
        if len(self.frames) >= MOST_CALLS:
            raise self.stopped(self.code.functions[function].exhausted)
        frame = CallFrame(function, self.code.functions[function], awaiting)
        frame.registers[: len(args)] = args
        self.frames.append(frame)

    def leave(self, results: Sequence[Held]) -> None:
        """End the innermost call: its results go to whoever made it."""
        ended = self.frames.pop()
        if self.frames:
            self.frame.write(ended.awaiting, results)
        else:
            self.results = list(results)

    def run_kernel(
        self,
        instruction: KernelCall | Update,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
    ) -> None:
        """Run the kernel of an instruction; raises what the program says when it stops."""
        sizes = [self.frame.size(register) for register in instruction.sizes]
        status = self._run_kernel(instruction.kernel, inputs, outputs, sizes)
        if status:
            number = counted_from(instruction.trap, status)
            raise trapped(self.code.traps, number, self._run_kernel.report())

    def trap(self, number: int) -> None:
        """Stop for the reason with that number, if it is one."""
        if number:
            raise self.stopped(number)

    def need(self, holds: bool, otherwise: str) -> None:
        """Refuse code whose instructions do not fit what they meet, which shows as it runs."""
        if not holds:
            raise malformed(f"the function {self.frame.function.name!r} {otherwise}")

    def stopped(self, number: int, report: Outside | None = None) -> RunError:
        """Return the error of a program that stops for a reason."""
        return trapped(self.code.traps, number, report)
