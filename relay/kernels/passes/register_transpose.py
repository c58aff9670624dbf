"""The pass that replaces strided vector loads by contiguous ones and a register transposition.

If each iteration of a loop loads a vector of elements that are far apart, next to those of the
previous iteration, the loop reads a square block by columns. Reading the block by rows, which are
contiguous, and transposing it in registers takes a few shuffles for each vector instead of a load
for each lane.
"""

from collections.abc import Iterator
from functools import reduce

from relay.kernels.loops import Allocate, Buffer, For, Kernel, Load, MemoryScope, Mode, Stmt, Store
from relay.kernels.passes.affine_arithmetic import Affine
from relay.kernels.passes.flat_indices import flat_place
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.passes.traverse_statements import rebuilt, sequence
from relay.kernels.scalar import (
    Binary,
    Broadcast,
    Compare,
    Const,
    Op,
    Order,
    Ramp,
    Scalar,
    Select,
    Var,
)
from relay.kernels.traverse_scalars import rewrite, walk
from relay.support.dtype import DType, Kind
from relay.support.node import node, replace

_FEW = 3  # so few vectors do not make a transposition worthwhile


def transpose_squares(kernel: Kernel, simplify: Simplifier) -> Kernel:
    """Return the kernel with square blocks read by rows and transposed in registers.

    Its vector loops must be vectorised already.
    """
    return replace(kernel, body=_turned(kernel.body, simplify))


def _turned(stmt: Stmt, simplify: Simplifier) -> Stmt:
    """Return a statement whose innermost loops read square blocks by rows; recurses on nests."""
    match stmt:
        case For(
            start=Const(value=int() as start),
            extent=Const(value=int() as extent),
            mode=Mode.SERIAL | Mode.UNROLL,
            body=Store() as store,
        ) if extent > _FEW:
            rows = range(start, start + extent)
            squares = list(_squares(stmt.var, rows, store, simplify))
            return _through_registers(stmt, rows, store, squares, simplify) if squares else stmt
        case _:
            return rebuilt(stmt, lambda part: _turned(part, simplify))


@node
class _Square:
    """A strided vector load that reads the columns of a square block.

    `corner` is the index of its first lane in the first iteration.
    """

    load: Load
    corner: Affine
    stride: Affine
    live: int | Scalar  # the number of live lanes
    buffer: Buffer


def _squares(var: Var, rows: range, store: Store, simplify: Simplifier) -> Iterator[_Square]:
    for load in _loads(store):
        live, place = _live(load), flat_place(load.buffer, load.indices, simplify.arithmetic)
        if live is None or place is None or len(rows) > place.lanes:
            continue
        if place.step is not None and abs(place.step) < 2:
            continue
        if isinstance(live, Scalar) and var in walk(live):
            continue
        corner = place.first.plus(Affine({var: 1}, -rows.start), -1)
        is_square = place.first.terms.get(var) == 1 and not any(
            var in walk(e) for e in corner.terms
        )
        if is_square and place.lanes & (place.lanes - 1) == 0:
            shape, dtype = (place.lanes, place.lanes), load.buffer.dtype
            square = Buffer(f"{load.buffer.name}_square", shape, dtype, MemoryScope.REGISTER)
            yield _Square(load, corner, place.stride, live, square)


def _loads(store: Store) -> Iterator[Load]:
    """Yield the vector loads that a store always executes, from buffers that it does not write."""
    parts = dict.fromkeys(walk(store.value))
    chosen = {e for choice in parts if isinstance(choice, Select) for e in _chosen(choice)}
    loads = (e for e in parts if isinstance(e, Load) and e not in chosen)
    for load in loads:
        fixed = load.buffer is not store.buffer and load.buffer.scope is not MemoryScope.REGISTER
        if fixed and load.dtype.lanes > load.buffer.dtype.lanes and _has_shuffles(load.dtype):
            yield load


def _has_shuffles(dtype: DType) -> bool:
    """Whether LLVM can shuffle such vectors: on elements of 2 to 7 bits it aborts."""
    return dtype.bits >= 8 or dtype.kind is Kind.BOOL


def _chosen(choice: Select) -> Iterator[Scalar]:
    """Yield the conditionally evaluated parts of a select, except loads masked by its condition."""
    for side in choice.parts[1:]:
        for e in walk(side):
            if not (isinstance(e, Load) and e.mask == choice.condition):
                yield e


def _live(load: Load) -> int | Scalar | None:
    """Return the number of live lanes of a load if they are the first ones, else None."""
    lanes = load.dtype.lanes // load.buffer.dtype.lanes
    match load.mask:
        case None:
            return lanes
        case Compare(
            order=Order.LT,
            a=Ramp(base=Const(value=0), stride=Const(value=1)),
            b=Broadcast(operand=Const(value=int() as count)),
        ):
            return min(count, lanes)
        case Compare(
            order=Order.LT,
            a=Ramp(base=base, stride=Const(value=1)),
            b=Broadcast(operand=bound),
        ):
            return bound - base
        case _:
            return None


def _through_registers(
    loop: For, rows: range, store: Store, squares: list[_Square], simplify: Simplifier
) -> Stmt:
    filled = [_filled(square, len(rows), simplify) for square in squares]
    turned: dict[Scalar, Scalar] = {
        square.load: _column(square, simplify(loop.var - rows.start)) for square in squares
    }

    def change(e: Scalar) -> Scalar:
        return turned.get(e, e)

    value = rewrite(store.value, change, {})
    columns = replace(loop, mode=Mode.UNROLL, body=replace(store, value=value))
    body = sequence([*filled, columns])
    for square in squares:
        body = Allocate(square.buffer, body)
    return body


def _filled(square: _Square, rows: int, simplify: Simplifier) -> Stmt:
    """Return the statement that loads a square block by its contiguous rows."""
    (lanes, _), lane = square.buffer.shape, Var("lane")
    assert isinstance(lanes, int), "a register has a fixed number of lanes"
    along = Ramp(Const(0), Const(1), lanes)
    masks: list[Scalar] = []
    if rows != along.lanes:
        masks.append(Compare(Order.LT, along, Broadcast(Const(rows), along.lanes)))
    if isinstance(square.live, Scalar):
        masks.append(Broadcast(lane < square.live, along.lanes))
    mask = reduce(lambda a, b: Binary(Op.AND, a, b), masks) if masks else None
    arithmetic = simplify.arithmetic
    below = arithmetic.product(Affine({lane: 1}, 0), square.stride)
    first = arithmetic.scalar(square.corner.plus(below))
    place = (*(Const(0) for _ in square.load.indices[1:]), Ramp(first, Const(1), along.lanes))
    row = Store(square.buffer, (lane, along), Load(square.load.buffer, place, mask))
    count = square.live if isinstance(square.live, int) else along.lanes
    return For(lane, Const(0), Const(count), Mode.UNROLL, row)


def _column(square: _Square, number: Scalar) -> Load:
    lanes = square.load.dtype.lanes // square.buffer.dtype.lanes
    return Load(square.buffer, (Ramp(Const(0), Const(1), lanes), number))
