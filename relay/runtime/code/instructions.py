"""The instructions of program code, which operate on typed registers.

A register is a number; the function has a table of register kinds. Each instruction declares which
registers it `borrows` (reads), which it `consumes` (takes over their reference) and which it
`writes`. A block ends with a *terminator*, which transfers control.
"""

from typing import ClassVar, TypeAlias

from relay.runtime.code.register_kinds import BlockLayout
from relay.support.node import Value, value

Register: TypeAlias = int
Registers: TypeAlias = tuple[int, ...]


class Instruction(Value):
    """The base of all instructions; class variables name the fields that are registers.

    Of these, `objects` must hold heap blocks, and `integers` sizes.
    """

    __slots__ = ()
    borrowed: ClassVar[tuple[str, ...]] = ()
    taken: ClassVar[tuple[str, ...]] = ()
    defined: ClassVar[tuple[str, ...]] = ()
    objects: ClassVar[tuple[str, ...]] = ()
    integers: ClassVar[tuple[str, ...]] = ()

    @property
    def borrows(self) -> Registers:
        """Return the registers that are read and keep their reference."""
        return self.registers_in(self.borrowed)

    @property
    def consumes(self) -> Registers:
        """Return the registers whose reference the instruction takes over."""
        return self.registers_in(self.taken)

    @property
    def writes(self) -> Registers:
        """Return the registers that receive a new value and own a reference to it."""
        return self.registers_in(self.defined)

    def registers_in(self, names: tuple[str, ...]) -> Registers:
        """Return the registers in the fields with these names."""
        found: list[int] = []
        for name in names:
            field: Registers | Register = getattr(self, name)
            found.extend((field,) if isinstance(field, int) else field)
        return tuple(found)


class Terminator(Instruction):
    """The base of the instructions that end a block and transfer control."""

    __slots__ = ()

    @property
    def targets(self) -> tuple[int, ...]:
        """Return the numbers of the successor blocks."""
        return ()


# ---- values ---------------------------------------------------------------------------------


@value
class LoadConstant(Instruction):
    """An instruction that loads constant number `constant` of the program to register `to`."""

    to: Register
    constant: int
    defined = ("to",)


@value
class Move(Instruction):
    """An instruction that moves the value of register `source` to register `to`."""

    to: Register
    source: Register
    taken = ("source",)
    defined = ("to",)


@value
class RunKernel(Instruction):
    """An instruction that calls a kernel, which reads tensors and scalars, and writes new ones.

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
    integers = ("sizes", "extents")


@value
class Update(Instruction):
    """An instruction that overwrites some elements of `target` by a kernel; the result is `to`.

    The target's memory is reused if there is no other reference to it, otherwise copied. The kernel
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
    integers = ("sizes",)


@value
class Defer(Instruction):
    """An instruction that defers a call: the task computes its results from `inputs` later.

    A deferred call is flushed together with others of the same task, at the latest when an `Await`
    or the end of the program needs results.
    """

    task: int
    inputs: Registers
    outputs: Registers
    taken = ("inputs",)
    defined = ("outputs",)


@value
class Await(Instruction):
    """An instruction that flushes deferred calls, so that these tensors are computed."""

    registers: Registers
    borrowed = ("registers",)


# ---- heap -----------------------------------------------------------------------------------


@value
class Construct(Instruction):
    """An instruction that allocates a heap block in `to`, for data or a mutable reference."""

    to: Register
    tag: int
    fields: Registers
    taken = ("fields",)
    defined = ("to",)
    objects = ("to",)


@value
class LoadField(Instruction):
    """An instruction that loads field `index` of the block `source` to register `to`.

    The block must have this layout.
    """

    to: Register
    source: Register
    layout: BlockLayout
    index: int
    borrowed = ("source",)
    defined = ("to",)
    objects = ("source",)


@value
class StoreField(Instruction):
    """An instruction that stores `value` in field `index` of the block `target`."""

    target: Register
    layout: BlockLayout
    index: int
    value: Register
    borrowed = ("target",)
    taken = ("value",)
    objects = ("target",)


@value
class Close(Instruction):
    """An instruction that allocates a closure in `to`, with captured values.

    The first parameter of its function is the closure itself.
    """

    to: Register
    function: int
    captured: Registers
    taken = ("captured",)
    defined = ("to",)
    objects = ("to",)


@value
class Retain(Instruction):
    """An instruction that increments the reference count of a register's value."""

    register: Register
    borrowed = ("register",)


@value
class Release(Instruction):
    """An instruction that decrements the reference count of a register's value.

    The value is freed if the count becomes 0.
    """

    register: Register
    taken = ("register",)


# ---- calls ----------------------------------------------------------------------------------


@value
class CallFunction(Instruction):
    """An instruction that calls a function of the program."""

    function: int
    args: Registers
    results: Registers
    taken = ("args",)
    defined = ("results",)


@value
class CallClosure(Instruction):
    """An instruction that calls a closure's function; the first argument is the closure."""

    closure: Register
    args: Registers
    results: Registers
    taken = ("closure", "args")
    defined = ("results",)
    objects = ("closure",)


# ---- terminators ----------------------------------------------------------------------------


@value
class Jump(Terminator):
    """A terminator that jumps to a block; moves from `source` to `to` happen simultaneously."""

    block: int
    to: Registers = ()
    source: Registers = ()
    taken = ("source",)
    defined = ("to",)

    @property
    def targets(self) -> tuple[int, ...]:
        """Return the only successor block."""
        return (self.block,)


@value
class Branch(Terminator):
    """A terminator that branches to one of two blocks, depending on a boolean."""

    condition: Register
    then: int
    other: int
    borrowed = ("condition",)

    @property
    def targets(self) -> tuple[int, ...]:
        """Return both successor blocks."""
        return (self.then, self.other)


@value
class Switch(Terminator):
    """A terminator that branches to the block for the constructor tag of a value."""

    source: Register
    cases: tuple[tuple[int, int], ...]
    default: int
    borrowed = ("source",)
    objects = ("source",)

    @property
    def targets(self) -> tuple[int, ...]:
        """Return the blocks of all cases, and the default block."""
        return (*(block for _, block in self.cases), self.default)


@value
class Return(Terminator):
    """A terminator that returns values from the function."""

    values: Registers
    taken = ("values",)


@value
class TailCall(Terminator):
    """A terminator that calls a function in tail position, replacing the current frame."""

    function: int
    args: Registers
    taken = ("args",)


@value
class TailCallClosure(Terminator):
    """A terminator that calls a closure in tail position, replacing the current frame."""

    closure: Register
    args: Registers
    taken = ("closure", "args")
    objects = ("closure",)


@value
class Trap(Terminator):
    """A terminator that ends the run with the trap of this number."""

    code: int
