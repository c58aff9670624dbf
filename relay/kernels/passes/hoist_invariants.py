"""The pass that hoists let-bound variables out of loops in which they are invariant.

When a loop is unrolled, every copy of its body would compute them again.
"""

from collections.abc import Collection

from relay.kernels.loops import Buffer, For, Kernel, Let, Load, Stmt, Store
from relay.kernels.passes.traverse_statements import rebuilt, statements
from relay.kernels.scalar import Const
from relay.kernels.traverse_scalars import walk
from relay.support.node import replace


def hoist_invariants(kernel: Kernel) -> Kernel:
    """Return the kernel with invariant variables hoisted out of loops, where that is safe.

    The loop must run at least once, because a variable may be a bounds check.
    """
    stmts = list(statements(kernel.body))
    if not any(isinstance(stmt, Let) for stmt in stmts):
        return kernel
    written = {stmt.buffer for stmt in stmts if isinstance(stmt, Store)}
    return replace(kernel, body=_outside(kernel.body, written))


def _outside(stmt: Stmt, written: Collection[Buffer]) -> Stmt:
    """Return a statement with invariant variables hoisted out of loops; recurses on loop nests."""
    stmt = rebuilt(stmt, lambda part: _outside(part, written))
    if not isinstance(stmt, For) or not _surely_runs(stmt):
        return stmt
    body, fixed = stmt.body, list[Let]()
    while isinstance(body, Let) and _is_fixed(body, stmt, written):
        fixed.append(body)
        body = body.body
    if not fixed:
        return stmt
    stmt = replace(stmt, body=body)
    for let in reversed(fixed):
        stmt = replace(let, body=stmt)
    return stmt


def _surely_runs(loop: For) -> bool:
    return isinstance(loop.extent, Const) and loop.extent.value >= 1


def _is_fixed(let: Let, loop: For, written: Collection[Buffer]) -> bool:
    """Whether a let-bound variable has the same value in all iterations of a loop."""
    return not any(
        part is loop.var or (isinstance(part, Load) and part.buffer in written)
        for part in walk(let.value)
    )
