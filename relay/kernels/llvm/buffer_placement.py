"""Decides where each buffer of a kernel is placed: registers, stack or workspace.

Each allocated buffer is either in registers, in tiles of some number of elements, or at an offset
on the stack or in the workspace that the caller provides.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from relay.kernels.bounds_checks import BoundsCheck
from relay.kernels.llvm.place_interrupt_polls import Periods, interrupt_polls
from relay.kernels.llvm.strided_indices import constant_stride
from relay.kernels.loops import (
    Allocate,
    Buffer,
    For,
    Kernel,
    Let,
    Load,
    MemoryScope,
    Mode,
    Stmt,
    Store,
)
from relay.kernels.passes.traverse_statements import (
    constant_trips,
    expressions,
    statements,
    substatements,
)
from relay.kernels.scalar import Binary, Const, Op, Ramp, Scalar, Var
from relay.kernels.traverse_scalars import walk
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.kernel_error_record import RECORD_BYTES
from relay.support.node import node, replace

STACK_BYTES = 16 * 1024  # threads with small stacks could overflow beyond this
_ALIGN = 64  # a cache line, and the widest vector

Size = int | Scalar
"""A number of bytes: a constant at code generation, or an expression of a kernel's scalars."""


@node
class BufferPlan:
    """The placement of a kernel's buffers.

    `tiles` are the tiles of the register buffers, `offsets` the offsets of other buffers in the
    workspace of the call, or of the worker if they are allocated in a parallel loop; buffers in
    neither map are on the stack. `sizes` are the bytes of all buffers outside registers. `main` and
    `worker` are the bytes of the workspace of the call and of each worker. `polls` maps loops that
    poll for interrupts to the iterations between two polls. The workspace of the call begins with a
    fault record, even if this kernel neither polls nor `checks` indices: other kernels use it.
    """

    tiles: dict[Buffer, int]
    sizes: dict[Buffer, Size]
    offsets: dict[Buffer, Size]
    main: Size
    worker: Size
    checks: bool
    polls: Periods

    @property
    def reports(self) -> bool:
        """Whether the kernel uses the fault record."""
        return self.checks or bool(self.polls)

    def without_polls(self) -> "BufferPlan":
        """Return the placement for code that is certainly of little work, which needs no polls."""
        return replace(self, polls={}) if self.polls else self


def plan(kernel: Kernel) -> BufferPlan:
    """Return the placement of each buffer that a kernel allocates.

    Raises `C001` if the size of a buffer depends on more than the kernel's integer arguments.
    """
    accesses = list(_accesses(kernel.body))
    tiles = _register_tiles(accesses)
    rooms = _rooms(accesses)
    first, *others = ([b for b in frame if b not in tiles] for frame in _frames(kernel.body))
    sizes = {b: _buffer_bytes(b, rooms.get(b, 0)) for b in chain(first, *others)}
    offsets: dict[Buffer, Size] = {}
    polls = interrupt_polls(kernel.body)
    checks = any(map(_tests, statements(kernel.body)))
    main = _place(first, sizes, offsets, RECORD_BYTES)
    worker: Size = 0
    for frame in others:
        worker = larger(worker, _place(frame, sizes, offsets))
    if not (checks or polls or offsets):
        main = 0
    _check_sizes(kernel, offsets)
    return BufferPlan(tiles, sizes, offsets, main, worker, checks, polls)


def _tests(statement: Stmt) -> bool:
    """Whether a statement has bounds checks, apart from those of its substatements."""
    return any(isinstance(part, BoundsCheck) for part in walk(*expressions(statement)))


