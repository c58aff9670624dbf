"""Translate TensorFlow factorisations of matrices, and systems of equations."""

from collections.abc import Sequence

from relay.frontend.builders.complex_tensor import complex_results
from relay.frontend.builders.matrix_products import multiplied
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.node_errors import static_sizes
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Call, Expr, Tuple, TupleGetItem
from relay.numpy import linalg
from relay.numpy.creation import eye
from relay.numpy.join_split_pad import broadcast_to
from relay.numpy.linalg.linear_systems import common_batch
from relay.numpy.matrix_products import cross
from relay.numpy.shapes import diagflat, diagonal, matrix_transpose
from relay.ops.binary import add, multiply
from relay.ops.cast import Cast
from relay.ops.creation import Zeros
from relay.ops.linalg.eig import Eig
from relay.ops.linalg.eigenvalues import Eigh
from relay.ops.linalg.lu_factorization import LUFactor
from relay.ops.linalg.orthonormal_bases import square_basis
from relay.ops.linalg.qr import QR
from relay.ops.linalg.solve_triangular import SolveTriangular
from relay.ops.linalg.svd import SVD
from relay.ops.tensor.concat_and_split import Concatenate, Split
from relay.ops.tensor.reshape import ExpandDims, Squeeze
from relay.ops.tensor.triangles_masks_diagonals import MatrixSetDiag


@tf_operator("Cholesky", "BatchCholesky")
def cholesky(node: TfNode) -> Expr:
    """Translate `Cholesky`, which traps if a matrix is not positive definite."""
    return linalg.cholesky(node.expr(0))


@tf_operator("MatrixDeterminant", "BatchMatrixDeterminant")
def determinant(node: TfNode) -> Expr:
    """Translate `MatrixDeterminant`."""
    return linalg.det(node.expr(0))


@tf_operator("LogMatrixDeterminant")
def log_determinant(node: TfNode) -> Sequence[Expr]:
    """Translate `LogMatrixDeterminant`: signs, and logarithms of absolute values."""
    return linalg.slogdet(node.expr(0))


@tf_operator("MatrixInverse", "BatchMatrixInverse")
def inverse(node: TfNode) -> Expr:
    """Translate `MatrixInverse`, which traps if a matrix is singular."""
    return linalg.inv(_adjoint(node, node.expr(0)))


@tf_operator("MatrixSolve", "BatchMatrixSolve")
def solve(node: TfNode) -> Expr:
    """Translate `MatrixSolve`, which traps if a matrix is singular."""
    return linalg.solve(_adjoint(node, node.expr(0)), node.expr(1))


def _adjoint(node: TfNode, x: Expr) -> Expr:
    return matrix_transpose(x) if node.flag("adjoint") else x


@tf_operator("MatrixTriangularSolve", "BatchMatrixTriangularSolve")
def triangular_solve(node: TfNode) -> Expr:
    """Translate `MatrixTriangularSolve`; leading axes broadcast."""
    a, b = _same_batches(node.expr(0), node.expr(1))
    is_upper = not node.attribute("lower", default=True)
    op = SolveTriangular(upper=is_upper, transposed=node.flag("adjoint"))
    return Call(op, (a, b), span=node.span)


