"""Functions of program code, and the whole of a program."""

from relay.runtime.code.instructions import Instruction, Terminator
from relay.runtime.code.kinds import Kind
from relay.runtime.code.traps import STACK_EXHAUSTED
from relay.runtime.program import Constants, Trap
from relay.support.node import Value, node, set_field, value


@value
class Block(Value):
    """Instructions that run one after another, and where control goes then."""

    body: tuple[Instruction, ...]
    end: Terminator


@node
class CodeFunction:
    """A function: `kinds` gives the kind of each register, the first ones are the parameters.

    Control begins with block 0. `results` are the kinds of what `Return` gives. Registers in
    `frame` are tensors that nobody outside the running call sees: they need no heap. `exhausted` is
    the trap of a call of the function that finds no stack left.
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
    """A kernel that program code calls: its symbol, a name for people, and what it takes and gives.

    `sizes` is how many run-time sizes it is told; `measures` says that it tells, from those and the
    number of workers, how much scratch memory it needs (by the symbol with `.workspace` behind).
    """

    symbol: str
    label: str
    inputs: tuple[Kind, ...]
    outputs: tuple[Kind, ...]
    sizes: int = 0
    measures: bool = False

    def __post_init__(self) -> None:
        set_field(self, "inputs", tuple(self.inputs))
        set_field(self, "outputs", tuple(self.outputs))

    @property
    def pointers(self) -> int:
        """Return how many tensors are passed: inputs, then outputs."""
        return len(self.inputs) + len(self.outputs)

    @property
    def symbols(self) -> tuple[str, ...]:
        """Return the names of the native functions that are called."""
        return (self.symbol, f"{self.symbol}.workspace") if self.measures else (self.symbol,)


@value
class Task(Value):
    """What calls that wait for each other compute: functions that make one or many.

    `single` takes the inputs of one call. `many` takes them with a new leading axis of any size,
    except the `shared` ones, which are the same in all calls; all its results have the new axis.
    `once` is like it, for calls to which the inputs of `alike`, too, are the same, and `fixed` ones
    are the constants of these numbers; it does not take the latter.

    Or results of calls with those constants are rows: `rows` says, for each, the number of the
    result, the constant, and the input that tells which row. If all are, such calls wait for
    nothing. There is no `once` then.

    `many` takes those of `apart` as a list of where the calls' tensors are.

    Calls whose inputs of `looked_up` are all the same row of constants, those of these numbers, are
    made by the task `behind`: it takes the number of the row, last, in place of these inputs.
    """

    single: int
    many: int
    shared: frozenset[int] = frozenset()
    alike: frozenset[int] = frozenset()
    fixed: tuple[tuple[int, int], ...] = ()
    once: int | None = None
    rows: tuple[tuple[int, int, int], ...] = ()
    looked_up: tuple[tuple[int, int], ...] = ()
    behind: int | None = None
    apart: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        set_field(self, "shared", frozenset(self.shared))
        set_field(self, "alike", frozenset(self.alike))
        set_field(self, "fixed", tuple(self.fixed))
        set_field(self, "rows", tuple(self.rows))
        set_field(self, "looked_up", tuple(self.looked_up))
        set_field(self, "apart", frozenset(self.apart))

    @property
    def all_functions(self) -> frozenset[int]:
        """Return all functions that make calls."""
        found = frozenset((self.single, self.many))
        return found if self.once is None else found | {self.once}


@node
class ProgramCode:
    """A whole program: functions that call each other, and what they refer to by number.

    Control begins with the first function.
    """

    functions: tuple[CodeFunction, ...]
    kernels: tuple[KernelUse, ...]
    constants: Constants
    traps: tuple[Trap, ...]
    tasks: tuple[Task, ...] = ()