def add(a: Size, b: Size) -> Size:
    """Return the sum of two sizes."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    return Binary(Op.ADD, as_scalar(a), as_scalar(b))


def larger(a: Size, b: Size) -> Size:
    """Return the larger of two sizes."""
    if isinstance(a, int) and isinstance(b, int):
        return max(a, b)
    return Binary(Op.MAX, as_scalar(a), as_scalar(b))


def as_scalar(size: Size) -> Scalar:
    """Return a size as an expression."""
    return Const(size) if isinstance(size, int) else size


def _buffer_bytes(buffer: Buffer, room: Size) -> Size:
    """Return the bytes of a buffer with `room` more elements, rounded up to the alignment."""
    total: Size = 1
    for size in buffer.shape:
        total = _times(total, size.value if isinstance(size, Const) else size)
    total = add(_times(add(total, room), buffer.dtype.itemsize), _ALIGN - 1)
    return total & -_ALIGN if isinstance(total, int) else Binary(Op.AND, total, Const(-_ALIGN))


def _times(a: Size, b: Size | bool | float) -> Size:
    if isinstance(a, int) and not isinstance(b, Scalar):
        return a * int(b)
    return Binary(Op.MUL, as_scalar(a), b if isinstance(b, Scalar) else Const(int(b)))


def _frames(root: Stmt) -> Iterator[list[Buffer]]:
    """Yield the buffers allocated outside parallel loops, then those in each outermost loop."""
    outside, loops = _split(root)
    yield outside
    for loop in loops:
        yield [each for s in statements(loop.body) for each in _allocated(s)]


def _allocated(stmt: Stmt) -> list[Buffer]:
    """Return the buffer that a statement itself allocates; none if it is a view of another one."""
    return [stmt.buffer] if isinstance(stmt, Allocate) and stmt.buffer.of is None else []


def _split(root: Stmt) -> tuple[list[Buffer], list[For]]:
    outside: list[Buffer] = []
    loops: list[For] = []
    stack = [root]
    while stack:
        top = stack.pop()
        if isinstance(top, For) and top.mode is Mode.PARALLEL:
            loops.append(top)
            continue
        outside += _allocated(top)
        stack += reversed(substatements(top))
    return outside, loops


def _place(
    frame: Iterable[Buffer],
    sizes: Mapping[Buffer, Size],
    offsets: dict[Buffer, Size],
    first: int = 0,
) -> Size:
    """Assign workspace offsets from `first` on to large buffers; return the end.

    Small buffers go to the stack.
    """
    stack: int = 0
    total: Size = first
    for buffer in dict.fromkeys(frame):
        size = sizes[buffer]
        is_free = buffer.scope is not MemoryScope.WORKSPACE
        if is_free and isinstance(size, int) and stack + size <= STACK_BYTES:
            stack += size
        else:
            offsets[buffer] = total
            total = add(total, size)
    return total


def _check_sizes(kernel: Kernel, offsets: Iterable[Buffer]) -> None:
    for buffer in offsets:
        for size in buffer.shape:
            for one in walk(as_scalar(size)):
                if isinstance(one, Load) or (isinstance(one, Var) and one not in kernel.scalars):
                    raise CompileError(
                        ErrorCode.C001,
                        f"the size of the scratch buffer '{buffer.name}' is not known "
                        f"when kernel '{kernel.name}' is called",
                        help=(
                            "compute the size of the buffer from the integer parameters of "
                            "the kernel"
                        ),
                    )


def _rooms(accesses: Iterable["_Access"]) -> dict[Buffer, Size]:
    """Return how many elements beyond each register buffer its vector accesses reach.

    Such accesses have no mask for the lanes beyond the end of a row: a row is as long as the
    vectors that fill it, but vectors of a narrower element type, which read it, are longer.
    """
    rooms: dict[Buffer, Size] = {}
    for one in accesses:
        if one.buffer.scope is not MemoryScope.REGISTER:
            continue
        stride: Size = 1
        for index, size in reversed(list(zip(one.indices, one.buffer.shape, strict=False))):
            length = size.value if isinstance(size, Const) else size
            is_whole = isinstance(length, int) and length % index.dtype.lanes == 0
            if index.dtype.lanes > 1 and not is_whole:
                room = _times(stride, (index.dtype.lanes - 1) * _step(index))
                rooms[one.buffer] = larger(rooms.get(one.buffer, 0), room)
            stride = _times(stride, length)
    return rooms


def _step(index: Scalar) -> int:
    """Return the distance between consecutive lanes of an index."""
    regular = index.stride if isinstance(index, Ramp) else None
    return abs(int(regular.value)) if isinstance(regular, Const) else 1


def _register_tiles(accesses: Sequence["_Access"]) -> dict[Buffer, int]:
    """Return the tile of each register buffer whose indices are all constants after unrolling."""
    homes = {
        a.buffer: a.home for a in accesses if a.allocates and a.buffer.scope is MemoryScope.REGISTER
    }
    widths: dict[Buffer, set[int]] = {buffer: {1} for buffer in homes}
    for one in accesses:
        if one.buffer not in widths:
            continue
        at_home = one.home is homes[one.buffer]
        if at_home and all(_is_fixed(index, one.fixed) for index in one.indices):
            widths[one.buffer].add(one.lanes // one.buffer.dtype.lanes)
        else:
            del widths[one.buffer]
    return {buffer: _tile(buffer, found) for buffer, found in widths.items()}


def _tile(buffer: Buffer, widths: set[int]) -> int:
    """Return the width of the widest vector access of a buffer that divides its rows."""
    sizes = [size.value if isinstance(size, Const) else size for size in buffer.shape]
    row = next((size for size in reversed(sizes) if size != 1), 1)
    return max(width for width in widths if isinstance(row, int) and row % width == 0)


@node
class _Access:
    """An access to a buffer, or its allocation, with the loops around it.

    `fixed` are the variables that are constant at the access. `home` is the loop around it, if any,
    that becomes a function of its own (a parallel or rarely executed loop), which cannot use
    registers of the code around it.
    """

    buffer: Buffer
    indices: tuple[Scalar, ...]
    lanes: int
    fixed: frozenset[Var]
    home: For | None
    allocates: bool = False


def _accesses(root: Stmt) -> Iterator[_Access]:
    stack: list[tuple[Stmt, frozenset[Var], For | None]] = [(root, frozenset(), None)]
    while stack:
        top, fixed, home = stack.pop()
        yield from _direct_accesses(top, fixed, home)
        if isinstance(top, For) and (top.mode is Mode.SELDOM or _is_outermost(top, home)):
            home = top
        inside = _fixed_inside(top, fixed)
        stack += [(statement, inside, home) for statement in reversed(substatements(top))]


def _is_outermost(loop: For, home: For | None) -> bool:
    """Whether a loop is parallel, and not inside another parallel loop."""
    return loop.mode is Mode.PARALLEL and home is None


def _direct_accesses(statement: Stmt, fixed: frozenset[Var], home: For | None) -> Iterator[_Access]:
    for one in chain.from_iterable(map(walk, expressions(statement))):
        if isinstance(one, Load):
            yield _Access(one.buffer, one.indices, one.dtype.lanes, fixed, home)
    match statement:
        case Store(buffer=buffer, indices=indices):
            lanes = max((i.dtype.lanes for i in indices), default=1) * buffer.dtype.lanes
            yield _Access(buffer, indices, lanes, fixed, home)
        case Allocate(buffer=buffer):
            yield _Access(buffer, (), buffer.dtype.lanes, fixed, home, allocates=True)
        case _:
            pass


def _fixed_inside(statement: Stmt, fixed: frozenset[Var]) -> frozenset[Var]:
    match statement:
        case For(mode=Mode.UNROLL, var=var) if constant_trips(statement) is not None:
            return fixed | {var}
        case Let(var=var, value=value) if _is_fixed(value, fixed):
            return fixed | {var}
        case _:
            pass
    return fixed


def _is_fixed(index: Scalar, fixed: frozenset[Var]) -> bool:
    regular = constant_stride(index)
    if regular is None:
        return False
    return all(isinstance(one, Const | Binary) or one in fixed for one in walk(regular.base))
