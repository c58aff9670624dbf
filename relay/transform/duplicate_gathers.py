"""The pass that gives each reader of a gathered row its own gather, so that no row is copied."""

from copy import copy
from typing import TypeGuard, cast

from relay.ir.expr import Call, Expr, Function
from relay.ir.use_counts import use_counts
from relay.ir.walk import fold, outside_kernels, with_children
from relay.ops.tensor.gather import Take
from relay.support.node import replace, value
from relay.transform.pipeline import FunctionPass


@value
class DuplicateGathers(FunctionPass):
    """Give each `take(take(x, i), j)` its own copy of `take(x, i)`, where several share one.

    A gather with one reader is fused into that reader's kernel, which then reads elements in place;
    a shared row would be copied first. Dynamic programming over tables, for example, can read three
    neighbours of a cell without copying two rows.
    """

    def run(self, function: Function) -> Function:
        """Duplicate shared gathers, visiting operands before the calls that read them."""
        uses = use_counts(function)

        def visit(expr: Expr, new: list[Expr]) -> Expr:
            made = with_children(expr, new) if new else expr
            if not is_row(expr) or not any(uses[row] > 1 for row in _rows_below(expr)):
                return made
            return _with_own_rows(cast("Call", made))

        return cast("Function", fold(function, visit, edges=outside_kernels))


def is_row(expr: Expr) -> TypeGuard[Call]:
    """Whether an expression gathers with a single index along the first axis."""
    match expr:
        case Call(Take(axis=0, batch_dims=0), (_, index)):
            return index.tensor_type.rank == 0
        case _:
            return False


def _rows_below(read: Call) -> list[Call]:
    """Return the nested single-row gathers that `read` takes its data from, innermost first."""
    rows: list[Call] = []
    data = read.args[0]
    while is_row(data):
        rows.append(data)
        data = data.args[0]
    return rows


def _with_own_rows(read: Call) -> Call:
    own: Expr | None = None
    for row in reversed(_rows_below(read)):
        own = copy(row) if own is None else replace(row, args=(own, row.args[1]))
    return read if own is None else replace(read, args=(own, read.args[1]))
