"""Arithmetic on rows of constant tables is a row of another table."""

from collections.abc import Sequence
from typing import cast

from relay.ir.expr import Array, Call, Constant, Expr, Function
from relay.ir.walk import rewrite
from relay.opdef.definition import OperatorDef
from relay.ops.families import Pointwise
from relay.ops.tensor.gather import Take
from relay.ops.tensor.slice import StridedSlice
from relay.semantics.apply import apply
from relay.support.node import value
from relay.transform.pipeline import FunctionPass


@value
class FoldRows(FunctionPass):
    """Compute what depends on an index into tables alone for all its values, and look it up.

    1. `tanh(take(table, i))` is `take(tanh(table), i)`, and so are operators of several arguments,
       if all are constants, no larger than a row, or rows of tables at the same index.
    2. A part of a row is a row of a part of the table.

    The new table has at most `limit` elements, and no more than the tables that it is made of.
    """

    limit: int = 1 << 22

    def run(self, function: Function) -> Function:
        """Rewrite from the leaves up."""
        return cast("Function", rewrite(function, self._folded))

    def _folded(self, expr: Expr) -> Expr:
        match expr:
            case Call(Pointwise(may_trap=False) as op, args):  # case 1
                return self._computed(expr, op, args)
            case Call(StridedSlice() as op, (Call() as row,)):  # case 2
                return self._sliced(expr, op, row)
            case _:
                return expr

    def _sliced(self, expr: Call, op: StridedSlice, row: Call) -> Expr:
        table = _table(row)
        part = None if table is None else _of_table(op, row)
        if table is None or part is None:
            return expr
        return self._looked_up(expr, row, part, [table.data])

    def _computed(self, expr: Call, op: OperatorDef, args: Sequence[Expr]) -> Expr:
        rows = [arg for arg in args if _table(arg) is not None]
        if not rows or any(_lookup(row) != _lookup(rows[0]) for row in rows):
            return expr
        rank = len(cast("Constant", _table(rows[0])).data.shape)
        if not all(_fits(arg, rank) for arg in args):
            return expr
        tables = [(arg, _table(arg)) for arg in args]
        operands = [cast("Constant", arg if t is None else t).data for arg, t in tables]
        return self._looked_up(expr, cast("Call", rows[0]), op, operands)

    def _looked_up(self, expr: Call, row: Call, op: OperatorDef, operands: Sequence[Array]) -> Expr:
        """Return the row, at the index of another, of what an operator makes of whole tables."""
        if max(each.size for each in operands) > self.limit:
            return expr
        made = cast("Array", apply(op, *operands))
        if made.size > min(self.limit, sum({id(each): each.size for each in operands}.values())):
            return expr
        return Call(row.op, (Constant(made, span=expr.span), row.args[1]), span=row.span)


def _table(expr: Expr) -> Constant | None:
    """Return the table that rows are taken of."""
    match expr:
        case Call(Take(axis=0, batch_dims=0), (Constant(data) as table, _)) if data.ndim:
            return table
        case _:
            return None


def _lookup(row: Expr) -> tuple[object, Expr, int, int]:
    """Return what rows of different tables must have in common to be rows of one."""
    assert isinstance(row, Call), "rows are taken"
    shape = cast("Constant", row.args[0]).data.shape
    return row.op, row.args[1], shape[0], len(shape)


def _fits(arg: Expr, rank: int) -> bool:
    """Whether an argument is rows of a table of this rank, or a constant like one of its rows."""
    return _table(arg) is not None or (isinstance(arg, Constant) and arg.data.ndim < rank)


def _of_table(op: StridedSlice, row: Call) -> StridedSlice | None:
    """Return the slice of a table that is a slice of its rows; None if it chooses among rows."""
    rank = row.tensor_type.rank
    index = row.args[1].tensor_type.rank
    axes = op.sliced(rank)
    if any(axis < index for axis in axes):
        return None
    moved = tuple(axis - index + 1 for axis in axes)
    return StridedSlice(op.begin, op.end, op.strides, op.slice_mode, moved)
