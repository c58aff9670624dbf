"""Translate MXNet's `linalg` operators: products, factorisations and triangles of matrices."""

from collections.abc import Sequence

import numpy as np

from relay import numpy as rnp
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.ir.expr import Call, Constant, Expr
from relay.ops.linalg.cholesky import Cholesky
from relay.ops.linalg.solve_triangular import SolveTriangular


def _turned(x: Expr) -> Expr:
    return rnp.swapaxes(x, -1, -2)


def _scaled(node: MxNode, x: Expr, name: str = "alpha") -> Expr:
    factor = node.number(name, 1.0)
    return x if factor == 1 else rnp.multiply(x, np.asarray(factor, x.tensor_type.dtype.numpy))


def _product(node: MxNode) -> Expr:
    if node.integer("axis", -2) != -2:
        raise node.wrong("axis")
    a, b = node.tensor(), node.tensor(1)
    a = _turned(a) if node.flag("transpose_a") else a
    b = _turned(b) if node.flag("transpose_b") else b
    return _scaled(node, rnp.matmul(a, b))


@mxnet_operator("_linalg_gemm2", "linalg_gemm2")
def gemm2(node: MxNode) -> Expr:
    """Translate `linalg_gemm2`: a scaled product of matrices."""
    return _product(node)


@mxnet_operator("_linalg_gemm", "linalg_gemm")
def gemm(node: MxNode) -> Expr:
    """Translate `linalg_gemm`: a scaled product of matrices, plus a scaled matrix."""
    return rnp.add(_product(node), _scaled(node, node.tensor(2), "beta"))


@mxnet_operator("_linalg_syrk", "linalg_syrk")
def syrk(node: MxNode) -> Expr:
    """Translate `linalg_syrk`: the product of matrices with their transposes."""
    x = node.tensor()
    turned = _turned(x)
    pair = (turned, x) if node.flag("transpose") else (x, turned)
    return _scaled(node, rnp.matmul(*pair))


@mxnet_operator("_linalg_trmm", "linalg_trmm")
def trmm(node: MxNode) -> Expr:
    """Translate `linalg_trmm`: products with triangular matrices, from the left or the right."""
    a, b = node.tensor(), node.tensor(1)
    a = rnp.tril(a) if node.flag("lower", default=True) else rnp.triu(a)
    a = _turned(a) if node.flag("transpose") else a
    return _scaled(node, rnp.matmul(b, a) if node.flag("rightside") else rnp.matmul(a, b))


@mxnet_operator("_linalg_trsm", "linalg_trsm")
def trsm(node: MxNode) -> Expr:
    """Translate `linalg_trsm`: solve systems of equations with triangular matrices."""
    a, b = node.tensor(), _scaled(node, node.tensor(1))
    from_right, is_upper = node.flag("rightside"), not node.flag("lower", default=True)
    op = SolveTriangular(upper=is_upper, transposed=node.flag("transpose") != from_right)
    found = Call(op, (a, _turned(b) if from_right else b), span=node.span)
    return _turned(found) if from_right else found


@mxnet_operator("_linalg_potrf", "linalg_potrf", "_npi_cholesky")
def potrf(node: MxNode) -> Expr:
    """Translate Cholesky factorisation: the lower triangular factor."""
    return Call(Cholesky(), (node.tensor(),), span=node.span)


@mxnet_operator("_linalg_potri", "linalg_potri")
def potri(node: MxNode) -> Expr:
    """Translate `linalg_potri`: invert matrices, from their lower Cholesky factors."""
    inverse = rnp.linalg.inv(rnp.tril(node.tensor()))
    return rnp.matmul(_turned(inverse), inverse)


@mxnet_operator("_linalg_inverse", "linalg_inverse")
def inverse(node: MxNode) -> Expr:
    """Translate `linalg_inverse`."""
    return rnp.linalg.inv(node.tensor())


@mxnet_operator("_linalg_det", "linalg_det")
def determinant(node: MxNode) -> Expr:
    """Translate `linalg_det`."""
    return rnp.linalg.det(node.tensor())


@mxnet_operator("_linalg_slogdet", "linalg_slogdet")
def log_determinant(node: MxNode) -> Sequence[Expr]:
    """Translate `linalg_slogdet`: the sign, and the logarithm of the size."""
    return list(rnp.linalg.slogdet(node.tensor()))


