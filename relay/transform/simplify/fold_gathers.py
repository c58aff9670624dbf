"""The pass that multiplies a constant table by a weight instead of each row gathered from it."""

from typing import cast

from relay.ir.dataflow import Found, is_constant, operators, wildcard
from relay.ir.dims import Shape
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.nn.matmul import Dense
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import Reshape, Reshaping
from relay.semantics.apply_operator import apply
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule

data, weight, dense = wildcard(), is_constant(), operators(Dense)
layer = dense(data, weight)


@value
class FoldGathers(RewritePass):
    """Multiply an embedding table by a weight at compile time, instead of each gathered row.

    `dense(take(table, i), w)` becomes `take(dense(table, w), i)`, also if reshapes that keep the
    last axis are between the two. Each step of a loop then reads one row instead of the whole
    weight. The new table has at most `limit` elements, and takes at most `work` operations.
    """

    limit: int = 1 << 24
    work: int = 1 << 32

    def rules(self) -> tuple[Rule, ...]:
        return (Rule(layer, self._folded),)

    def _folded(self, found: Found) -> Expr | None:
        units = found[weight].array
        row = self.row_of_table(found[data], units.shape[0])
        if row is None:
            return None
        table, index = cast("Constant", row.args[0]), row.args[1]
        product = cast("Array", apply(found[dense], table.array, units))
        rows = Call(row.op, (Constant(product, span=found[weight].span), index), span=row.span)
        return _shaped(rows, found[layer].tensor_type.shape)

    def row_of_table(self, data: Expr, units: int) -> Call | None:
        """Return the gather whose row `data` is, if multiplying its table in advance is worthwhile.

        The weight has `units` rows. The result is None if it is not worthwhile.
        """
        match before_reshapes(data):
            case Call(Take(axis=0, batch_dims=0), (Constant() as table, _)) as row:
                return row if self._is_worth(table, units) else None
            case _:
                return None

    def _is_worth(self, table: Constant, units: int) -> bool:
        size = table.array.shape[0] * units
        return (
            table.array.ndim == 2 and size <= self.limit and self._work(table, units) <= self.work
        )

    def _work(self, table: Constant, units: int) -> int:
        return 2 * table.array.size * units


def before_reshapes(data: Expr) -> Expr:
    """Return the operand before a sequence of reshapes that keep the last axis."""
    last = data.tensor_type.shape[-1]
    while isinstance(data, Call) and isinstance(data.op, Reshaping) and len(data.args) == 1:
        inner = data.args[0]
        shape = inner.tensor_type.shape
        if not shape or shape[-1] != last:
            break
        data = inner
    return data


def _shaped(expr: Expr, shape: Shape) -> Expr:
    if expr.tensor_type.shape == shape:
        return expr
    return Call(Reshape(shape, allowzero=True), (expr,), span=expr.span)
