"""The instructions of program code: what a function does with its registers.

A register is a number; its kind is in the function's table. Every instruction says which registers
it `reads`, which of those it `consumes` (it takes over their reference) and which it `writes`.
Blocks end with a *terminator*, which says where control goes.
"""

from typing import ClassVar, TypeAlias

from relay.runtime.code.kinds import BlockLayout
from relay.support.node import Value, set_field, value

Register: TypeAlias = int
Registers: TypeAlias = tuple[int, ...]


class Instruction(Value):
    """The base of all instructions; the class variables name the fields that hold registers."""

    __slots__ = ()
    borrowed: ClassVar[tuple[str, ...]] = ()
    taken: ClassVar[tuple[str, ...]] = ()
    defined: ClassVar[tuple[str, ...]] = ()

    @property
    def borrows(self) -> Registers:
        """Return the registers that are read and stay who they are."""
        return self._registers(self.borrowed)

    @property
    def consumes(self) -> Registers:
        """Return the registers whose reference goes over to somebody else."""
        return self._registers(self.taken)

    @property
    def writes(self) -> Registers:
        """Return the registers that get a new value, with a reference of its own."""
        return self._registers(self.defined)

    def _registers(self, names: tuple[str, ...]) -> Registers:
        found: list[int] = []
        for name in names:
            field: Registers | Register = getattr(self, name)
            found.extend((field,) if isinstance(field, int) else field)
        return tuple(found)


class Terminator(Instruction):
    """The base of what ends a block."""

    __slots__ = ()

    @property
    def targets(self) -> tuple[int, ...]:
        """Return the blocks that may come next."""
        return ()


# ---- values ---------------------------------------------------------------------------------


@value
class LoadConstant(Instruction):
    """`to` is the constant with that index in the program's table."""

    to: Register
    constant: int
    defined = ("to",)


@value
class Move(Instruction):
    """`to` becomes what `source` was."""

    to: Register
    source: Register
    taken = ("source",)
    defined = ("to",)


@value
class RunKernel(Instruction):
    """Call a kernel: it reads tensors and scalars, and writes fresh ones.

    `sizes` are what the kernel is told of run-time sizes; `extents` are those that the outputs
    carry, one tensor after another. `trap` is the one for outputs that are too large, if that is
    not 0; those of what the kernel returns come after it.
    """

    kernel: int
    inputs: Registers
    outputs: Registers
    sizes: Registers = ()
    extents: Registers = ()
    trap: int = 0
    borrowed = ("inputs", "sizes", "extents")
    defined = ("outputs",)

    def __post_init__(self) -> None:
        for name in ("inputs", "outputs", "sizes", "extents"):
            set_field(self, name, tuple(getattr(self, name)))


@value
class Update(Instruction):
    """`to` is `target` after a kernel has written some of its elements.

    The memory is that of the target if nobody else refers to it, else a copy. The kernel reads
    `inputs`, and finds the elements that it writes among the others; `sizes` and `trap` as for
    `RunKernel`.
    """

    kernel: int
    target: Register
    inputs: Registers
    to: Register
    sizes: Registers = ()
    trap: int = 0
    borrowed = ("inputs", "sizes")
    taken = ("target",)
    defined = ("to",)

    def __post_init__(self) -> None:
        set_field(self, "inputs", tuple(self.inputs))
        set_field(self, "sizes", tuple(self.sizes))


@value
class Defer(Instruction):
    """Make results whose elements are computed later, by a task with these inputs.

    A deferred call is carried out together with others of the same task, at the latest when an
    `Await` or the end of the program needs results.
    """

    task: int
    inputs: Registers
    outputs: Registers
    taken = ("inputs",)
    defined = ("outputs",)

    def __post_init__(self) -> None:
        set_field(self, "inputs", tuple(self.inputs))
        set_field(self, "outputs", tuple(self.outputs))


@value
class Await(Instruction):
    """Go on when the elements of these tensors are computed: carry out the calls that wait."""

    registers: Registers
    borrowed = ("registers",)

    def __post_init__(self) -> None:
        set_field(self, "registers", tuple(self.registers))


