"""The pass that replaces writes of all rows of a tensor by a concatenation."""

from collections.abc import Sequence
from typing import NamedTuple

from relay.ir.dataflow import Found, is_constant, operators, wildcard
from relay.ir.dims import Shape, is_static
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.scatter import ScatterND
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule

scatter = operators(ScatterND, mode="update")(wildcard(), is_constant(), wildcard())


@value
class ScatterToConcat(RewritePass):
    """Replace a tensor whose rows are all written at constant indices by their concatenation.

    Such a tensor is the result of unrolling a loop that fills it. If a row is written several
    times, the last write counts.
    """

    def rules(self) -> tuple[Rule, ...]:
        lengths: dict[Expr, int] = {}

        def joined(found: Found) -> Expr | None:
            write = _write(found[scatter])
            if write is None:
                return None
            lengths[write.whole] = lengths.get(write.before, 0) + 1
            rows = _rows(write) if lengths[write.whole] >= write.count else None
            return None if rows is None else _joined(write.whole, rows)

        return (Rule(scatter, joined),)


class _Write(NamedTuple):
    whole: Call
    before: Expr
    place: int
    row: Expr
    count: int  # number of rows of the whole tensor


def _write(expr: Expr) -> _Write | None:
    """Return an expression as a write of one row at a constant index; None if it is not one."""
    match expr:
        case Call(ScatterND("update"), (before, Constant(place), row)) if place.size == 1:
            shape = before.tensor_type.shape
            count, index = shape[0], int(place.flat[0])
            is_row = place.shape in {(1,), (1, 1)} and is_static(shape)
            if is_row and isinstance(count, int) and -count <= index < count:
                return _Write(expr, before, index % count, row, count)
            return None
        case _:
            return None


def _rows(last: _Write) -> Sequence[Expr] | None:
    """Return all rows as they are after the write `last`; None if some are never written."""
    found: dict[int, Expr] = {}
    write: _Write | None = last
    while write is not None:
        found.setdefault(write.place, write.row)
        write = _write(write.before)
    return [found[place] for place in range(last.count)] if len(found) == last.count else None


def _joined(last: Expr, rows: Sequence[Expr]) -> Expr:
    whole = last.tensor_type.shape
    parts = [_as_list(row, (1, *whole[1:])) for row in rows]
    return Call(Concatenate(0), (Tuple(tuple(parts)),))


def _as_list(row: Expr, shape: Shape) -> Expr:
    is_list = row.tensor_type.shape == shape
    return row if is_list else Call(Reshape(shape, allowzero=True), (row,))
