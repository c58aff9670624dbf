"""Validate program code from untrusted files and from the compiler.

Indices must refer to existing entities, registers must be written before they are read, and
operands must have the kinds that their instruction requires. An instruction with additional
requirements needs one function here; the common checks apply to all instructions.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, singledispatch
from heapq import heappop, heappush

from relay.runtime.code import instructions as code
from relay.runtime.code import size_instructions as sizes
from relay.runtime.code.function import Block, CodeFunction, ProgramCode
from relay.runtime.code.instructions import Instruction, Registers
from relay.runtime.code.register_kinds import SIZE, Kind, Object, Scalar, Tensor
from relay.runtime.code.traps import STACK_EXHAUSTED
from relay.runtime.json_fields import malformed
from relay.support.dtype import dtype

_TRUTH = Scalar(dtype("bool"))


def check_code(program: ProgramCode) -> None:
    """Raise `A006` if program code is invalid."""
    if not program.functions:
        raise malformed("there is no code")
    for function in program.functions:
        _Checking(program, function).run()
    _check_tasks(program)


def _check_tasks(program: ProgramCode) -> None:
    numbers = {number for task in program.tasks for number in task.all_functions}
    if not numbers <= set(range(len(program.functions))):
        raise malformed("a task refers to a function that does not exist")


class _Checking:
    """A validator of one function."""

    def __init__(self, program: ProgramCode, function: CodeFunction) -> None:
        self.program = program
        self.function = function

    def run(self) -> None:
        self.need(bool(self.function.blocks), "has no blocks")
        self.need(
            self.function.parameters <= len(self.function.kinds), "has parameters without registers"
        )
        self._kinds_are_proper()
        self._frame()
        if self.function.exhausted != STACK_EXHAUSTED:
            self.trap(self.function.exhausted)
        for block in self.function.blocks:
            ends_early = any(isinstance(each, code.Terminator) for each in block.body)
            self.need(not ends_early, "has a block that does not end with its terminator")
            for instruction in (*block.body, block.end):
                self._common(instruction)
                check(instruction, self)
        self._written_first()

    def need(self, holds: bool, otherwise: str) -> None:
        """Raise `A006` unless the condition `holds`; `otherwise` completes the message."""
        if not holds:
            raise malformed(f"the function {self.function.name!r} {otherwise}")

    def in_range(self, numbers: Iterable[int], count: int, what: str) -> None:
        """Require indices of at least 0 and less than `count`; `what` names them in the message."""
        self.need(
            all(0 <= number < count for number in numbers), f"refers to {what} that do not exist"
        )

    def kinds(self, registers: Registers) -> tuple[Kind, ...]:
        """Return the kinds of registers in this function."""
        return tuple(self.function.kinds[register] for register in registers)

    def same(self, a: Sequence[Kind], b: Sequence[Kind]) -> None:
        """Require that two lists of kinds are equal."""
        self.need(tuple(a) == tuple(b), "passes a value of a wrong type")

    def tensors(self, registers: Registers) -> None:
        """Require that registers hold tensors or scalars."""
        self.need(
            not any(isinstance(kind, Object) for kind in self.kinds(registers)),
            "uses a data value as a tensor",
        )

    def kernel(self, call: code.RunKernel | code.Update, outputs: Registers) -> None:
        """Require that a kernel exists and that its operands have the right kinds."""
        self.in_range((call.kernel,), len(self.program.kernels), "kernels")
        use = self.program.kernels[call.kernel]
        counts = (len(call.inputs), len(outputs), len(call.sizes))
        expected = (len(use.inputs), len(use.outputs), use.sizes)
        self.need(counts == expected, f"calls {use.label} with a wrong number of values")
        self.tensors((*call.inputs, *outputs))
        self.same(use.inputs, self.kinds(call.inputs))
        self.same(use.outputs, self.kinds(outputs))
        if call.trap:
            self.trap(call.trap)

    def trap(self, number: int) -> None:
        """Require that a trap with this number exists."""
        self.need(number in self._traps, "refers to an error that does not exist")

    @cached_property
    def _traps(self) -> frozenset[int]:
        return frozenset(trap.number for trap in self.program.traps)

    def extents(self, tensors: Registers, given: Registers) -> None:
        """Require that `given` has one size register for each dynamic size of the tensors."""
        kinds = self.kinds(tensors)
        wanted = sum(len(kind.carried) for kind in kinds if isinstance(kind, Tensor))
        self.need(wanted == len(given), "gives tensors too many or too few sizes")

    def callee(self, number: int) -> CodeFunction:
        """Return a function of the program by its index, which must exist."""
        self.in_range((number,), len(self.program.functions), "functions")
        return self.program.functions[number]

    def call(self, number: int, args: Registers, results: Sequence[Kind]) -> None:
        """Require that arguments and results have the kinds of the called function."""
        callee = self.callee(number)
        self.same(self.kinds(args), callee.kinds[: callee.parameters])
        self.same(results, callee.results)

    def field(self, layout: code.BlockLayout, index: int, register: int) -> None:
        """Require that a register has the kind of a field of a block."""
        self.in_range((index,), len(layout.kinds), "fields")
        self.same((layout.kinds[index],), self.kinds((register,)))

    def _kinds_are_proper(self) -> None:
        known = {*self.function.kinds, *self.function.results}
        proper = not any(isinstance(kind, Tensor) and not kind.shape for kind in known)
        self.need(proper, "has a tensor without axes that is not a number")

    def _frame(self) -> None:
        """Require that registers in `frame` hold static tensors that never escape."""
        frame = self.function.frame
        self.in_range(frame, len(self.function.kinds), "registers")
        kinds = self.kinds(tuple(frame))
        fixed = all(isinstance(kind, Tensor) and not kind.carried for kind in kinds)
        seen = set(range(self.function.parameters))
        for block in self.function.blocks:
            seen.update(*map(_seen_by_others, (*block.body, block.end)))
        self.need(
            fixed and seen.isdisjoint(frame),
            "keeps on the stack a tensor that may outlive the call",
        )

    def _common(self, instruction: Instruction) -> None:
        used = (*instruction.borrows, *instruction.consumes, *instruction.writes)
        self.in_range(used, len(self.function.kinds), "registers")
        numbers = self.kinds(instruction.registers_in(instruction.integers))
        self.need(
            all(kind == SIZE for kind in numbers), "uses a value that is not an integer as a size"
        )
        objects = self.kinds(instruction.registers_in(instruction.objects))
        are_blocks = all(isinstance(kind, Object) for kind in objects)
        self.need(are_blocks, "uses a number or a tensor as a data value")
        if isinstance(instruction, code.Terminator):
            self.in_range(instruction.targets, len(self.function.blocks), "blocks")

    def _written_first(self) -> None:
        """Require that each register is written before it is read, on every path.

        Blocks are numbered nearly in the order in which they run, so that those with small numbers
        are checked first: few of them must be checked again. Sets of registers are integers.
        """
        blocks = self.function.blocks
        known = {0: _bits(range(self.function.parameters))}
        pending = [0]
        while pending:
            number = heappop(pending)
            while pending and pending[0] == number:
                heappop(pending)
            written = self._through(blocks[number], known[number])
            for target in blocks[number].end.targets:
                now = known.get(target, written) & written
                if known.get(target) != now:
                    known[target] = now
                    heappush(pending, target)

    def _through(self, block: Block, written: int) -> int:
        """Return the registers that are written at the end of a block."""
        for instruction in (*block.body, block.end):
            read = _bits((*instruction.borrows, *instruction.consumes))
            self.need(not read & ~written, "reads a value before it is computed")
            written |= _bits(instruction.writes)
            if isinstance(instruction, code.Release):
                written &= ~_bits((instruction.register,))
        return written


def _bits(registers: Iterable[int]) -> int:
    found = 0
    for register in registers:
        found |= 1 << register
    return found


def _seen_by_others(instruction: Instruction) -> Registers:
    """Return an instruction's registers whose tensors escape, so they cannot be in the frame."""
    match instruction:
        case code.RunKernel():
            return ()
        case code.Update():
            return (instruction.target, instruction.to)
        case _:
            return (*instruction.borrows, *instruction.consumes, *instruction.writes)


