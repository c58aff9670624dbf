"""Eigenvalues and eigenvectors of complex Hermitian matrices, by their Schur form."""

from relay.frontend.builders.complex_tensor import adjoint, complex_results
from relay.ir.expr import Call, Expr
from relay.numpy.shapes import diagonal
from relay.numpy.sort_search_select import argsort, take_along_axis
from relay.ops.binary import add, subtract
from relay.ops.functions import core
from relay.ops.linalg.eig import Schur
from relay.ops.linalg.matrix_helpers import transposed
from relay.ops.tensor.reshape import ExpandDims


def hermitian_eigenvectors(x: Expr, *, upper: bool) -> tuple[Expr, Expr]:
    """Return the ascending real eigenvalues of Hermitian matrices, and their eigenvectors.

    Only one triangle of the matrices is read. The Schur form is diagonal, and its basis has
    orthogonal columns, also where eigenvalues are equal.
    """
    whole = with_both_triangles(adjoint(x) if upper else x)
    form, basis = complex_results(Schur(), whole)
    values = core.real(diagonal(form, axis1=-2, axis2=-1))
    order = argsort(values)
    columns = Call(ExpandDims(-2), (order,))
    parts = (take_along_axis(part, columns, -1) for part in (core.real(basis), core.imag(basis)))
    return take_along_axis(values, order, -1), core.complex(*parts)


def with_both_triangles(x: Expr) -> Expr:
    """Return the Hermitian matrices with the lower triangles of `x`."""
    real = core.trilu(core.real(x), 0, upper=False)
    imaginary = core.trilu(core.imag(x), -1, upper=False)
    above, across = (transposed(core.trilu(part, -1, upper=False)) for part in (real, imaginary))
    return core.complex(add(real, above), subtract(imaginary, across))