@mxnet_operator("_linalg_sumlogdiag", "linalg_sumlogdiag")
def sum_log_diagonal(node: MxNode) -> Expr:
    """Translate `linalg_sumlogdiag`: the sum of the logarithms of the diagonal."""
    return rnp.sum(rnp.log(rnp.diagonal(node.tensor(), 0, -2, -1)), axis=-1)


@mxnet_operator("_linalg_extractdiag", "linalg_extractdiag")
def extract_diagonal(node: MxNode) -> Expr:
    """Translate `linalg_extractdiag`: a diagonal of each matrix."""
    return rnp.diagonal(node.tensor(), node.integer("offset", 0), -2, -1)


@mxnet_operator("_linalg_makediag", "linalg_makediag")
def make_diagonal(node: MxNode) -> Expr:
    """Translate `linalg_makediag`: matrices with the vectors on a diagonal."""
    x, offset = node.tensor(), node.integer("offset", 0)
    *_, size = x.tensor_type.static_shape
    numbers = np.diag(np.arange(1, size + 1), offset)
    return _by_places(x, numbers)


def _by_places(x: Expr, numbers: np.ndarray) -> Expr:
    """Return matrices of the elements with the numbers (from 1) in a matrix; 0 means zero."""
    zero = np.asarray(0, x.tensor_type.dtype.numpy)
    found = rnp.take(x, np.maximum(numbers - 1, 0), axis=-1)
    return rnp.where(Constant(numbers > 0), found, zero)


def _triangle(node: MxNode, size: int) -> np.ndarray:
    """Return which elements of a matrix are in the triangle of a node."""
    offset, ones = node.integer("offset", 0), np.ones((size, size), bool)
    is_lower = node.flag("lower", default=True) if offset == 0 else offset < 0
    return np.tril(ones, offset) if is_lower else np.triu(ones, offset)


@mxnet_operator("_linalg_extracttrian", "linalg_extracttrian")
def extract_triangle(node: MxNode) -> Expr:
    """Translate `linalg_extracttrian`: the elements of a triangle of each matrix, row by row."""
    node.ignore("lower")
    x = node.tensor()
    *batch, rows, columns = x.tensor_type.static_shape
    places = np.flatnonzero(_triangle(node, rows))
    return rnp.take(rnp.reshape(x, (*batch, rows * columns)), places, axis=-1)


@mxnet_operator("_linalg_maketrian", "linalg_maketrian")
def make_triangle(node: MxNode) -> Expr:
    """Translate `linalg_maketrian`: matrices with the elements in a triangle, row by row."""
    node.ignore("lower")
    x, offset = node.tensor(), abs(node.integer("offset", 0))
    count = x.tensor_type.static_shape[-1]
    size = round((np.sqrt(8 * count + 1) - 1) / 2) + offset
    numbers = np.zeros((size, size), int)
    numbers[_triangle(node, size)] = np.arange(1, count + 1)
    return _by_places(x, numbers)


@mxnet_operator("_linalg_syevd", "linalg_syevd")
def eigenvectors(node: MxNode) -> Sequence[Expr]:
    """Translate `linalg_syevd`: the eigenvectors in rows, and the eigenvalues."""
    values, vectors = rnp.linalg.eigh(node.tensor())
    return [_turned(vectors), values]


@mxnet_operator("_linalg_gelqf", "linalg_gelqf")
def lq(node: MxNode) -> Sequence[Expr]:
    """Translate `linalg_gelqf`: orthonormal rows `q` and a lower triangle `l`, with `a = l · q`."""
    q, r = rnp.linalg.qr(_turned(node.tensor()))
    return [_turned(q), _turned(r)]


@mxnet_operator("khatri_rao")
def khatri_rao(node: MxNode) -> Expr:
    """Translate `khatri_rao`: the Kronecker products of the columns of matrices."""
    found = node.tensor()
    for each in node.inputs[1:]:
        rows = found.tensor_type.static_shape[0] * each.tensor_type.static_shape[0]
        product = rnp.multiply(rnp.expand_dims(found, 1), rnp.expand_dims(each, 0))
        found = rnp.reshape(product, (rows, -1))
    return found
