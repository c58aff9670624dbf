"""Chooses the loops of a kernel that poll whether the call must stop, and how often.

A kernel polls after about `PERIOD` statements: much less than a millisecond, of which a poll takes
one nanosecond. Work is counted in statements that the LLVM code executes.
"""

from relay.kernels.loops import Allocate, Block, For, If, Let, Mode, Stmt, While
from relay.kernels.passes.traverse_statements import constant_trips
from relay.kernels.scalar import Binary, Const, Op
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
    _work(root, periods)
    return periods


def _work(statement: Stmt, periods: Periods) -> _Work:
    """Return the work of a statement; the recursion is as deep as loops are nested.

    1. Of a sequence, the sum.
    2. Of a branch, the larger side.
    3. A `while` loop polls in each iteration, because nothing bounds their number.
    4. Of a loop, see `_loop`.
    """
    before = 0
    while isinstance(statement, Let | Allocate):
        before, statement = before + 1, statement.body
    match statement:
        case Block(stmts=stmts):
            works = [_work(each, periods) for each in stmts]
            return _Work(before + sum(w.statements for w in works), any(w.polls for w in works))
        case If(then=then, other=other):
            a, b = _work(then, periods), _work(other, periods)
            return _Work(before + 1 + max(a.statements, b.statements), a.polls and b.polls)
        case While(body=body):
            periods[statement] = 1
            return _Work(before + 1 + _work(body, periods).statements)
        case For():
            work = _loop(statement, periods)
            return _Work(before + work.statements, work.polls)
        case _:
            return _Work(before + 1)


def _loop(loop: For, periods: Periods) -> _Work:
    """Return the work of a loop.

    1. An unrolled loop is a sequence.
    2. A loop whose iterations certainly poll has no poll of its own.
    3. A loop that certainly is of little work does not poll; the loops around it may.
    4. Another loop polls whenever its iterations have done `PERIOD` statements together. A loop
       that may have fewer iterations than that, or is shared by threads, may not reach its poll.
    """
    body, trips = _work(loop.body, periods), constant_trips(loop)
    count = None if trips is None else len(trips)
    if count is not None and (loop.mode is Mode.UNROLL or count <= 1):
        return _Work(count * body.statements, body.polls and count > 0)
    is_certain = count is not None and loop.mode is not Mode.PARALLEL
    each = body.statements + 1
    if body.polls:
        return _Work(each, is_certain)
    most = count if count is not None else _most_trips(loop)
    if most is not None and most * each <= PERIOD:
        return _Work(most * each)
    period = periods[loop] = max(1, PERIOD // each)
    return _Work(max(each, PERIOD), is_certain and count is not None and count > period)


def _most_trips(loop: For) -> int | None:
    """Return an upper bound that a loop's extent states, such as 8192 in `min(8192, rest)`."""
    match loop.extent:
        case Binary(op=Op.MIN, a=Const(value=int() as bound)):
            return bound
        case Binary(op=Op.MIN, b=Const(value=int() as bound)):
            return bound
        case _:
            return None
