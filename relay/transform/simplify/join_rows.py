"""Rows that are written one by one are joined at once."""

from collections.abc import Sequence
from typing import NamedTuple, cast

from relay.ir.dims import Shape, is_static
from relay.ir.expr import Call, Constant, Expr, Function, Tuple
from relay.ir.walk import rewrite
from relay.ops.tensor.join import Concatenate
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.scatter import ScatterND
from relay.support.node import value
from relay.transform.effects import Effectful
from relay.transform.pipeline import FunctionPass


@value
class JoinRows(FunctionPass):
    """Replace a tensor whose rows are all written, at places that are known, by their join.

    This is what is left of a loop that fills a tensor once its steps are written out. Of several
    writes to one row the last one counts. Effects are neither dropped nor reordered.
    """

    def run(self, function: Function) -> Function:
        """Rewrite from the leaves up; the work is linear in the writes."""
        lengths: dict[int, int] = {}
        effectful = Effectful()

        def rule(expr: Expr) -> Expr:
            write = _write(expr)
            if write is None:
                return expr
            lengths[id(expr)] = lengths.get(id(write.before), 0) + 1
            is_long = lengths[id(expr)] >= write.count
            rows = _rows(expr, write.count, effectful) if is_long else None
            return expr if rows is None else _joined(expr, rows)

        return cast("Function", rewrite(function, rule))


class _Write(NamedTuple):
    before: Expr
    place: int
    row: Expr
    count: int  # rows of the whole tensor


def _write(expr: Expr) -> _Write | None:
    """Return what an expression writes, if it replaces one row at a known place.

    The place is the index of a row, or a list of one index with a list of one row.
    """
    match expr:
        case Call(ScatterND("update"), (before, Constant(place), row)) if place.shape in {
            (1,),
            (1, 1),
        }:
            shape = before.tensor_type.shape
            count, index = shape[0], int(place.flat[0])
            if is_static(shape) and isinstance(count, int) and -count <= index < count:
                return _Write(before, index % count, row, count)
            return None
        case _:
            return None


def _rows(last: Expr, count: int, effectful: Effectful) -> Sequence[Expr] | None:
    """Return the rows after the last write; None if some are never written, or more is needed."""
    found: dict[int, Expr] = {}
    before, write = last, _write(last)
    while write is not None:
        if write.place in found and write.row in effectful:
            return None
        found.setdefault(write.place, write.row)
        before, write = write.before, _write(write.before)
    if len(found) < count or before in effectful:
        return None
    rows = [found[place] for place in range(count)]
    is_in_order = list(found) == [*reversed(range(count))]
    return rows if is_in_order or not any(row in effectful for row in rows) else None


def _joined(last: Expr, rows: Sequence[Expr]) -> Expr:
    whole = last.tensor_type.shape
    parts = [_as_list(row, (1, *whole[1:])) for row in rows]
    return Call(Concatenate(0), (Tuple(tuple(parts)),))


def _as_list(row: Expr, shape: Shape) -> Expr:
    """Return a row as a tensor of one row."""
    is_list = row.tensor_type.shape == shape
    return row if is_list else Call(Reshape(shape, allowzero=True), (row,))
