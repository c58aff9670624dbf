"""Translate JAX's calls of LAPACK that loops over rows or columns compute.

The results for factors that JAX does not use are operands.
"""

from collections.abc import Sequence
from math import prod

import numpy as np

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.complex_householder import complex_householder
from relay.frontend.builders.complex_svd import complex_svd, unitary_basis
from relay.frontend.builders.complex_tensor import adjoint
from relay.frontend.builders.counted_loops import at
from relay.frontend.builders.householder import reflections_product
from relay.frontend.builders.matrix_loops import (
    complex_cholesky,
    complex_lu,
    hessenberg,
    tridiagonal_solution,
)
from relay.frontend.builders.real_schur import real_schur
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.stablehlo.node import HloNode
from relay.frontend.stablehlo.translate.linear_algebra import (
    lapack,
    letter,
    require_sizes,
    success,
)
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ir.types import TensorType
from relay.numpy.shapes import diagonal
from relay.ops.binary import add, multiply, subtract
from relay.ops.creation import Zeros
from relay.ops.functions import core
from relay.ops.tensor.concat_and_split import Concatenate
from relay.support.dtype import int32, int64


@lapack("getrf", "cz")
def complex_lu_call(node: HloNode) -> Sequence[Expr]:
    """Translate an LU factorisation of complex matrices; pivot rows are counted from 1."""
    node.ignore_all()
    require_sizes(node, node.type(0).shape[-2:])
    factors, pivots = complex_lu(node.operands[0])
    return [factors, add(pivots, constant(1, int32)), success(node)]


@lapack("potrf", "cz")
def complex_cholesky_call(node: HloNode) -> Sequence[Expr]:
    """Translate a Cholesky factorisation of complex matrices; the last result marks failures."""
    node.ignore_all()
    (x, *_), is_lower = node.operands, letter(node, "uplo") == "L"
    require_sizes(node, x.tensor_type.shape[-2:])
    factor = complex_cholesky(x if is_lower else adjoint(x))
    has_none = core.any(core.isnan(factor), axis=(-2, -1))
    return [factor if is_lower else adjoint(factor), core.cast(has_none, "int32")]


@lapack("geqrf", "cz")
def complex_qr_call(node: HloNode) -> Sequence[Expr]:
    """Translate a QR factorisation of complex matrices whose results are reflections."""
    node.ignore_all()
    require_sizes(node, node.type(0).shape[-2:])
    return complex_householder(node.operands[0])


@lapack("ungqr", "cz")
def unitary_call(node: HloNode) -> Expr:
    """Translate `ungqr`: multiply Householder's reflections to a unitary matrix."""
    node.ignore_all()
    require_sizes(node, node.type(0).shape[-2:])
    return reflections_product(*node.operands[:2])


@lapack("gesdd", "cz")
def complex_svd_call(node: HloNode) -> Sequence[Expr]:
    """Translate a singular value decomposition of complex matrices; the first result is unused."""
    node.ignore_all()
    (x, *_) = node.operands
    require_sizes(node, node.type(0).shape[-2:])
    u, values, v = complex_svd(x)
    if node.result_types[2].shape != u.tensor_type.shape:
        u = unitary_basis(u)
    if node.result_types[3].shape[-2:] != v.tensor_type.shape[:-3:-1]:
        v = unitary_basis(v)
    return [x, values, u, adjoint(v), success(node)]


@lapack("gehrd")
def hessenberg_call(node: HloNode) -> Sequence[Expr]:
    """Translate the Hessenberg form of real matrices."""
    node.ignore_all()
    require_sizes(node, node.type(0).shape[-2:])
    return [*hessenberg(node.operands[0]), success(node)]


@lapack("gees")
def schur_call(node: HloNode) -> Sequence[Expr]:
    """Translate the Schur form of real matrices; the number of selected values is 0."""
    node.ignore_all()
    *batch, size, _ = shape = node.type(0).static_shape
    count = constant(prod(batch), int64)
    rows = reshape(node.operands[0], (prod(batch), size, size))
    item = Collection(TensorType((size, size), node.type(0).dtype), prod(batch), count)

    def step(index: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        del state
        return real_schur(at(rows, index)), None

    form, basis = (reshape(x, shape) for x in collecting(count, None, [], [], [item] * 2, step))
    real, imaginary = _eigenvalues(form)
    return [form, basis, real, imaginary, success(node), success(node)]


def _eigenvalues(form: Expr) -> tuple[Expr, Expr]:
    """Return both parts of the eigenvalues of real Schur forms."""
    real = diagonal(form, axis1=-2, axis2=-1)
    above, below = (diagonal(form, offset, axis1=-2, axis2=-1) for offset in (1, -1))
    sizes = core.sqrt(core.abs(multiply(above, below)))
    none = core.zeros_like(core.take(real, Constant(np.array([0])), axis=-1))
    pair = (Call(Concatenate(-1), (Tuple(each),)) for each in ((sizes, none), (none, sizes)))
    return real, subtract(*pair)


@lapack("gtsv")
def tridiagonal_call(node: HloNode) -> Sequence[Expr]:
    """Translate systems of equations with tridiagonal real matrices."""
    node.ignore_all()
    require_sizes(node, node.type(3).shape[-2:])
    found = tridiagonal_solution(*node.operands[:4])
    return [*node.operands[:3], found, Call(Zeros(node.type(3).shape[:-2], int32), ())]
