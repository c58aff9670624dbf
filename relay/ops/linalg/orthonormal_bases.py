"""Extends orthonormal columns to bases of the whole space."""

from relay.ir.expr import Call, Expr, Tuple, TupleGetItem
from relay.ops.linalg.qr import QR
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.slice import StridedSlice


def square_basis(basis: Expr) -> Expr:
    """Return the orthonormal columns of `basis`, extended to a square orthogonal matrix.

    The sizes of its last two axes are integers.
    """
    rows, columns = basis.tensor_type.shape[-2:]
    assert isinstance(rows, int), "the caller has checked that the sizes are known"
    assert isinstance(columns, int), "the caller has checked that the sizes are known"
    if rows == columns:
        return basis
    whole = TupleGetItem(Call(QR(complete=True), (basis,)), 0)
    axis = basis.tensor_type.rank - 1
    more = Call(StridedSlice((columns,), (rows,), axes=(axis,)), (whole,))
    return Call(Concatenate(axis), (Tuple((basis, more)),))
