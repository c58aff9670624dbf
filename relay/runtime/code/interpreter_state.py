"""The state of the virtual machine while a program runs: call stack and registers."""

from collections.abc import Sequence
from typing import Protocol

from relay.runtime.arguments import Array
from relay.runtime.code.function import CodeFunction, ProgramCode
from relay.runtime.code.heap_blocks import Block, Held
from relay.runtime.code.instructions import Register, Registers, Update
from relay.runtime.code.instructions import RunKernel as KernelCall
from relay.runtime.code.register_kinds import Kind
from relay.runtime.code.traps import MOST_CALLS, counted_from, trapped
from relay.runtime.json_fields import malformed
from relay.runtime.program import FaultRecord
from relay.support.errors import RunError


class RunKernel(Protocol):
    """The interface of a function that runs kernels by number."""

    def __call__(
        self,
        number: int,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        sizes: Sequence[int],
        /,
    ) -> int:
        """Run a kernel with run-time sizes; return 0, or the number of its trap."""
        ...

    def report(self) -> FaultRecord | None:
        """Return the fault record of the last kernel that trapped."""
        ...


class CallFrame:
    """The frame of one call: its registers, and the position of the next instruction.

    `awaiting` are the registers of the caller that receive the results.
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
        """Return the kind of a register."""
        return self.function.kinds[register]

    def read(self, register: Register) -> Held:
        """Return the value in a register."""
        found = self.registers[register]
        assert found is not None, "registers are written before they are read"
        return found

    def array(self, register: Register) -> Array:
        """Return the tensor or scalar in a register."""
        found = self.read(register)
        assert not isinstance(found, Block), "the register is one of a tensor"
        return found

    def size(self, register: Register) -> int:
        """Return the size in a register."""
        return int(self.array(register)[()])

    def heap(self, register: Register) -> Block:
        """Return the heap block in a register."""
        found = self.read(register)
        assert isinstance(found, Block), "the register is one of an object"
        return found

    def write(self, registers: Registers, values: Sequence[Held]) -> None:
        """Assign values to registers."""
        for register, found in zip(registers, values, strict=True):
            self.registers[register] = found

    def go(self, block: int) -> None:
        """Continue execution at the start of a block."""
        self.block = block
        self.position = 0


class State:
    """A running program: its call frames, innermost last, and finally its results."""

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
        """Push a frame for a call; raises `R050` if the call stack is full."""
        if len(self.frames) >= MOST_CALLS:
            raise self.trap_error(self.code.functions[function].exhausted)
        frame = CallFrame(function, self.code.functions[function], awaiting)
        frame.registers[: len(args)] = args
        self.frames.append(frame)

    def leave(self, results: Sequence[Held]) -> None:
        """Pop the innermost frame, and write its results to the caller's registers."""
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
        """Run the kernel of an instruction; raises the error of its trap."""
        sizes = [self.frame.size(register) for register in instruction.sizes]
        status = self._run_kernel(instruction.kernel, inputs, outputs, sizes)
        if status:
            number = counted_from(instruction.trap, status)
            raise trapped(self.code.traps, number, self._run_kernel.report())

    def trap(self, number: int) -> None:
        """Raise the error of the trap with this number; 0 is not a trap."""
        if number:
            raise self.trap_error(number)

    def need(self, holds: bool, otherwise: str) -> None:
        """Raise the error for malformed code unless `holds`; `otherwise` describes it."""
        if not holds:
            raise malformed(f"the function {self.frame.function.name!r} {otherwise}")

    def trap_error(self, number: int, report: FaultRecord | None = None) -> RunError:
        """Return the error of the trap with this number; `report` is its fault record, if any."""
        return trapped(self.code.traps, number, report)
