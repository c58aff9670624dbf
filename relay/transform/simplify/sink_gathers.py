"""The pass that computes functions of gathered rows once, on the constant table."""

from collections.abc import Sequence
from typing import cast

from relay.ir.dataflow import Found, is_constant, operators, wildcard
from relay.ir.expr import Array, Call, Constant, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.families import Pointwise
from relay.ops.tensor.gather import Take
from relay.ops.tensor.slice import StridedSlice
from relay.semantics.apply_operator import apply
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule


def _table(expr: Expr) -> Constant | None:
    """Return the constant table of which an expression gathers rows; None for others."""
    match expr:
        case Call(Take(axis=0, batch_dims=0), (Constant(data) as table, _)) if data.ndim:
            return table
        case _:
            return None


def _reads_row(call: Call) -> bool:
    return any(_table(arg) is not None for arg in call.args)


table = is_constant().where(lambda c: c.array.ndim > 0)
row = operators(Take, axis=0, batch_dims=0)(table, wildcard())
pointwise = operators(Pointwise, may_trap=False)
elementwise = pointwise(None).where(_reads_row)
slice_ = operators(StridedSlice)
part = slice_(row)


@value
class SinkGathers(RewritePass):
    """Compute functions of gathered rows for the whole table, and gather from the result.

    1. `tanh(take(table, i))` becomes `take(tanh(table), i)`. This applies to operators of several
       arguments, too, if each is a constant no larger than a row, or a row of a table at the same
       index.
    2. A slice of a row becomes a row of a slice of the table.

    The new table has at most `limit` elements, and no more than the tables that it is computed
    from.
    """

    limit: int = 1 << 22

    def rules(self) -> tuple[Rule, ...]:
        return (Rule(elementwise, self._computed), Rule(part, self._sliced))

    def _computed(self, found: Found) -> Expr | None:
        call = found[elementwise]
        rows = [arg for arg in call.args if _table(arg) is not None]
        if any(_lookup(row) != _lookup(rows[0]) for row in rows):
            return None
        rank = len(cast("Constant", _table(rows[0])).array.shape)
        if not all(_fits(arg, rank) for arg in call.args):
            return None
        tables = [(arg, _table(arg)) for arg in call.args]
        operands = [cast("Constant", arg if t is None else t).array for arg, t in tables]
        return self._looked_up(cast("Call", rows[0]), found[pointwise], operands)

    def _sliced(self, found: Found) -> Expr | None:
        op = _of_table(found[slice_], found[row])
        return None if op is None else self._looked_up(found[row], op, [found[table].array])

    def _looked_up(self, row: Call, op: OperatorDef, operands: Sequence[Array]) -> Expr | None:
        """Return an operator's result on whole tables, gathered at the index of `row`.

        `operands` are the tables. The result is None if the new table would be too large.
        """
        if max(each.size for each in operands) > self.limit:
            return None
        made = cast("Array", apply(op, *operands))
        if made.size > min(self.limit, sum({id(each): each.size for each in operands}.values())):
            return None
        return Call(row.op, (Constant(made, span=row.span), row.args[1]), span=row.span)


def _lookup(row: Expr) -> tuple[object, Expr, int, int]:
    """Return a key of a gathered row; gathers with equal keys can be combined.

    The key contains the operator, the indices, and the table's number of rows and rank.
    """
    assert isinstance(row, Call), "rows are taken"
    shape = cast("Constant", row.args[0]).array.shape
    return row.op, row.args[1], shape[0], len(shape)


def _fits(arg: Expr, rank: int) -> bool:
    return _table(arg) is not None or (isinstance(arg, Constant) and arg.array.ndim < rank)


def _of_table(op: StridedSlice, row: Call) -> StridedSlice | None:
    """Return the slice of a table for a slice of its rows; None if it slices the index axes."""
    rank = row.tensor_type.rank
    index = row.args[1].tensor_type.rank
    axes = op.sliced(rank)
    if any(axis < index for axis in axes):
        return None
    moved = tuple(axis - index + 1 for axis in axes)
    return StridedSlice(op.begin, op.end, op.strides, op.slice_mode, moved)
