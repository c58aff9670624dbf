"""Read and write windows of tensors at index vectors, as StableHLO's gathers and scatters do.

Both compute linear positions: the axes that index vectors address are merged into one axis,
together with batch axes. A gather clamps windows to the operand; a scatter ignores windows that are
out of range.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from relay.frontend.builders.run_time_slices import clamped
from relay.frontend.builders.size_expressions import numbers_below, size_number
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.ir.dims import Dim, Shape, product
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import add, multiply
from relay.ops.broadcasting import BroadcastTo
from relay.ops.cast import Cast
from relay.ops.comparison import GreaterEqual, LessEqual
from relay.ops.creation import Zeros
from relay.ops.logical import LogicalAnd
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.gather import Take
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose, inverted
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError

Failure = Callable[[ErrorCode, str], RelayImportError]
"""Returns the error of the operation that is translated, for a code and a problem."""


@dataclass(frozen=True)
class WindowAxes:
    """The numbers of axes that describe a gather or a scatter.

    `window` are the axes of the result of a gather, or of the updates of a scatter, along which
    windows extend; `dropped` the axes of the operand, of size 1 in windows, that these lack.
    `mapped` are the axes that components of index vectors address; `vector` is the axis of the
    indices along which index vectors extend. `batching` are pairs of batch axes of the operand and
    of the indices.
    """

    window: tuple[int, ...]
    dropped: tuple[int, ...]
    mapped: tuple[int, ...]
    vector: int
    batching: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class _WindowAddressing:
    """How index vectors address windows of an operand: axes, batch axes and window sizes.

    `mapped` are the axes that the components of index vectors address; `batching` are pairs of
    batch axes of the operand and of the indices; `sizes` are the sizes of a window.
    """

    shape: Shape
    mapped: tuple[int, ...]
    batching: tuple[tuple[int, int], ...]
    sizes: Shape
    vector: int

    @property
    def joined(self) -> list[int]:
        """Return the axes that are merged: batch axes, then those that indices address."""
        return [*(axis for axis, _ in self.batching), *self.mapped]

    @property
    def rest(self) -> list[int]:
        """Return the other axes of the operand, along which windows have the full size."""
        return [axis for axis in range(len(self.shape)) if axis not in self.joined]

    @property
    def wide(self) -> list[int]:
        """Return the addressed axes along which windows have more than one element."""
        return sorted(axis for axis in self.mapped if self.sizes[axis] != 1)


def _index_columns(places: _WindowAddressing, indices: Expr) -> tuple[list[Expr], Shape]:
    """Return each component of the index vectors as a tensor, and the batch shape of these."""
    shape = indices.tensor_type.shape
    wide = Call(Cast(int64), (indices,))
    if places.vector == len(shape):
        return [wide], shape
    batch = shape[: places.vector] + shape[places.vector + 1 :]
    columns = [
        reshape(Call(StridedSlice((n,), (n + 1,), axes=(places.vector,)), (wide,)), batch)
        for n in range(len(places.mapped))
    ]
    return columns, batch


def _linear_positions(places: _WindowAddressing, columns: Sequence[Expr], batch: Shape) -> Expr:
    """Return the linear positions of all elements of the windows.

    The shape of the result is the batch shape, followed by the window sizes along `wide` axes.
    """
    extra = [places.sizes[axis] for axis in places.wide]
    total: Expr = constant(0, int64)
    step: Dim = 1
    steps: dict[int, Dim] = {}
    for axis in reversed(places.joined):
        steps[axis] = step
        step = step * places.shape[axis]
    for axis, column in zip(places.mapped, columns, strict=True):
        spread = reshape(column, (*batch, *(1,) * len(extra)))
        if axis in places.wide:
            numbers = _numbers(places.sizes[axis], len(extra) - 1 - places.wide.index(axis))
            spread = add(spread, numbers)
        total = add(total, multiply(spread, size_number(steps[axis])))
    for axis, of_indices in places.batching:
        at = of_indices - (of_indices > places.vector)
        numbers = _numbers(batch[at], len(batch) + len(extra) - at - 1)
        total = add(total, multiply(numbers, size_number(steps[axis])))
    return _broadcast(total, (*batch, *extra))


def _numbers(size: Dim, behind: int) -> Expr:
    """Return the numbers below `size` along an axis that `behind` axes of size 1 follow."""
    return reshape(numbers_below(size), (size, *(1,) * behind))


def _broadcast(x: Expr, shape: Shape) -> Expr:
    return x if x.tensor_type.shape == shape else Call(BroadcastTo(shape), (x,))


def _rows(x: Expr, places: _WindowAddressing) -> Expr:
    """Return the operand as rows: the merged axes become the first axis."""
    order = (*places.joined, *places.rest)
    turned = x if order == tuple(range(len(order))) else Call(Transpose(order), (x,))
    count = product(places.shape[axis] for axis in places.joined)
    return reshape(turned, (count, *(places.shape[axis] for axis in places.rest)))


def gathered(
    x: Expr, indices: Expr, axes: WindowAxes, sizes: Shape, shape: Shape,
    failure: Failure,
) -> Expr:  # fmt: skip
    """Return the windows of the given sizes at index vectors, which are clamped to the operand.

    The result has the given shape. Raises `F026` for axes that do not fit.
    """
    places = _WindowAddressing(x.tensor_type.shape, axes.mapped, axes.batching, sizes, axes.vector)
    x, places = _cropped(x, places)
    columns, batch = _index_columns(places, indices)
    limits = [places.shape[axis] - sizes[axis] for axis in axes.mapped]
    inside = [clamped(column, limit) for column, limit in zip(columns, limits, strict=True)]
    found = Call(
        Take(axis=0, mode="fast"), (_rows(x, places), _linear_positions(places, inside, batch))
    )
    return _in_result_order(found, places, len(batch), axes, shape, failure)


def _cropped(x: Expr, places: _WindowAddressing) -> tuple[Expr, _WindowAddressing]:
    """Return the operand cropped to the window sizes along unaddressed axes, and its addressing."""
    ends = [
        places.sizes[axis] if axis in places.rest else size
        for axis, size in enumerate(places.shape)
    ]
    if tuple(ends) == places.shape:
        return x, places
    part = Call(StridedSlice((0,) * len(ends), tuple(ends)), (x,))
    cut = _WindowAddressing(
        tuple(ends), places.mapped, places.batching, places.sizes, places.vector
    )
    return part, cut


def _in_result_order(
    found: Expr, places: _WindowAddressing, batch: int, axes: WindowAxes, shape: Shape,
    failure: Failure,
) -> Expr:  # fmt: skip
    """Return the gathered elements with the axes in the order of the result."""
    dropped = {*axes.dropped, *(axis for axis, _ in places.batching)}
    kept = [axis for axis in range(len(places.shape)) if axis not in dropped]
    behind = [*places.wide, *places.rest]
    ones = [axis for axis in kept if axis not in behind]  # the remaining axes, all of size 1
    sizes = found.tensor_type.shape
    found = reshape(found, (*sizes, *(1,) * len(ones))) if ones else found
    where_is = {axis: batch + n for n, axis in enumerate([*behind, *ones])}
    windows = iter([where_is[axis] for axis in kept])
    others = iter(range(batch))
    gone = [where_is[axis] for axis in behind if axis in dropped]  # they must have size 1
    if gone:
        listed = ", ".join(map(str, sorted(axis for axis in behind if axis in dropped)))
        problem = f"a gather can collapse only axes of size 1, but collapses larger axes: {listed}"
        raise failure(ErrorCode.F026, problem)
    order = tuple(
        next(windows) if axis in axes.window else next(others) for axis in range(len(shape))
    )
    turned = found if order == tuple(range(len(order))) else Call(Transpose(order), (found,))
    return reshape(turned, shape)


def scattered(
    x: Expr, indices: Expr, updates: Expr, axes: WindowAxes, mode: str, failure: Failure
) -> Expr:
    """Return a tensor with windows of updates combined by `mode`, that of `ScatterND`.

    Windows that are out of range are ignored. Raises `F030` for windows that are too small.
    """
    shape = x.tensor_type.shape
    gone = {*axes.dropped, *(axis for axis, _ in axes.batching)}
    sizes = _window_sizes(shape, updates, axes.window, gone)
    places = _WindowAddressing(shape, axes.mapped, axes.batching, sizes, axes.vector)
    for axis in places.rest:
        if sizes[axis] != shape[axis]:
            problem = (
                f"a scatter has no index for axis {axis}, so it must write all {shape[axis]} "
                f"elements along this axis, but writes {sizes[axis]}"
            )
            raise failure(ErrorCode.F030, problem)
    columns, batch = _index_columns(places, indices)
    rows = _rows(x, places)
    at = _positions_or_past_end(places, columns, batch, rows)
    return _written(rows, at, _updates_first(updates, axes, places), mode, places)


def _window_sizes(shape: Shape, updates: Expr, windows: Sequence[int], inserted: set[int]) -> Shape:
    """Return the window size along each axis of the operand."""
    given = iter([updates.tensor_type.shape[axis] for axis in windows])
    return tuple(1 if axis in inserted else next(given) for axis in range(len(shape)))


def _positions_or_past_end(
    places: _WindowAddressing, columns: Sequence[Expr], batch: Shape, rows: Expr
) -> Expr:
    """Return the linear positions of windows.

    Windows that are out of range get the position after the last row.
    """
    flat = _linear_positions(places, columns, batch)
    valid: Expr | None = None
    for axis, column in zip(places.mapped, columns, strict=True):
        limit = size_number(places.shape[axis] - places.sizes[axis])
        from_zero = Call(GreaterEqual(), (column, constant(0, int64)))
        fits = Call(LogicalAnd(), (from_zero, Call(LessEqual(), (column, limit))))
        valid = fits if valid is None else Call(LogicalAnd(), (valid, fits))
    if valid is None:
        return flat
    extra = flat.tensor_type.rank - len(batch)
    spread = reshape(valid, (*batch, *(1,) * extra))
    return where(spread, flat, size_number(rows.tensor_type.shape[0]))


def _updates_first(updates: Expr, axes: WindowAxes, places: _WindowAddressing) -> Expr:
    """Return the updates with the batch axes first, then the axes `wide`, then the others."""
    inserted = {*axes.dropped, *(axis for axis, _ in places.batching)}
    kept = [axis for axis in range(len(places.shape)) if axis not in inserted]
    of_axis = dict(zip(kept, axes.window, strict=True))
    batch = [axis for axis in range(updates.tensor_type.rank) if axis not in axes.window]
    ones = [axis for axis in kept if axis not in places.wide and axis not in places.rest]
    order = (*batch, *(of_axis[axis] for axis in (*places.wide, *places.rest, *ones)))
    turned = Call(Transpose(order), (updates,))
    sizes = turned.tensor_type.shape
    return reshape(turned, sizes[: len(sizes) - len(ones)])


def _written(rows: Expr, at: Expr, updates: Expr, mode: str, places: _WindowAddressing) -> Expr:
    """Return the operand with updates applied, and its axes in the original order."""
    count, *rest = rows.tensor_type.shape
    spare = Call(Zeros((1, *rest), rows.tensor_type.dtype), ())
    room = Call(Concatenate(0), (Tuple((rows, spare)),))
    many = product(at.tensor_type.shape)
    places_ = reshape(at, (1, many))
    given = reshape(updates, (many, *rest))
    found = Call(ScatterND(mode), (room, places_, given))
    kept = Call(StridedSlice((0,), (count,), axes=(0,)), (found,))
    order = (*places.joined, *places.rest)
    shaped = reshape(kept, tuple(places.shape[axis] for axis in order))
    return shaped if order == tuple(sorted(order)) else Call(Transpose(inverted(order)), (shaped,))
