"""The rules of operators on complex matrices, by real systems of twice the size."""

from relay.ir.expr import Call, Expr, TupleGetItem
from relay.opdef.complex_rules import ComplexTensor, complex_rule
from relay.ops.binary import add
from relay.ops.broadcasting import BroadcastTo
from relay.ops.complex_numbers.real_systems import complex_columns, real_columns, real_matrix
from relay.ops.linalg.lu_factorization import LUFactor
from relay.ops.linalg.matrix_helpers import lower, transposed, upper
from relay.ops.linalg.solve_triangular import SolveTriangular
from relay.ops.tensor.gather import Gather
from relay.ops.tensor.position_tensors import identity
from relay.ops.tensor.reshape import ExpandDims


@complex_rule(SolveTriangular)
def _solve_triangular(op: SolveTriangular, a: ComplexTensor, b: ComplexTensor) -> ComplexTensor:
    """Return the solutions of real systems with the triangles of both parts."""
    real, imaginary = (_triangle(op, part) for part in a.parts)
    if op.unit:
        real = add(real, identity(real, -1))
    matrix = real_matrix(ComplexTensor(real, imaginary))
    return complex_columns(_solved(matrix, real_columns(b)))


def _triangle(op: SolveTriangular, x: Expr) -> Expr:
    found = upper(x, int(op.unit)) if op.upper else lower(x, -int(op.unit))
    return transposed(found) if op.transposed else found


def _solved(a: Expr, b: Expr) -> Expr:
    """Return the solutions of real systems; those with singular matrices are infinite or NaN."""
    factors = Call(LUFactor(), (a,))
    order = Call(ExpandDims(-1), (TupleGetItem(factors, 2),))
    places = Call(BroadcastTo(b.tensor_type.shape), (order,))
    inner = Call(Gather(-2), (b, places))
    inner = Call(SolveTriangular(unit=True), (TupleGetItem(factors, 0), inner))
    return Call(SolveTriangular(upper=True), (TupleGetItem(factors, 0), inner))
