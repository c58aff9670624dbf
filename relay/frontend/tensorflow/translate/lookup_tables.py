"""Translate lookup tables, whose contents are constant after their initialisation."""

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.non_tensor_values import TableHandle, Value
from relay.frontend.tensorflow.registry import tf_operator
from relay.frontend.tensorflow.table_values import TABLES, Table
from relay.ir.expr import Call, Constant, Expr
from relay.ops.comparison import equal
from relay.ops.creation import FullLike
from relay.ops.selection import where
from relay.ops.tensor.gather import Take
from relay.ops.tensor.search_and_unique import SearchSorted
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode


@tf_operator(*TABLES)
def table_handle(node: TfNode) -> Value:
    """Translate a hash table to a reference to its contents."""
    return TableHandle(node.node.name)


@tf_operator("LookupTableFind", "LookupTableFindV2")
def find(node: TfNode) -> Expr:
    """Translate a search for keys: their values, or a default value for unknown keys."""
    table, wanted, default = _table(node), node.expr(1), node.expr(2)
    if not table.keys.size:
        return Call(FullLike(), (wanted, default))
    keys, values = Constant(table.keys), Constant(table.values)
    places = Call(SearchSorted(dtype=int64), (keys, wanted), span=node.span)
    take = Take(axis=0, mode="clip")
    is_known = equal(Call(take, (keys, places)), wanted)
    return where(is_known, Call(take, (values, places)), default)


@tf_operator("LookupTableSize", "LookupTableSizeV2")
def size(node: TfNode) -> Expr:
    """Translate the number of entries of a table."""
    return constant(_table(node).keys.size, int64)


def _table(node: TfNode) -> Table:
    """Return the table that the first input refers to; raises `F021` for others."""
    handle = node.value(0)
    if not isinstance(handle, TableHandle):
        raise node.error(ErrorCode.F021, "the input number 0 is not a lookup table of the model")
    return node.around.table(handle.name)
