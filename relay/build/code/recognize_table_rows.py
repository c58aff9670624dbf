"""Recognises batched regions whose results are rows of constant tables."""

from relay.ir.expr import Array, Call, Constant, Expr, Function, Let, Tuple, Var
from relay.ops.tensor.gather import Take
from relay.support.node import node


@node
class TableRow:
    """A result that is a row of `table`; parameter number `parameter` holds the row's number."""

    table: Array
    parameter: int


def table_rows(function: Function) -> tuple[TableRow, ...]:
    """Return a table row for each result of a function; none if it computes one of its results.

    The operators of the function are grouped into kernels.
    """
    bound: dict[Expr, Expr] = {}
    body = function.body
    while isinstance(body, Let):
        bound[body.var] = body.value
        body = body.body
    results = body.fields if isinstance(body, Tuple) else (body,)
    found = [_row(bound.get(each, each), function.params) for each in results]
    known = tuple(row for row in found if row is not None)
    return known if len(known) == len(found) else ()


def _row(result: Expr, params: tuple[Var, ...]) -> TableRow | None:
    match result:
        case Call(
            Function(inner, Call(Take(axis=0, batch_dims=0), read)),
            (Constant(table), Var() as number),
        ):
            is_row = tuple(read) == tuple(inner) and number in params
            is_row = is_row and table.ndim > 1 and table.size > 0
            one_each = number.tensor_type.rank == 1
            return TableRow(table, params.index(number)) if is_row and one_each else None
        case _:
            return None
