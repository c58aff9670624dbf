"""Systems of equations of complex numbers as real systems of twice the size.

The matrix `a + ib` becomes `[[a, -b], [b, a]]`, and the columns `x + iy` become `[x, y]`.
"""

from collections.abc import Sequence

from relay.ir.expr import Call, Expr, Tuple, TupleGetItem
from relay.opdef.complex_rules import ComplexTensor
from relay.ops.binary import opposite
from relay.ops.tensor.concat_and_split import Concatenate, Split


def real_matrix(a: ComplexTensor) -> Expr:
    """Return the real matrices of the systems with the complex matrices `a`."""
    rows = [(a.real, opposite(a.imaginary)), (a.imaginary, a.real)]
    return _joined([_joined(row, -1) for row in rows], -2)


def real_columns(x: ComplexTensor) -> Expr:
    """Return complex columns as real ones of twice the length."""
    return _joined(x.parts, -2)


def complex_columns(x: Expr) -> ComplexTensor:
    """Return the complex columns that real ones of twice the length represent."""
    halves = Call(Split(2, -2), (x,))
    return ComplexTensor(TupleGetItem(halves, 0), TupleGetItem(halves, 1))


def _joined(parts: Sequence[Expr], axis: int) -> Expr:
    return Call(Concatenate(axis), (Tuple(tuple(parts)),))
