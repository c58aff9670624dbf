"""Print program code as text: functions, blocks, registers with kinds, labels and spans.

```text
fn @main.0(%0: int32, %1: float32[4]) -> (float32[4]) {
b0:
  jump b1
b1:
  %2: bool = run-kernel less, %0
  branch %2, b2, b3
```
"""

import re
from collections.abc import Iterator
from enum import Enum
from functools import singledispatchmethod

from relay.runtime.code import instructions as code
from relay.runtime.code import size_instructions as sizes
from relay.runtime.code.function import Block, CodeFunction, ProgramCode
from relay.runtime.code.instructions import Instruction, Registers
from relay.runtime.program import Constant

_NAMED = ("sizes", "extents")  # fields printed with their names, unlike inputs
_MOST_SHOWN = 8  # elements of a constant that are printed


def program_text(program: ProgramCode) -> str:
    """Return all functions of a program, the entry first, and its constants as text."""
    functions = range(len(program.functions))
    parts = ["\n".join(_Printer(program, index).lines()) for index in functions]
    table = enumerate(program.constants.table)
    constants = "\n".join(_constant(program, index, entry) for index, entry in table)
    return "\n\n".join([*parts, constants] if constants else parts) + "\n"


def instruction_text(program: ProgramCode, function: int, instruction: Instruction) -> str:
    """Return one instruction of a function as text."""
    return _Printer(program, function).line(instruction)


def opcode(instruction: Instruction) -> str:
    """Return the printed name of an instruction: `run-kernel` for `RunKernel`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", type(instruction).__name__).lower()


def _constant(program: ProgramCode, index: int, entry: Constant) -> str:
    size = "" if not entry.shape else f"[{', '.join(map(str, entry.shape))}]"
    array = program.constants.array(entry)
    shown = f" = {array.tolist()}" if array.size <= _MOST_SHOWN else ""
    return f"c{index}: {entry.dtype}{size}{shown}"


def _listed(registers: Registers) -> str:
    return ", ".join(f"%{register}" for register in registers)


class _Printer:
    """A printer of one function; references to kernels and functions are printed by name."""

    def __init__(self, program: ProgramCode, index: int) -> None:
        self._program = program
        self._index = index
        self._function = program.functions[index]

    def lines(self) -> Iterator[str]:
        function = self._function
        parameters = self._typed(tuple(range(function.parameters)))
        results = ", ".join(map(str, function.results))
        yield f"fn {self._name(self._index)}({parameters}) -> ({results}) {{"
        if function.frame:
            yield f"  // in the frame: {_listed(tuple(sorted(function.frame)))}"
        for number, block in enumerate(function.blocks):
            yield from self._block(number, block)
        yield "}"

    def line(self, instruction: Instruction) -> str:
        """Return an instruction as text: its results, its opcode, its operands."""
        text = self._text(instruction)
        return text if isinstance(instruction, code.Jump) else self._written(instruction) + text

    def _block(self, number: int, block: Block) -> Iterator[str]:
        yield f"b{number}:"
        for instruction in (*block.body, block.end):
            yield f"  {self.line(instruction)}"

    def _written(self, instruction: Instruction) -> str:
        return f"{self._typed(instruction.writes)} = " if instruction.writes else ""

    @singledispatchmethod
    def _text(self, instruction: Instruction) -> str:
        """Return the opcode of an instruction and its operands, without its results."""
        names = [n for n in instruction.__match_args__ if n not in instruction.defined]
        operands = [self._operand(instruction, name) for name in names]
        return " ".join([opcode(instruction), ", ".join(filter(None, operands))]).rstrip()

    @_text.register
    def _jump(self, instruction: code.Jump) -> str:
        pairs = zip(instruction.to, instruction.source, strict=True)
        moves = [f"%{to} = %{source}" for to, source in pairs]
        return ", ".join([f"jump b{instruction.block}", *moves])

    @_text.register
    def _branch(self, instruction: code.Branch) -> str:
        return f"branch %{instruction.condition}, b{instruction.then}, b{instruction.other}"

    @_text.register
    def _switch(self, instruction: code.Switch) -> str:
        cases = [f"#{tag}: b{block}" for tag, block in instruction.cases]
        return ", ".join([f"switch %{instruction.source}", *cases, f"else b{instruction.default}"])

    @_text.register
    def _trap(self, instruction: code.Trap) -> str:
        return self._reason(instruction.code)

    @_text.register
    def _require(self, instruction: sizes.Require) -> str:
        relation = ">=" if instruction.at_least else "=="
        needed = f"%{instruction.left} {relation} %{instruction.right}"
        return f"require {needed}, else {self._reason(instruction.trap)}"

    def _reason(self, number: int) -> str:
        """Return the number of a trap, and the error that callers get, as text."""
        found = [trap for trap in self._program.traps if trap.number == number]
        reasons = [f"{t.error}: {t.message}{f' at {t.span}' if t.span else ''}" for t in found]
        return f"trap {number}  // {'; '.join(reasons)}"

    def _operand(self, instruction: Instruction, name: str) -> str:
        given: object = getattr(instruction, name)
        if name in (*instruction.borrowed, *instruction.taken):
            listed = _listed(given if isinstance(given, tuple) else (given,))  # pyright: ignore[reportArgumentType]
            return f"{name} {listed}" if listed and name in _NAMED else listed
        match name, given:
            case "function", int():
                return self._name(given)
            case "kernel", int():
                return self._program.kernels[given].label
            case "trap", int():
                return f"from {self._reason(given)}" if given else ""
            case "constant", int():
                return f"c{given}"
            case "tag", _:
                return f"#{given}"
            case "index", _:
                return f".{given}"
            case _, Enum():
                return str(given.value)
            case _:
                return str(given)

    def _typed(self, registers: Registers) -> str:
        kinds = self._function.kinds
        return ", ".join(f"%{register}: {kinds[register]}" for register in registers)

    def _name(self, index: int) -> str:
        return function_name(self._program.functions[index], index)


def function_name(function: CodeFunction, index: int) -> str:
    """Return the name of a function followed by its index, which makes it unique."""
    return f"@{function.name}.{index}"
