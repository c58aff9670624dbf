"""An estimate of the LLVM code of a kernel, known before the code is generated."""

from relay.kernels.loops import For, Kernel, Mode, Stmt
from relay.kernels.passes.statements import expressions, substatements
from relay.kernels.scalar import Const, walk

_OF_ANY = 600
"""What a kernel costs before anything is computed in it: a module, a function, its parameters."""


def amount_of_code(kernel: Kernel) -> int:
    """Return the number of operations in a kernel, those in unrolled loops once for each copy.

    LLVM takes about 20 µs for each. Something is added for the kernel itself.
    """
    total = _OF_ANY
    stack: list[tuple[Stmt, int]] = [(kernel.body, 1)]
    while stack:
        stmt, copies = stack.pop()
        total += copies * sum(1 for e in expressions(stmt) for _ in walk(e))
        inside = copies * _copies(stmt)
        stack += ((part, inside) for part in substatements(stmt))
    return total


def _copies(stmt: Stmt) -> int:
    """Return how often the body of a statement is written."""
    match stmt:
        case For(mode=Mode.UNROLL, extent=Const(value=extent)):
            return int(extent)
        case _:
            return 1
