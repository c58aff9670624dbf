"""Estimates the size of a kernel's LLVM code before it is generated."""

from relay.kernels.loops import For, Kernel, Mode, Stmt
from relay.kernels.passes.traverse_statements import expressions, substatements
from relay.kernels.scalar import Const
from relay.kernels.traverse_scalars import walk

_OF_ANY = 600
"""The fixed cost of a kernel: a module, a function, its parameters."""

_LONG = 2_000
"""Operations of code so long that its loops are unrolled: it is arranged by its schedule."""


def amount_of_code(kernel: Kernel) -> int:
    """Return the number of operations in a kernel, including each copy of unrolled loops.

    LLVM takes about 20 µs for each operation. The fixed cost of a kernel is included.
    """
    return _OF_ANY + operations(kernel.body)


def level_of_passes(amount: int, level: int, *, vectorise: bool) -> int:
    """Return the level of LLVM's passes for a kernel with `amount` operations: 1 for long ones.

    The passes of the levels above simplify long code again and again, which takes a tenth of the
    time to compile a network and changes nothing that can be measured. The loops of short code
    become faster, up to a quarter for a `concatenate` of dynamic sizes, as do those that LLVM
    vectorises.
    """
    return min(level, 1) if is_long(amount) and not vectorise else level


def is_long(amount: int) -> bool:
    """Return whether code is so long that its schedule, and not LLVM, unrolls its loops."""
    return amount > _LONG


def operations(root: Stmt) -> int:
    """Return the number of operations in a statement, including each copy of unrolled loops."""
    total = 0
    stack: list[tuple[Stmt, int]] = [(root, 1)]
    while stack:
        stmt, copies = stack.pop()
        total += copies * sum(1 for e in expressions(stmt) for _ in walk(e))
        inside = copies * _copies(stmt)
        stack += ((part, inside) for part in substatements(stmt))
    return total


def _copies(stmt: Stmt) -> int:
    """Return how many copies of its body a statement generates."""
    match stmt:
        case For(mode=Mode.UNROLL, extent=Const(value=extent)):
            return int(extent)
        case _:
            return 1
