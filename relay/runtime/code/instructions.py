"""The instructions of program code, which operate on registers.

A register is a number; the function has a table of register kinds. Every instruction declares which
registers it `borrows` (reads), which it `consumes` (takes over their reference) and which it
`writes`. Blocks end with a *terminator*, which transfers control.
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
        """Return the registers that are read and keep their reference."""
        return self._registers(self.borrowed)

    @property
    def consumes(self) -> Registers:
        """Return the registers whose reference is transferred."""
        return self._registers(self.taken)

    @property
    def writes(self) -> Registers:
        """Return the registers that receive a new value and own a reference to it."""
        return self._registers(self.defined)

    def _registers(self, names: tuple[str, ...]) -> Registers:
        found: list[int] = []
        for name in names:
            field: Registers | Register = getattr(self, name)
            found.extend((field,) if isinstance(field, int) else field)
        return tuple(found)


class Terminator(Instruction):
    """The base of the instructions that end a block."""

    __slots__ = ()

    @property
    def targets(self) -> tuple[int, ...]:
        """Return the successor blocks."""
        return ()


# ---- values ---------------------------------------------------------------------------------


@value
class LoadConstant(Instruction):
    """A load of the constant with this index in the program's table to `to`."""

    to: Register
    constant: int
    defined = ("to",)


@value
class Move(Instruction):
    """A move of the value of `source` to `to`."""

    to: Register
    source: Register
    taken = ("source",)
    defined = ("to",)


@value
class RunKernel(Instruction):
    """A call of a kernel that reads tensors and scalars, and writes new ones.

    `sizes` are the kernel's size arguments; `extents` are the dynamic sizes of the outputs, one
    tensor after another. `trap`, if not 0, is the trap for outputs that are too large; the traps of
    the kernel itself are numbered after it.
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
    """An update of `target` to `to`, in which a kernel overwrites some elements.

    The target's memory is reused if there is no other reference to it, else copied. The kernel
    reads `inputs`, which include the elements to write; `sizes` and `trap` are as for `RunKernel`.
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
    """A deferred call, whose results a task computes from these inputs later.

    A deferred call is flushed together with others of the same task, at the latest when an `Await`
    or the end of the program needs results.
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
    """A flush of deferred calls, after which the elements of these tensors are computed."""

    registers: Registers
    borrowed = ("registers",)

    def __post_init__(self) -> None:
        set_field(self, "registers", tuple(self.registers))


# ---- heap -----------------------------------------------------------------------------------


@value
class Construct(Instruction):
    """A new block in `to`: a value of a data type or a mutable reference."""

    to: Register
    tag: int
    fields: Registers
    taken = ("fields",)
    defined = ("to",)

    def __post_init__(self) -> None:
        set_field(self, "fields", tuple(self.fields))


@value
class LoadField(Instruction):
    """A load of a field of a block, which must have this layout, to `to`."""

    to: Register
    source: Register
    layout: BlockLayout
    index: int
    borrowed = ("source",)
    defined = ("to",)


@value
class StoreField(Instruction):
    """A store to a field of a block."""

    target: Register
    layout: BlockLayout
    index: int
    value: Register
    borrowed = ("target",)
    taken = ("value",)


@value
class Close(Instruction):
    """A new closure in `to`: a function whose first parameter is the closure itself."""

    to: Register
    function: int
    captured: Registers
    taken = ("captured",)
    defined = ("to",)

    def __post_init__(self) -> None:
        set_field(self, "captured", tuple(self.captured))


@value
class Retain(Instruction):
    """An increment of the reference count of a register's value."""

    register: Register
    borrowed = ("register",)


@value
class Release(Instruction):
    """A decrement of the reference count of a register's value; at zero it is freed."""

    register: Register
    taken = ("register",)


# ---- calls ----------------------------------------------------------------------------------


@value
class CallFunction(Instruction):
    """A call of a function of the program."""

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
    """A call of the function of a closure, with the closure itself before the arguments."""

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
    """A jump to a block; all moves from `source` to `to` happen simultaneously."""

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
        """Return the only successor."""
        return (self.block,)


@value
class Branch(Terminator):
    """A branch to one of two blocks, depending on a bool."""

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
    """A branch to the block for the tag of a value of a data type."""

    source: Register
    cases: tuple[tuple[int, int], ...]
    default: int
    borrowed = ("source",)

    @property
    def targets(self) -> tuple[int, ...]:
        """Return the blocks of all cases, and the default block."""
        return (*(block for _, block in self.cases), self.default)


@value
class Return(Terminator):
    """A return from the function with these results."""

    values: Registers
    taken = ("values",)

    def __post_init__(self) -> None:
        set_field(self, "values", tuple(self.values))


@value
class TailCall(Terminator):
    """A tail call: the callee's frame replaces this one."""

    function: int
    args: Registers
    taken = ("args",)

    def __post_init__(self) -> None:
        set_field(self, "args", tuple(self.args))


@value
class TailCallClosure(Terminator):
    """A tail call of a closure, whose results have the same kinds."""

    closure: Register
    args: Registers
    taken = ("closure", "args")

    def __post_init__(self) -> None:
        set_field(self, "args", tuple(self.args))


@value
class Trap(Terminator):
    """A trap, which ends the run with this number."""

    code: int
