"""Translate JAX's calls of LAPACK that loops over rows or columns compute.

The results for factors that JAX does not use are operands.
"""

from collections.abc import Sequence
from math import prod

import numpy as np

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.complex_tensor import of_pairs, pairs_of
from relay.frontend.builders.counted_loops import at
from relay.frontend.builders.matrix_loops import (
    complex_cholesky,
    complex_lu,
    hessenberg,
    tridiagonal_solution,
)
from relay.frontend.builders.real_schur import real_schur
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.stablehlo.node import HloNode
from relay.frontend.stablehlo.registry import complex_hlo_operation
from relay.frontend.stablehlo.translate.linear_algebra import (
    lapack,
    letter,
    require_sizes,
    success,
    success_of_pairs,
)
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ir.types import TensorType
from relay.numpy.linalg import solve
from relay.numpy.shapes import diagonal
from relay.opdef.complex_rules import ComplexTensor
from relay.ops.binary import add, multiply, opposite, subtract
from relay.ops.complex_numbers import arithmetic
from relay.ops.creation import Zeros
from relay.ops.functions import core
from relay.ops.linalg.matrix_helpers import lower, transposed, upper
from relay.ops.tensor.concat_and_split import Concatenate, Split
from relay.support.dtype import int32, int64


@lapack("getrf", "cz")
def complex_lu_call(node: HloNode) -> Sequence[Expr]:
    """Translate an LU factorisation of complex matrices; pivot rows are counted from 1."""
    node.ignore_all()
    x = of_pairs(node.operands[0])
    require_sizes(node, x.tensor_type.shape[-2:])
    factors, pivots = complex_lu(x)
    return [pairs_of(factors), add(pivots, constant(1, int32)), success_of_pairs(node)]


@lapack("potrf", "cz")
def complex_cholesky_call(node: HloNode) -> Sequence[Expr]:
    """Translate a Cholesky factorisation of complex matrices; the last result marks failures."""
    node.ignore_all()
    x = of_pairs(node.operands[0])
    require_sizes(node, x.tensor_type.shape[-2:])
    is_lower = letter(node, "uplo") == "L"
    factor = complex_cholesky(x if is_lower else _adjoint(x))
    has_none = core.any(core.isnan(factor.real), axis=(-2, -1))
    return [pairs_of(factor if is_lower else _adjoint(factor)), core.cast(has_none, "int32")]


def _adjoint(x: ComplexTensor) -> ComplexTensor:
    return arithmetic.conjugate(ComplexTensor(*map(transposed, x.parts)))


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


@lapack("trsm", "cz")
def complex_triangular_call(node: HloNode) -> Expr:
    """Translate a call of BLAS that solves systems with complex triangular matrices."""
    node.ignore_all()
    is_upper, is_unit = letter(node, "uplo") == "U", letter(node, "diag") == "U"
    matrix = _triangle(node, is_upper=is_upper, is_unit=is_unit)
    kind = letter(node, "trans_x")
    matrix = arithmetic.conjugate(matrix) if kind == "C" else matrix
    return _solutions(node, matrix, is_left=letter(node, "side") == "L", transposes=kind != "N")


@complex_hlo_operation("triangular_solve")
def complex_triangular_solve(node: HloNode) -> Expr:
    """Translate `triangular_solve` of complex matrices."""
    is_left, is_lower, is_unit = (
        bool(node.attribute(name).value) for name in ("left_side", "lower", "unit_diagonal")
    )
    matrix = _triangle(node, is_upper=not is_lower, is_unit=is_unit)
    kind = node.enumeration("transpose_a")
    matrix = arithmetic.conjugate(matrix) if kind == "ADJOINT" else matrix
    transposes = kind in ("TRANSPOSE", "ADJOINT")
    return _solutions(node, matrix, is_left=is_left, transposes=transposes)


def _solutions(node: HloNode, matrix: ComplexTensor, *, is_left: bool, transposes: bool) -> Expr:
    """Return the pairs of solutions of `a · x = b`, or `x · a = b`, which is `aᵀ · xᵀ = bᵀ`."""
    side = of_pairs(node.operands[1])
    if transposes == is_left:
        matrix = ComplexTensor(*map(transposed, matrix.parts))
    if is_left:
        return pairs_of(_solved(matrix, side))
    found = _solved(matrix, ComplexTensor(*map(transposed, side.parts)))
    return pairs_of(ComplexTensor(*map(transposed, found.parts)))


def _triangle(node: HloNode, *, is_upper: bool, is_unit: bool) -> ComplexTensor:
    """Return the triangles of the first operand, with ones on the diagonal if `is_unit`."""
    x = of_pairs(node.operands[0])
    require_sizes(node, x.tensor_type.shape[-2:])
    keep, first = (upper if is_upper else lower), (0 if not is_unit else 1 if is_upper else -1)
    real, imaginary = (keep(each, first) for each in x.parts)
    if is_unit:
        size, _ = x.tensor_type.static_shape[-2:]
        real = add(real, Constant(np.eye(size, dtype=x.tensor_type.dtype.numpy)))
    return ComplexTensor(real, imaginary)


def _solved(a: ComplexTensor, b: ComplexTensor) -> ComplexTensor:
    """Return the solutions of complex systems, as real systems of twice the size."""
    rows = [(a.real, opposite(a.imaginary)), (a.imaginary, a.real)]
    matrix = _joined([_joined(row, -1) for row in rows], -2)
    whole = Call(Split(2, -2), (solve(matrix, _joined(b.parts, -2)),))
    return ComplexTensor(TupleGetItem(whole, 0), TupleGetItem(whole, 1))


def _joined(parts: Sequence[Expr], axis: int) -> Expr:
    return Call(Concatenate(axis), (Tuple(tuple(parts)),))
