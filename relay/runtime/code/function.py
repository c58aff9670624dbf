"""Functions of program code, and complete programs."""

from relay.runtime.code.instructions import Instruction, Terminator
from relay.runtime.code.register_kinds import Kind
from relay.runtime.code.traps import STACK_EXHAUSTED
from relay.runtime.program import Constants, Trap
from relay.support.node import Value, node, value


@value
class Block(Value):
    """A basic block: a sequence of instructions, and a terminator."""

    body: tuple[Instruction, ...]
    end: Terminator


@node
class CodeFunction:
    """A function; `kinds` are the kinds of its registers, the first of which are parameters.

    Execution starts at block 0. `results` are the kinds of the values that `Return` returns.
    Registers in `frame` are tensors that do not escape the running call, so they need no heap
    memory. `exhausted` is the trap for a stack overflow in the function.
    """

    name: str
    kinds: tuple[Kind, ...]
    parameters: int
    results: tuple[Kind, ...]
    blocks: tuple[Block, ...]
    frame: frozenset[int] = frozenset()
    exhausted: int = STACK_EXHAUSTED


@value
class KernelUse(Value):
    """A kernel that program code calls: symbol, label, and kinds of operands and results.

    `sizes` is the number of its run-time size arguments. If `measures` is true, the symbol with the
    suffix `.workspace` returns the workspace bytes for these sizes and a number of workers.
    """

    symbol: str
    label: str
    inputs: tuple[Kind, ...]
    outputs: tuple[Kind, ...]
    sizes: int = 0
    measures: bool = False

    @property
    def pointers(self) -> int:
        """Return the number of tensor arguments: inputs, then outputs."""
        return len(self.inputs) + len(self.outputs)

    @property
    def symbols(self) -> tuple[str, ...]:
        """Return the symbols of the native functions of the kernel."""
        return (self.symbol, f"{self.symbol}.workspace") if self.measures else (self.symbol,)


@value
class Task(Value):
    """The functions that compute deferred calls of one function, a batched region.

    All fields are numbers of functions, inputs, results, constants and tasks.

    - `single` is the function that computes one call, and `many` the one that computes any number
      of calls: its results, and its inputs except the `shared` ones, have a new leading axis.
      `shared` inputs are equal in all calls.
    - `once`, if there is one, is a cheaper version of `many`, for calls whose `uniform` inputs are
      equal, too, and whose `fixed` inputs are certain constants: pairs of an input and a constant.
    - `rows`: if the `fixed` inputs of a call are these constants, some results are rows of tables.
      An entry is the result, the constant with the table, and the input with the row number. If all
      results are rows, the call is not deferred. A task with `rows` has no `once`.
    - `indirect` are the inputs that `many` takes as lists of addresses, one for each call.
    - `row_inputs` are pairs of an input and a constant table. If all of these inputs are the rows
      of one number in their tables, the call is deferred to the task `row_task` instead. That task
      takes the row number, as its last input, in place of them.
    """

    single: int
    many: int
    shared: frozenset[int] = frozenset()
    uniform: frozenset[int] = frozenset()
    fixed: tuple[tuple[int, int], ...] = ()
    once: int | None = None
    rows: tuple[tuple[int, int, int], ...] = ()
    row_inputs: tuple[tuple[int, int], ...] = ()
    row_task: int | None = None
    indirect: frozenset[int] = frozenset()

    @property
    def all_functions(self) -> frozenset[int]:
        """Return the indices of all functions that run calls of the task."""
        found = frozenset((self.single, self.many))
        return found if self.once is None else found | {self.once}


@node
class ProgramCode:
    """A complete program: functions, and the kernels, constants, traps and tasks they refer to.

    Execution starts with the first function.
    """

    functions: tuple[CodeFunction, ...]
    kernels: tuple[KernelUse, ...]
    constants: Constants
    traps: tuple[Trap, ...]
    tasks: tuple[Task, ...] = ()