# ---- heap -----------------------------------------------------------------------------------


@value
class Construct(Instruction):
    """`to` is a block with a tag and these fields: a value of a data type, or a mutable cell."""

    to: Register
    tag: int
    fields: Registers
    taken = ("fields",)
    defined = ("to",)

    def __post_init__(self) -> None:
        set_field(self, "fields", tuple(self.fields))


@value
class LoadField(Instruction):
    """`to` is a field of a block; the block must have that layout."""

    to: Register
    source: Register
    layout: BlockLayout
    index: int
    borrowed = ("source",)
    defined = ("to",)


@value
class StoreField(Instruction):
    """Replace a field of a block."""

    target: Register
    layout: BlockLayout
    index: int
    value: Register
    borrowed = ("target",)
    taken = ("value",)


@value
class Close(Instruction):
    """`to` is a closure: a function whose first parameter is the closure itself."""

    to: Register
    function: int
    captured: Registers
    taken = ("captured",)
    defined = ("to",)

    def __post_init__(self) -> None:
        set_field(self, "captured", tuple(self.captured))


@value
class Retain(Instruction):
    """Count one more reference to what a register holds."""

    register: Register
    borrowed = ("register",)


@value
class Release(Instruction):
    """Count one reference less; the last one frees the block."""

    register: Register
    taken = ("register",)


# ---- calls ----------------------------------------------------------------------------------


@value
class CallFunction(Instruction):
    """Call a function of the program."""

    function: int
    args: Registers
    results: Registers
    taken = ("args",)
    defined = ("results",)

    def __post_init__(self) -> None:
        set_field(self, "args", tuple(self.args))
        set_field(self, "results", tuple(self.results))


@value
class CallClosure(Instruction):
    """Call what a closure holds; it gets the closure itself before the arguments."""

    closure: Register
    args: Registers
    results: Registers
    taken = ("closure", "args")
    defined = ("results",)

    def __post_init__(self) -> None:
        set_field(self, "args", tuple(self.args))
        set_field(self, "results", tuple(self.results))


# ---- terminators ----------------------------------------------------------------------------


@value
class Jump(Terminator):
    """Go on with a block; `moves` (to, from) happen at once on the way."""

    block: int
    to: Registers = ()
    source: Registers = ()
    taken = ("source",)
    defined = ("to",)

    def __post_init__(self) -> None:
        set_field(self, "to", tuple(self.to))
        set_field(self, "source", tuple(self.source))

    @property
    def targets(self) -> tuple[int, ...]:
        """Return the only block that may come next."""
        return (self.block,)


@value
class Branch(Terminator):
    """Go on with one of two blocks, by a bool."""

    condition: Register
    then: int
    other: int
    borrowed = ("condition",)

    @property
    def targets(self) -> tuple[int, ...]:
        """Return both blocks."""
        return (self.then, self.other)


@value
class Switch(Terminator):
    """Go on with the block that belongs to the tag of a value of a data type."""

    source: Register
    cases: tuple[tuple[int, int], ...]
    default: int
    borrowed = ("source",)

    @property
    def targets(self) -> tuple[int, ...]:
        """Return the blocks of all cases, and the one for all other tags."""
        return (*(block for _, block in self.cases), self.default)


@value
class Return(Terminator):
    """End the call with these results."""

    values: Registers
    taken = ("values",)

    def __post_init__(self) -> None:
        set_field(self, "values", tuple(self.values))


@value
class TailCall(Terminator):
    """End the call with the results of another: its frame takes the place of this one."""

    function: int
    args: Registers
    taken = ("args",)

    def __post_init__(self) -> None:
        set_field(self, "args", tuple(self.args))


@value
class TailCallClosure(Terminator):
    """End the call with the results of what a closure holds; these are of the same kinds."""

    closure: Register
    args: Registers
    taken = ("closure", "args")

    def __post_init__(self) -> None:
        set_field(self, "args", tuple(self.args))


@value
class Trap(Terminator):
    """End the run: the program cannot go on, for the reason with that number."""

    code: int