@singledispatch
def check(instruction: Instruction, checking: _Checking) -> None:
    """Raise `A006` if the indices or operand kinds of an instruction are invalid."""
    del instruction, checking  # most instructions have no requirements beyond their registers


@check.register
def _load_constant(instruction: code.LoadConstant, checking: _Checking) -> None:
    table = checking.program.constants.table
    checking.in_range((instruction.constant,), len(table), "constants")
    entry = table[instruction.constant]
    kind = Tensor(entry.shape, entry.dtype) if entry.shape else Scalar(entry.dtype)
    checking.same((kind,), checking.kinds((instruction.to,)))


@check.register
def _move(instruction: code.Move, checking: _Checking) -> None:
    to, source = checking.kinds((instruction.to, instruction.source))
    if isinstance(to, Tensor) and isinstance(source, Tensor) and to is not source:
        checking.need(
            not (to.carried or source.carried), "changes the type of a tensor of dynamic size"
        )
        fits = to.dtype is source.dtype and to.nbytes == source.nbytes
        checking.need(fits, "reshapes a tensor to another number of elements")
    else:
        checking.same((to,), (source,))


@check.register
def _run_kernel(instruction: code.RunKernel, checking: _Checking) -> None:
    checking.kernel(instruction, instruction.outputs)
    checking.extents(instruction.outputs, instruction.extents)


