"""The virtual machine: an interpreter of program code.

Python's stack does not limit the call depth, because call frames are kept in a list.
"""

from collections.abc import Callable, Iterator, Sequence

from relay.runtime.code.execute_instructions import perform
from relay.runtime.code.function import ProgramCode
from relay.runtime.code.heap_blocks import Block, Held
from relay.runtime.code.instructions import (
    CallClosure,
    CallFunction,
    Defer,
    Instruction,
    Register,
    TailCall,
    TailCallClosure,
)
from relay.runtime.code.interpreter_state import CallFrame, RunKernel, State
from relay.runtime.code.printer import function_name, instruction_text
from relay.runtime.code.traps import NO_MEMORY, trapped
from relay.runtime.interruptible_copies import copied
from relay.support.garbage_collector import paused_collector
from relay.support.node import node

_MOST_SHOWN = 8  # elements of a tensor that a step prints
_Action = Callable[[Instruction, State], None]


@node
class Step:
    """An executed instruction: its position, and the register values that it read and wrote.

    `depth` is the call depth. A call writes the parameters of the callee, and a return writes
    registers of the caller.
    """

    function: str
    depth: int
    block: int
    position: int
    instruction: Instruction
    text: str
    read: dict[Register, Held]
    written: dict[Register, Held]

    def __str__(self) -> str:
        place = f"{self.function} b{self.block}:{self.position}"
        return f"{place:<20} {self.text:<50} {_shown(self.read)} -> {_shown(self.written)}"


class Interpreter:
    """An interpreter of one program; several threads may use it simultaneously."""

    def __init__(self, code: ProgramCode) -> None:
        self._code = code
        self._constants = [code.constants.array(entry) for entry in code.constants.table]
        self._actions = [
            [[(_action(each), each) for each in (*block.body, block.end)] for block in f.blocks]
            for f in code.functions
        ]

    def run(self, args: Sequence[Held], run_kernel: RunKernel) -> list[Held]:
        """Run the first function for these arguments; return its results."""
        state = self._begin(args, run_kernel)
        frames, actions = state.frames, self._actions
        try:
            with paused_collector():  # it would traverse all frames and values repeatedly
                while frames:
                    frame = frames[-1]
                    action, instruction = actions[frame.number][frame.block][frame.position]
                    frame.position += 1
                    action(instruction, state)
        except MemoryError:
            raise trapped(self._code.traps, NO_MEMORY) from None
        return state.results

    def steps(self, args: Sequence[Held], run_kernel: RunKernel) -> Iterator[Step]:
        """Run the program, and yield each instruction after it was executed."""
        state = self._begin(args, run_kernel)
        while state.frames:
            yield self._step(state)

    def _begin(self, args: Sequence[Held], run_kernel: RunKernel) -> State:
        state = State(self._code, self._constants, run_kernel)
        state.enter(0, args, ())
        return state

    def _step(self, state: State) -> Step:
        frame, depth = state.frame, len(state.frames)
        block, position = frame.block, frame.position
        action, instruction = self._actions[frame.number][block][position]
        used = dict.fromkeys((*instruction.borrows, *instruction.consumes))
        read = {register: frame.read(register) for register in used}
        frame.position += 1
        action(instruction, state)
        written = _written(instruction, frame, depth, state)
        text = instruction_text(self._code, frame.number, instruction)
        name = function_name(frame.function, frame.number)
        return Step(name, depth, block, position, instruction, text, read, written)


def _action(instruction: Instruction) -> _Action:
    return perform.dispatch(type(instruction))


def _written(
    instruction: Instruction, frame: CallFrame, depth: int, state: State
) -> dict[Register, Held]:
    """Return the registers that an instruction wrote, in the frame where execution continues."""
    calls = CallFunction | CallClosure | Defer | TailCall | TailCallClosure
    if isinstance(instruction, calls):
        return _held(state.frame, range(state.frame.function.parameters))
    if len(state.frames) < depth:
        return (
            _held(state.frame, frame.awaiting) if state.frames else dict(enumerate(state.results))
        )
    return _held(frame, instruction.writes)


def _held(frame: CallFrame, registers: Sequence[Register]) -> dict[Register, Held]:
    return {register: frame.read(register) for register in registers}


def _shown(values: dict[Register, Held]) -> str:
    texts = (f"%{register} = {_brief(held)}" for register, held in values.items())
    return ", ".join(texts) or "nothing"


def _brief(held: Held) -> str:
    if isinstance(held, Block) or held.size <= _MOST_SHOWN:
        return repr(held) if isinstance(held, Block) else str(held.tolist())
    return f"{held.dtype}{list(held.shape)}"


def outside(held: Held) -> Held:
    """Return a result for the caller: tensors are copied."""
    return held if isinstance(held, Block) else copied(held)
