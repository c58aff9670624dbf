"""The loop IR, whole, on one screen: what a kernel does, before it is LLVM.

A kernel is a function of pointers to dense row-major buffers. Statements store into buffers;
scalar expressions (`relay.kernels.scalar`) load from them. Indices stay multi-dimensional until
code is generated. Loop extents are expressions, so a dimension may be a run-time argument.
"""

from collections.abc import Iterable, Sequence
from enum import Enum

from relay.kernels.scalar import Number, Scalar, Var, cast, lift
from relay.support.dims.algebra import Symbolic
from relay.support.dtype import DType, int64
from relay.support.node import Value, node, set_field, value


def extents(shape: Iterable[int | Symbolic | Scalar]) -> tuple[int | Scalar, ...]:
    """Return the shape of a buffer: symbolic dimensions as formulas of the kernel's sizes."""
    return tuple(size if isinstance(size, int) else lift(size) for size in shape)


class MemoryScope(Enum):
    """Where a buffer lives."""

    ARGUMENT = "argument"  # a pointer that the caller passes
    SCRATCH = "scratch"  # memory of this call: the stack when small, else the caller's workspace
    REGISTER = "register"  # machine registers where each index is a constant once loops are
    # unrolled, else memory as for SCRATCH; nobody looks at what is beyond the end of a row


APART_BYTES = 16
"""How far apart the addresses of rows are: what else is between them is their owner's affair."""


@node
class Buffer:
    """A dense row-major array; a dimension is an int, or a scalar expression known at run time.

    Whoever loads from a buffer that is read `ahead` asks for what lies so many bytes further on.

    An argument may have its rows, the parts along the first of several dimensions, `apart`: they
    lie anywhere. It is the list of where they begin then, in every `APART_BYTES` the first word.
    """

    name: str
    shape: tuple[int | Scalar, ...]
    dtype: DType
    scope: MemoryScope = MemoryScope.ARGUMENT
    ahead: int = 0
    apart: bool = False

    def __getitem__(self, indices: Number | tuple[Number, ...]) -> Scalar:
        """Return a load of one element."""
        listed = indices if isinstance(indices, tuple) else (indices,)
        assert len(listed) == len(self.shape), f"{self.name} has {len(self.shape)} dimensions"
        return Load(self, tuple(cast(lift(i), int64) for i in listed))


@value
class Load(Scalar, Value):
    """`buffer[indices]`; with a Ramp among the indices a vector, `mask` saying which lanes live."""

    buffer: Buffer
    indices: tuple[Scalar, ...]
    mask: Scalar | None = None
    dtype: DType = None  # pyright: ignore[reportAssignmentType] - always computed

    def __post_init__(self) -> None:
        lanes = max((i.dtype.lanes for i in self.indices), default=1)
        element = self.buffer.dtype
        set_field(self, "dtype", DType(element.kind, element.bits, element.lanes * lanes))

    @property
    def parts(self) -> tuple[Scalar, ...]:
        """Return the indices, and the mask if there is one."""
        return self.indices if self.mask is None else (*self.indices, self.mask)

    def with_parts(self, parts: Sequence[Scalar]) -> Scalar:
        """Return the same load at other indices, under another mask."""
        rank = len(self.indices)
        return Load(self.buffer, tuple(parts[:rank]), None if self.mask is None else parts[rank])


class Mode(Enum):
    """How the iterations of a loop are run."""

    SERIAL = "for"
    PARALLEL = "parallel"  # over the thread pool, in any order
    UNROLL = "unroll"  # copied at compile time
    VECTOR = "vector"  # as the lanes of vector instructions


class Stmt:
    """The base of all statements."""

    __slots__ = ()


@node
class For(Stmt):
    """Run `body` with `var` = `start`, …, `start + extent - 1`; not at all if `extent` is below 1.

    A VECTOR loop may have fewer iterations than its vectors have `lanes`: the rest is masked. It
    has as many lanes as iterations when `lanes` is 0. A PARALLEL loop stays with the thread that
    comes to it where `worth`, a condition on sizes, does not hold. A SERIAL loop whose iterations
    may come in any order runs from the last to the first one where `backwards` holds.
    """

    var: Var
    start: Scalar
    extent: Scalar
    mode: Mode
    body: Stmt
    lanes: int = 0
    worth: Scalar | None = None
    backwards: Scalar | None = None


@node
class While(Stmt):
    """Run `body` as long as `condition`, evaluated afresh each time, holds."""

    condition: Scalar
    body: Stmt


@node
class Store(Stmt):
    """`buffer[indices] = value`; with a Ramp among the indices a vector; `mask` as for loads."""

    buffer: Buffer
    indices: tuple[Scalar, ...]
    value: Scalar
    mask: Scalar | None = None


@node
class Prefetch(Stmt):
    """Ask for an element, that of the first lane, which is soon loaded.

    Nothing waits for it, and no index is wrong.
    """

    element: Load


@value
class Intrinsic(Value):
    """An instruction of a machine that loops may name: its buffers and numbers, by their names."""

    name: str
    buffers: tuple[str, ...]
    numbers: tuple[str, ...]


@node
class Invoke(Stmt):
    """Run an instruction on buffers, whose places the machine is told, and on numbers.

    Only the target that declares the instruction compiles it.
    """

    intrinsic: Intrinsic
    buffers: tuple[Buffer, ...]
    numbers: tuple[Scalar, ...]


@node
class If(Stmt):
    """Run one of two statements; `other` may be the empty block."""

    condition: Scalar
    then: Stmt
    other: Stmt


@node
class Let(Stmt):
    """Run `body` with `var` bound to a value that is computed once."""

    var: Var
    value: Scalar
    body: Stmt


@node
class Allocate(Stmt):
    """Run `body` with a fresh, uninitialised buffer (scratch or register)."""

    buffer: Buffer
    body: Stmt


@node
class Block(Stmt):
    """Run statements one after another; the empty block does nothing."""

    stmts: tuple[Stmt, ...]


@node
class Kernel:
    """A function over buffers: arguments in the order of `params`, inputs first, then outputs.

    `scalars` are int64 arguments that follow the pointers (run-time dimensions).
    """

    name: str
    params: tuple[Buffer, ...]
    scalars: tuple[Var, ...]
    body: Stmt