@check.register
def _update(instruction: code.Update, checking: _Checking) -> None:
    checking.kernel(instruction, (instruction.to,))
    target, to = checking.kinds((instruction.target, instruction.to))
    checking.need(isinstance(target, Tensor), "updates a value that is not a tensor")
    checking.same((target,), (to,))


@check.register
def _size_of(instruction: sizes.SizeOf, checking: _Checking) -> None:
    (kind,) = checking.kinds((instruction.source,))
    carried = kind.carried if isinstance(kind, Tensor) else ()
    checking.need(
        instruction.axis in carried, "reads a dynamic size of a tensor that does not have it"
    )


@check.register
def _load_element(instruction: sizes.LoadElement, checking: _Checking) -> None:
    (kind,) = checking.kinds((instruction.source,))
    known = not isinstance(kind, Object) and kind.dtype.is_integer
    count = kind.least_elements if isinstance(kind, Tensor) and not kind.carried else 1
    checking.need(known and instruction.index < count, "reads a size beyond the end of a shape")


@check.register
def _view(instruction: sizes.View, checking: _Checking) -> None:
    to, source = checking.kinds((instruction.to, instruction.source))
    views = isinstance(to, Tensor) and isinstance(source, Tensor) and to.dtype is source.dtype
    checking.need(views, "reshapes a value that is not a tensor of these elements")
    checking.extents((instruction.to,), instruction.extents)


@check.register
def _require(instruction: sizes.Require, checking: _Checking) -> None:
    checking.trap(instruction.trap)


@check.register
def _load_field(instruction: code.LoadField, checking: _Checking) -> None:
    checking.field(instruction.layout, instruction.index, instruction.to)


@check.register
def _store_field(instruction: code.StoreField, checking: _Checking) -> None:
    checking.field(instruction.layout, instruction.index, instruction.value)


@check.register
def _close(instruction: code.Close, checking: _Checking) -> None:
    callee = checking.callee(instruction.function)
    held = callee.parameters > 0 and isinstance(callee.kinds[0], Object)
    checking.need(
        held, "makes a function value of a function without a parameter for captured values"
    )
    captured = checking.kinds(instruction.captured)
    for layout in _layouts_of_closure(callee):
        checking.same(layout.kinds, captured)


def _layouts_of_closure(callee: CodeFunction) -> Iterator[code.BlockLayout]:
    """Yield the block layouts with which a function reads its own closure."""
    instructions = [each for block in callee.blocks for each in (*block.body, block.end)]
    if not any(0 in each.writes for each in instructions):
        for each in instructions:
            if isinstance(each, code.LoadField) and each.source == 0:
                yield each.layout


@check.register
def _call_function(instruction: code.CallFunction, checking: _Checking) -> None:
    results = checking.kinds(instruction.results)
    checking.call(instruction.function, instruction.args, results)


@check.register
def _defer(instruction: code.Defer, checking: _Checking) -> None:
    tasks = checking.program.tasks
    checking.in_range((instruction.task,), len(tasks), "tasks")
    results = checking.kinds(instruction.outputs)
    checking.call(tasks[instruction.task].single, instruction.inputs, results)


@check.register
def _tail_call(instruction: code.TailCall, checking: _Checking) -> None:
    checking.call(instruction.function, instruction.args, checking.function.results)


@check.register
def _jump(instruction: code.Jump, checking: _Checking) -> None:
    checking.same(checking.kinds(instruction.to), checking.kinds(instruction.source))


@check.register
def _branch(instruction: code.Branch, checking: _Checking) -> None:
    is_truth = checking.kinds((instruction.condition,)) == (_TRUTH,)
    checking.need(is_truth, "branches on a value that is not a bool")


@check.register
def _return(instruction: code.Return, checking: _Checking) -> None:
    checking.same(checking.kinds(instruction.values), checking.function.results)


@check.register
def _trap(instruction: code.Trap, checking: _Checking) -> None:
    checking.trap(instruction.code)
