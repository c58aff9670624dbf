"""The loop IR: kernels as loops and stores, before they are translated to LLVM.

A kernel is a function of pointers to dense row-major buffers. Statements store into buffers; scalar
expressions (`relay.kernels.scalar`) load from them. Indices stay multi-dimensional until code is
generated. Loop extents are expressions, so a dimension may be a run-time argument.
"""

from collections.abc import Iterable, Sequence
from enum import Enum

from relay.kernels.scalar import Number, Scalar, Var, cast, lift
from relay.support.dims.algebra import Symbolic
from relay.support.dtype import DType, int64
from relay.support.node import Value, node, set_field, value


def extents(shape: Iterable[int | Symbolic | Scalar]) -> tuple[int | Scalar, ...]:
    """Return a shape with symbolic dimensions as expressions of the kernel's size arguments."""
    return tuple(size if isinstance(size, int) else lift(size) for size in shape)


class MemoryScope(Enum):
    """The kind of memory in which a buffer is placed."""

    ARGUMENT = "argument"  # a pointer that the caller passes
    SCRATCH = "scratch"  # memory of one call: the stack if small, else the caller's workspace
    WORKSPACE = "workspace"  # the caller's workspace, which no compiler keeps in registers
    REGISTER = "register"  # machine registers if every index is a constant after unrolling,
    # else memory as for SCRATCH; elements beyond the end of a row are never used
    VIEW = "view"  # the memory of another buffer, whose bytes are elements of another type


INDIRECT_ROW_BYTES = 16
"""The bytes between two row addresses in a list of rows; the first word of each is read."""


@node
class Buffer:
    """A dense row-major array; a dimension is an int, or a scalar expression known at run time.

    If `ahead` is not 0, each load from the buffer also prefetches the address `ahead` bytes further
    on.

    With `indirect_rows`, the rows of an argument (its parts along the first of several dimensions)
    are stored at unrelated addresses. The argument is then a list of row addresses: the first word
    of every `INDIRECT_ROW_BYTES` bytes.

    A VIEW reads the memory `of` another buffer, and is as aligned as that buffer's elements.
    """

    name: str
    shape: tuple[int | Scalar, ...]
    dtype: DType
    scope: MemoryScope = MemoryScope.ARGUMENT
    ahead: int = 0
    indirect_rows: bool = False
    of: "Buffer | None" = None

    def __getitem__(self, indices: Number | tuple[Number, ...]) -> Scalar:
        """Return a load of the element at these indices."""
        listed = indices if isinstance(indices, tuple) else (indices,)
        assert len(listed) == len(self.shape), f"{self.name} has {len(self.shape)} dimensions"
        return Load(self, tuple(cast(lift(i), int64) for i in listed))


@value
class Load(Scalar, Value):
    """A load of `buffer[indices]`; a vector if an index is a Ramp, with `mask` for live lanes."""

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
    """The way in which a loop runs its iterations, such as in sequence or as vector lanes."""

    SERIAL = "for"
    PARALLEL = "parallel"  # over the thread pool, in any order
    UNROLL = "unroll"  # copied at compile time
    VECTOR = "vector"  # as the lanes of vector instructions
    SELDOM = "seldom"  # in sequence, as a function of its own: it takes no registers elsewhere


class Stmt:
    """The base class of statements."""

    __slots__ = ()


@node
class For(Stmt):
    """A loop over `var` = `start`, …, `start + extent - 1`; empty if `extent` is below 1.

    A VECTOR loop may have fewer iterations than its vectors have `lanes`: the remaining lanes are
    masked off. If `lanes` is 0, it has as many lanes as iterations. Each thread takes at least
    `grain` iterations of a PARALLEL loop (None means 1), so a loop with fewer than twice as many
    runs on the calling thread; so does one for which the condition `shared` does not hold, which
    then has so little work that it needs no poll whether the call must stop. A loop whose
    iterations may run in any order runs from the last to the first if `backwards` holds; each
    thread does so with its share of a PARALLEL loop.
    """

    var: Var
    start: Scalar
    extent: Scalar
    mode: Mode
    body: Stmt
    lanes: int = 0
    grain: Scalar | None = None
    shared: Scalar | None = None
    backwards: Scalar | None = None


@node
class While(Stmt):
    """A loop that runs while `condition` holds; it is evaluated before each iteration."""

    condition: Scalar
    body: Stmt


@node
class Store(Stmt):
    """A store `buffer[indices] = value`; a vector if an index is a Ramp, masked as loads are."""

    buffer: Buffer
    indices: tuple[Scalar, ...]
    value: Scalar
    mask: Scalar | None = None


@node
class Prefetch(Stmt):
    """A prefetch of an element that will be loaded soon (of the first lane, if it is a vector).

    The statement has no result and does not trap: its index may be out of bounds.
    """

    element: Load


@value
class Intrinsic(Value):
    """A machine instruction that loops can invoke, with the names of its operands."""

    name: str
    buffers: tuple[str, ...]
    numbers: tuple[str, ...]


@node
class Invoke(Stmt):
    """The invocation of a machine instruction on the addresses of buffers, and on numbers.

    Only the target that declares the instruction compiles it.
    """

    intrinsic: Intrinsic
    buffers: tuple[Buffer, ...]
    numbers: tuple[Scalar, ...]


@node
class If(Stmt):
    """A branch to one of two statements; `other` may be the empty block."""

    condition: Scalar
    then: Stmt
    other: Stmt


@node
class Let(Stmt):
    """A binding of `var` in `body` to a value that is computed once."""

    var: Var
    value: Scalar
    body: Stmt


@node
class Allocate(Stmt):
    """An allocation of an uninitialised buffer that is live in `body`, or a view of another one."""

    buffer: Buffer
    body: Stmt


@node
class Block(Stmt):
    """A sequence of statements; the empty block does nothing."""

    stmts: tuple[Stmt, ...]


@node
class Kernel:
    """A function over buffers: its parameters `params` are the inputs, then the outputs.

    `scalars` are int64 arguments that follow the pointers (run-time dimensions).
    """

    name: str
    params: tuple[Buffer, ...]
    scalars: tuple[Var, ...]
    body: Stmt
