"""Chooses the loops of a kernel that poll whether the call must stop, and how often.

A kernel polls after about `PERIOD` statements: much less than a millisecond, of which a poll takes
one nanosecond. Work is counted in statements that the LLVM code executes.
"""

from relay.kernels.loops import Allocate, Block, For, If, Let, Mode, Stmt, While
from relay.kernels.passes.affine_arithmetic import Arithmetic
from relay.kernels.passes.linear_sums import LARGEST_SIZE
from relay.kernels.passes.tighten_loop_bounds import conjuncts
from relay.kernels.passes.traverse_statements import constant_trips
from relay.kernels.scalar import Compare, Const, Order, Scalar, Size
from relay.support.node import Value, value

PERIOD = 1 << 18
"""The number of statements between two polls. At 100 ns each, which few take, these are 26 ms.

A block of a long sum is within one period: a poll in the loop over its terms would take registers
from the sums, which then are loaded and stored for each term.
"""

Periods = dict[Stmt, int]
"""The loops that poll, with the number of iterations between two polls."""


@value
class _Work(Value):
    """The work of a statement: statements executed without a poll, and whether it surely polls."""

    statements: int
    polls: bool = False


def interrupt_polls(root: Stmt) -> Periods:
    """Return the loops of a kernel that poll, with the iterations between two polls."""
    periods: Periods = {}
    _work(root, periods, Arithmetic())
    return periods


def _work(statement: Stmt, periods: Periods, sizes: Arithmetic) -> _Work:
    """Return the work of a statement; the recursion is as deep as loops are nested.

    1. Of a sequence, the sum.
    2. Of a branch, the larger side. Bounds of sizes that it tests hold for its loops.
    3. A `while` loop polls in each iteration, because nothing bounds their number.
    4. Of a loop, see `_loop`.
    """
    before = 0
    while isinstance(statement, Let | Allocate):
        before, statement = before + 1, statement.body
    match statement:
        case Block(stmts=stmts):
            works = [_work(each, periods, sizes) for each in stmts]
            return _Work(before + sum(w.statements for w in works), any(w.polls for w in works))
        case If(condition=condition, then=then, other=other):
            a = _work(then, periods, _known(condition, sizes))
            b = _work(other, periods, sizes)
            return _Work(before + 1 + max(a.statements, b.statements), a.polls and b.polls)
        case While(body=body):
            periods[statement] = 1
            return _Work(before + 1 + _work(body, periods, sizes).statements)
        case For():
            work = _loop(statement, periods, sizes)
            return _Work(before + work.statements, work.polls)
        case _:
            return _Work(before + 1)


def _loop(loop: For, periods: Periods, sizes: Arithmetic) -> _Work:
    """Return the work of a loop.

    1. An unrolled loop is a sequence.
    2. A loop whose iterations certainly poll has no poll of its own.
    3. A loop that certainly is of little work does not poll; the loops around it may.
    4. Another loop polls whenever its iterations have done `PERIOD` statements together. A loop
       that may have fewer iterations than that, or is shared by threads, may not reach its poll.
    """
    body, trips = _work(loop.body, periods, sizes), constant_trips(loop)
    count = None if trips is None else len(trips)
    if count is not None and (loop.mode is Mode.UNROLL or count <= 1):
        return _Work(count * body.statements, body.polls and count > 0)
    is_certain = count is not None and loop.mode is not Mode.PARALLEL
    each = body.statements + 1
    if body.polls:
        return _Work(each, is_certain)
    most = count if count is not None else sizes.range_of_sum(loop.extent)[1]
    if most * each <= PERIOD:
        return _Work(most * each)
    period = periods[loop] = max(1, PERIOD // each)
    return _Work(max(each, PERIOD), is_certain and count is not None and count > period)


def _known(test: Scalar, sizes: Arithmetic) -> Arithmetic:
    """Return arithmetic in which sizes have the bounds that a test ensures, if it ensures any."""
    bounds: dict[Size, tuple[int, int]] = {}
    for part in conjuncts(test):
        match part:
            case Compare(order=order, a=Size() as size, b=Const(value=int() as number)):
                low, high = bounds.get(size, (0, LARGEST_SIZE))
                if order in (Order.LE, Order.EQ):
                    high = min(high, number)
                if order in (Order.GE, Order.EQ):
                    low = max(low, number)
                bounds[size] = low, high
            case _:
                pass
    if not bounds:
        return sizes
    arithmetic = Arithmetic()
    for size, (low, high) in bounds.items():
        arithmetic.declare(size, low, high)
    return arithmetic
