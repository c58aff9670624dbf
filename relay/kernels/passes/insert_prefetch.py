"""The pass that inserts prefetches for rows that are gathered from main memory.

The next row of a table depends on data: hardware cannot predict it, and a kernel that waits for
each row spends most of its time waiting. But the row numbers are known in advance:
1. A loop whose iterations read different rows prefetches those of a later iteration.
2. If a long loop comes first, as the products of a tile precede the values that are added to them,
   rows are prefetched before that loop.

The prefetches are in a copy of the loops that read the rows, reduced to the addresses.
"""

from collections.abc import Iterator, Mapping

from relay.kernels.bounds_checks import BoundsCheck
from relay.kernels.loops import (
    Allocate,
    Block,
    Buffer,
    For,
    If,
    Kernel,
    Let,
    Load,
    Mode,
    Prefetch,
    Stmt,
    Store,
)
from relay.kernels.passes.gather_prefetch import gathered_rows, may_gather_rows
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.passes.traverse_statements import (
    NOTHING,
    Copier,
    expressions,
    is_nothing,
    rebuilt,
    sequence,
    statements,
    substatements,
)
from relay.kernels.scalar import Const, Ramp, Scalar, Var, cast, lift, maximum, minimum
from relay.kernels.traverse_scalars import rewrite, walk
from relay.support.dtype import int64
from relay.support.node import node, replace

_ON_THE_WAY = 2048
"""The number of bytes of a table that are prefetched ahead of their use."""

_MOST_AHEAD = 8
"""The largest prefetch distance in iterations."""

_LINE = 64
"""The bytes of a cache line."""


def insert_row_prefetches(kernel: Kernel, simplify: Simplifier) -> Kernel:
    """Return the kernel with prefetches of gathered rows; itself if it gathers none."""
    if not may_gather_rows(kernel):
        return kernel
    stores = (stmt for stmt in statements(kernel.body) if isinstance(stmt, Store))
    fetching = _PrefetchInserter(simplify, frozenset(store.buffer for store in stores))
    return replace(kernel, body=fetching(kernel.body))


@node
class _PrefetchInserter:
    """A rewriter that adds prefetches to loops.

    Row numbers in `written` buffers are not known in advance.
    """

    simplify: Simplifier
    written: frozenset[Buffer]

    def __call__(self, stmt: Stmt) -> Stmt:
        """Return a statement whose loops prefetch rows; recursion is as deep as they are nested."""
        new = rebuilt(stmt, self)
        if not (isinstance(new, For) and isinstance(stmt, For) and _has_later_iterations(stmt)):
            return new
        rows = gathered_rows(stmt, self.written)
        if not rows:
            return new
        early = self._before_long(new.body, rows)
        return replace(new, body=early or self._some_later(stmt, new.body, rows))

    def _some_later(self, loop: For, body: Stmt, rows: Mapping[Load, int]) -> Stmt:
        """Return a loop's body, preceded by prefetches for a later iteration (case 1)."""
        later = minimum(loop.var + _distance(loop, rows), loop.start + loop.extent - 1)
        copy = Copier(self.simplify, {loop.var: later})
        return sequence([copy(_prefetches(loop.body, rows)), body])

    def _before_long(self, stmt: Stmt, rows: Mapping[Load, int]) -> Stmt | None:
        """Return a statement that prefetches before its long loop (case 2), or None."""
        match stmt:
            case Let(body=body) | Allocate(body=body):
                inner = self._before_long(body, rows)
                return None if inner is None else replace(stmt, body=inner)
            case Block(stmts=stmts):
                asking = [_prefetches(one, rows) for one in stmts]
                first = next((i for i, one in enumerate(asking) if not is_nothing(one)), 0)
                if not any(map(_is_long, stmts[:first])):
                    return None
                return sequence([Copier(self.simplify, {})(sequence(asking)), *stmts])
            case _:
                return None


def _distance(loop: For, rows: Mapping[Load, int]) -> int:
    """Return how many iterations ahead a loop prefetches: at most half of its extent."""
    most = loop.extent.value // 2 if isinstance(loop.extent, Const) else _MOST_AHEAD
    return max(1, int(min(most, _MOST_AHEAD, _ON_THE_WAY // max(rows.values()))))


def _has_later_iterations(loop: For) -> bool:
    """Whether a loop runs iterations in increasing order, so that later ones can be prefetched."""
    return loop.mode in (Mode.SERIAL, Mode.PARALLEL) and loop.backwards is None


def _is_long(stmt: Stmt) -> bool:
    return any(isinstance(one, For) and one.mode is Mode.SERIAL for one in statements(stmt))


# ---- prefetches -----------------------------------------------------------------------------


def _prefetches(stmt: Stmt, rows: Mapping[Load, int]) -> Stmt:
    """Return a copy of a statement's loops, reduced to prefetches of rows."""
    match stmt:
        case For(body=body):
            return _prefetches_in_loop(stmt, _prefetches(body, rows))
        case If() | Block():
            new = rebuilt(stmt, lambda part: _prefetches(part, rows))
            if all(map(is_nothing, substatements(new))):
                return NOTHING
            return new.then if isinstance(new, If) and _prefetch_the_same(new) else new
        case Allocate(body=body):
            return _prefetches(body, rows)
        case Let(body=body):
            return _prefetches_in_let(stmt, _prefetches(body, rows))
        case Store():
            loads = (part for part in walk(*expressions(stmt)) if isinstance(part, Load))
            asked = dict.fromkeys(
                end for load in loads if load in rows for end in _first_and_last(load, rows[load])
            )
            return sequence([Prefetch(element) for element in asked])
        case _:
            return NOTHING


def _prefetches_in_loop(loop: For, body: Stmt) -> Stmt:
    """Return a loop of prefetches, or one prefetch if all iterations have the same one."""
    if is_nothing(body):
        return body
    if not _mentions(body, loop.var):
        return body if isinstance(loop.extent, Const) else If(lift(0) < loop.extent, body, NOTHING)
    return replace(loop, mode=Mode.SERIAL, body=body, grain=None, shared=None, backwards=None)


def _prefetch_the_same(choice: If) -> bool:
    """Whether both branches prefetch the same rows, such as those for full and partial vectors."""
    sides = [list(statements(side)) for side in (choice.then, choice.other)]
    if not all(isinstance(one, Block | Prefetch) for side in sides for one in side):
        return False
    then, other = ([one.element for one in side if isinstance(one, Prefetch)] for side in sides)
    return then == other


def _prefetches_in_let(let: Let, body: Stmt) -> Stmt:
    """Return prefetches inside a let binding if they use its variable, without bounds checks."""
    if not _mentions(body, let.var):
        return body
    return Let(let.var, rewrite(let.value, _clamped, {}), body)


def _mentions(stmt: Stmt, var: Var) -> bool:
    read = walk(*(e for one in statements(stmt) for e in expressions(one)))
    return any(part is var for part in read)


def _clamped(part: Scalar) -> Scalar:
    """Return a bounds check replaced by its index, clamped to the axis; other parts unchanged."""
    if not isinstance(part, BoundsCheck):
        return part
    return maximum(minimum(cast(part.index, int64), part.size - 1), 0)


def _first_and_last(row: Load, nbytes: int) -> Iterator[Load]:
    """Yield the first of the loaded elements, and the last if that may be in another cache line.

    If rows are aligned to cache lines, so are vectors.
    """
    *numbers, run = row.indices
    assert isinstance(run, Ramp)
    yield Load(row.buffer, (*numbers, run.base))
    if nbytes % _LINE:
        yield Load(row.buffer, (*numbers, run.base + (run.lanes - 1)))