def _same_batches(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """Return matrices whose leading axes are broadcast to common ones."""
    if a.tensor_type.shape[:-2] == b.tensor_type.shape[:-2]:
        return a, b
    batch = common_batch(a, b)
    first, second = (broadcast_to(x, (*batch, *x.tensor_type.shape[-2:])) for x in (a, b))
    return first, second


@tf_operator("MatrixSolveLs", "BatchMatrixSolveLs")
def least_squares(node: TfNode) -> Expr:
    """Translate `MatrixSolveLs`: the smallest of the solutions with the least squares.

    `fast` solves the normal equations, to which a multiple of the identity is added.
    """
    a, b = node.expr(0), node.expr(1)
    rows, columns = static_sizes(a.tensor_type.shape[-2:])
    if node.attribute("fast", default=True):
        return _normal_equations(a, b, node.expr(2), is_tall=rows >= columns)
    is_tall = rows >= columns
    both = Call(QR(), (a if is_tall else matrix_transpose(a),), span=node.span)
    q, r = TupleGetItem(both, 0), TupleGetItem(both, 1)
    if is_tall:
        return Call(SolveTriangular(upper=True), (r, multiplied(matrix_transpose(q), b)))
    return multiplied(q, Call(SolveTriangular(upper=True, transposed=True), (r, b)))


def _normal_equations(a: Expr, b: Expr, factor: Expr, *, is_tall: bool) -> Expr:
    turned = matrix_transpose(a)
    product = multiplied(turned, a) if is_tall else multiplied(a, turned)
    size = product.tensor_type.static_shape[-1]
    small = Call(Cast(a.tensor_type.dtype), (reshape(factor, ()),))
    unit = multiply(eye(size, dtype=a.tensor_type.dtype), small)
    whole = add(product, unit)
    if is_tall:
        return linalg.solve(whole, multiplied(turned, b))
    return multiplied(turned, linalg.solve(whole, b))


@tf_operator("Qr")
def qr(node: TfNode) -> Sequence[Expr]:
    """Translate `Qr`: orthonormal columns and an upper triangle."""
    both = Call(QR(node.flag("full_matrices")), (node.expr(0),), span=node.span)
    return [TupleGetItem(both, 0), TupleGetItem(both, 1)]


@tf_operator("Svd")
def svd(node: TfNode) -> Sequence[Expr]:
    """Translate `Svd`: singular values, and left and right vectors as columns."""
    x = node.expr(0)
    u, s, v = (TupleGetItem(Call(SVD(), (x,), span=node.span), index) for index in range(3))
    if not node.attribute("compute_uv", default=True):
        empty = Call(Zeros((0,), x.tensor_type.dtype), ())
        node.ignore("full_matrices")
        return [s, empty, empty]
    return [s, *map(square_basis, (u, v))] if node.flag("full_matrices") else [s, u, v]


@tf_operator("Eig")
def eig(node: TfNode) -> Sequence[Expr]:
    """Translate `Eig`: complex eigenvalues of any matrices, and vectors as columns."""
    node.ignore("Tout")
    found = complex_results(Eig(), node.expr(0))
    if node.attribute("compute_v", default=True):
        return found
    return [found[0], Call(Zeros((0,), found[0].tensor_type.dtype), ())]


@tf_operator("SelfAdjointEigV2", "BatchSelfAdjointEigV2")
def eigenvalues(node: TfNode) -> Sequence[Expr]:
    """Translate `SelfAdjointEigV2`: ascending eigenvalues, and vectors as columns."""
    x = node.expr(0)
    both = Call(Eigh(), (x,), span=node.span)
    if node.attribute("compute_v", default=True):
        return [TupleGetItem(both, 0), TupleGetItem(both, 1)]
    return [TupleGetItem(both, 0), Call(Zeros((0,), x.tensor_type.dtype), ())]


@tf_operator("Lu")
def lu(node: TfNode) -> Sequence[Expr]:
    """Translate `Lu`: both triangular factors in one matrix, and the order of the rows."""
    of = node.dtype("output_idx_type")
    both = Call(LUFactor(), (node.expr(0),), span=node.span)
    return [TupleGetItem(both, 0), Call(Cast(of), (TupleGetItem(both, 2),))]


@tf_operator("Cross")
def cross_product(node: TfNode) -> Expr:
    """Translate `Cross` of vectors with three elements, along the last axis."""
    return cross(node.expr(0), node.expr(1))


@tf_operator("Diag")
def diagonal_matrix(node: TfNode) -> Expr:
    """Translate `Diag`: the elements of a tensor on the diagonal of one with twice its axes."""
    shape = node.type(0).static_shape
    return reshape(diagflat(node.expr(0)), (*shape, *shape))


@tf_operator("DiagPart")
def diagonal_part(node: TfNode) -> Expr:
    """Translate `DiagPart`: the diagonal of a tensor whose axes come twice."""
    shape = node.type(0).static_shape
    half = shape[: len(shape) // 2]
    count = 1
    for size in half:
        count *= size
    return reshape(diagonal(reshape(node.expr(0), (count, count))), half)


@tf_operator("TridiagonalMatMul")
def tridiagonal_product(node: TfNode) -> Expr:
    """Translate `TridiagonalMatMul`: products with matrices given by three diagonals."""
    above, main, below, side = node.exprs()
    diagonals = (Call(Squeeze((-2,)), (each,)) for each in (above, main, below))
    return multiplied(_tridiagonal(*diagonals), side)


@tf_operator("TridiagonalSolve")
def tridiagonal_solve(node: TfNode) -> Expr:
    """Translate `TridiagonalSolve`: systems of equations given by three diagonals."""
    node.ignore("partial_pivoting", "perturb_singular")
    whole, axis = node.expr(0), node.type(0).rank - 2
    parts = Call(Split(3, axis), (whole,))
    diagonals = (Call(Squeeze((axis,)), (TupleGetItem(parts, index),)) for index in range(3))
    return linalg.solve(_tridiagonal(*diagonals), node.expr(1))


def _tridiagonal(above: Expr, main: Expr, below: Expr) -> Expr:
    """Return matrices with three diagonals.

    The last element of the upper one and the first element of the lower one are not used.
    """
    *batch, size = main.tensor_type.shape
    axis = len(batch)
    rows = [Call(ExpandDims(axis), (each,)) for each in (above, main, below)]
    zeros = Call(Zeros((*batch, size, size), main.tensor_type.dtype), ())
    if size == 1:
        return Call(MatrixSetDiag(), (zeros, main))
    op = MatrixSetDiag(-1, 1, super_diag_right_align=False, sub_diag_right_align=True)
    return Call(op, (zeros, Call(Concatenate(axis), (Tuple(tuple(rows)),))))
