"""Decisions about a kernel that must be made before its code is written.

For each buffer that a kernel allocates: whether it lives in registers, and in tiles of how many
elements; else at which place, on the stack or in the workspace that the caller provides.
"""

import math
from collections.abc import Iterable, Iterator
from itertools import chain

from relay.kernels.inside import REPORT_BYTES, Inside
from relay.kernels.llvm.linear import even
from relay.kernels.loops import Allocate, Buffer, For, Kernel, Let, Load, Mode, Scope, Stmt, Store
from relay.kernels.passes.statements import expressions, statements, substatements
from relay.kernels.scalar import Binary, Const, Op, Scalar, Var, walk
from relay.support.errors import CompileError
from relay.support.node import node

STACK_BYTES = 16 * 1024  # beyond this, threads with small stacks would be in danger
_ALIGN = 64  # a cache line, and the widest vector

Size = int | Scalar
"""A number of bytes: known when code is generated, or computed from the scalars of a kernel."""


@node
class Plan:
    """Where the buffers of a kernel live.

    `tiles` are the register buffers; of the others `offsets` says where they are in the workspace
    of the call, or of the worker when they are allocated in a parallel loop; what is in neither is
    on the stack. `main` and `worker` are the bytes of these workspaces. That of the call begins
    with the report of a kernel that tests indices, one that `reports`.
    """

    tiles: dict[Buffer, int]
    offsets: dict[Buffer, Size]
    main: Size
    worker: Size
    reports: bool


def plan(kernel: Kernel) -> Plan:
    """Decide where each buffer that a kernel allocates lives.

    Raises `C001` when the size of a scratch buffer depends on more than the kernel's scalars.
    """
    tiles = _register_tiles(kernel.body)
    offsets: dict[Buffer, Size] = {}
    first, *others = _frames(kernel.body)
    reports = any(map(_tests, statements(kernel.body)))
    main = _place(first, tiles, offsets, REPORT_BYTES if reports else 0)
    sizes = [_place(frame, tiles, offsets) for frame in others]
    _check_sizes(kernel, offsets)
    worker: Size = 0
    for size in sizes:
        worker = larger(worker, size)
    return Plan(tiles, offsets, main, worker, reports)


def _tests(statement: Stmt) -> bool:
    """Whether a statement tests indices itself."""
    return any(isinstance(part, Inside) for e in expressions(statement) for part in walk(e))


def constant_trips(loop: For) -> range | None:
    """Return the values that the variable of a loop takes, if they are constants."""
    match loop:
        case For(start=Const(value=int() as start), extent=Const(value=int() as extent)):
            return range(start, start + extent)
        case _:
            pass
    return None


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


def buffer_bytes(buffer: Buffer) -> Size:
    """Return the bytes of a buffer, rounded up so that the next one is aligned too."""
    sizes = [size.value if isinstance(size, Const) else size for size in buffer.shape]
    if all(isinstance(size, int) for size in sizes):
        return -(-math.prod(int(str(s)) for s in sizes) * buffer.dtype.itemsize // _ALIGN) * _ALIGN
    total: Scalar = Const(buffer.dtype.itemsize)
    for size in buffer.shape:
        total = Binary(Op.MUL, total, as_scalar(size))
    return Binary(Op.AND, Binary(Op.ADD, total, Const(_ALIGN - 1)), Const(-_ALIGN))


def _frames(root: Stmt) -> Iterator[list[Buffer]]:
    """Yield the buffers allocated outside parallel loops, then those in each outermost one."""
    outside, loops = _split(root)
    yield outside
    for loop in loops:
        yield [s.buffer for s in statements(loop.body) if isinstance(s, Allocate)]


def _split(root: Stmt) -> tuple[list[Buffer], list[For]]:
    outside: list[Buffer] = []
    loops: list[For] = []
    stack = [root]
    while stack:
        top = stack.pop()
        if isinstance(top, For) and top.mode is Mode.PARALLEL:
            loops.append(top)
            continue
        if isinstance(top, Allocate):
            outside.append(top.buffer)
        stack += reversed(substatements(top))
    return outside, loops


def _place(
    frame: Iterable[Buffer], tiles: dict[Buffer, int], offsets: dict[Buffer, Size], first: int = 0
) -> Size:
    """Give the buffers of one frame their places from `first` on; return where they end."""
    stack: int = 0
    total: Size = first
    for buffer in dict.fromkeys(frame):
        if buffer in tiles:
            continue
        size = buffer_bytes(buffer)
        if isinstance(size, int) and stack + size <= STACK_BYTES:
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
                        "C001",
                        f"the size of the scratch buffer '{buffer.name}' is not known "
                        f"when kernel '{kernel.name}' is called",
                        help="allocate it with a size computed from the kernel's scalars",
                    )


def _register_tiles(root: Stmt) -> dict[Buffer, int]:
    """Return the tile of each register buffer whose every index is a constant once unrolled."""
    accesses = list(_accesses(root))
    homes = {a.buffer: a.home for a in accesses if a.allocates and a.buffer.scope is Scope.REGISTER}
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
    """Return the widest vector by which a buffer is accessed and that divides its rows."""
    sizes = [size.value if isinstance(size, Const) else size for size in buffer.shape]
    row = next((size for size in reversed(sizes) if size != 1), 1)
    return max(width for width in widths if isinstance(row, int) and row % width == 0)


@node
class _Access:
    """An access or allocation of a buffer, and what is known where it stands.

    `fixed` are the variables that are constants there; `home` is the parallel loop around it,
    whose body is a function of its own and sees no registers from outside.
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
        if home is None and isinstance(top, For) and top.mode is Mode.PARALLEL:
            home = top
        inside = _fixed_inside(top, fixed)
        stack += [(statement, inside, home) for statement in reversed(substatements(top))]


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
    regular = even(index)
    if regular is None:
        return False
    return all(isinstance(one, Const | Binary) or one in fixed for one in walk(regular.base))
