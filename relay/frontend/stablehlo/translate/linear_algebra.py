"""Translate factorisations of matrices: StableHLO operations, and JAX's calls of LAPACK.

The names of LAPACK's functions have a letter for the element type, and attributes are letters. A
call with symbolic sizes has the shapes of its results as further operands.
"""

from collections.abc import Callable, Sequence
from typing import Any

from relay.frontend.builders.complex_tensor import complex_results, parts_of
from relay.frontend.builders.hermitian_eigenvectors import hermitian_eigenvectors
from relay.frontend.builders.householder import reflections_product
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.builders.translation_registry import registering
from relay.frontend.stablehlo.node import HloNode
from relay.frontend.stablehlo.registry import TRANSLATIONS, Translation, hlo_operation
from relay.ir.dims import Shape, is_static
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.numpy.shapes import diagonal
from relay.opdef.definition import OperatorDef
from relay.ops.binary import add
from relay.ops.cast import Cast
from relay.ops.creation import Zeros
from relay.ops.elementwise import IsNan
from relay.ops.functions import core
from relay.ops.linalg.cholesky import Cholesky
from relay.ops.linalg.eig import Eig, Schur
from relay.ops.linalg.eigenvalues import Eigh
from relay.ops.linalg.householder import HouseholderQR
from relay.ops.linalg.lu_factorization import LUFactor
from relay.ops.linalg.matrix_helpers import transposed
from relay.ops.linalg.orthonormal_bases import square_basis
from relay.ops.linalg.solve_triangular import SolveTriangular
from relay.ops.linalg.svd import SVD
from relay.ops.max_min_reductions import Any as AnyOf
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode


def lapack(name: str, types: str = "sd") -> Callable[[Translation], Translation]:
    """Return a decorator that registers the translation of a LAPACK function.

    `types` has a letter for each element type: `s` and `d` are those of float32 and float64, `c`
    and `z` those of complex numbers with such parts.
    """
    return registering(TRANSLATIONS, *(f"custom_call @lapack_{of}{name}_ffi" for of in types))


def letter(node: HloNode, name: str) -> str:
    """Return an attribute of a LAPACK call, which is a letter."""
    options: Any = node.attribute("mhlo.backend_config")
    return chr(options[name].value)


def _parts(node: HloNode, op: OperatorDef, x: Expr, count: int) -> list[Expr]:
    whole = Call(op, (x,), span=node.span)
    return [TupleGetItem(whole, index) for index in range(count)]


def success(node: HloNode) -> Expr:
    """Return the last result of a LAPACK call, which is 0 for each matrix."""
    return Call(Zeros(node.type(0).shape[:-2], int32), ())


@lapack("potrf")
def cholesky_call(node: HloNode) -> Sequence[Expr]:
    """Translate a Cholesky factorisation; the last result marks matrices without a factor."""
    node.ignore_all()
    x, *_ = node.operands
    factor = _cholesky(x, is_lower=letter(node, "uplo") == "L")
    has_none = Call(AnyOf(axis=(-2, -1)), (Call(IsNan(), (factor,)),))
    return [factor, Call(Cast(int32), (has_none,))]


@hlo_operation("cholesky")
def cholesky(node: HloNode) -> Expr:
    """Translate `cholesky`."""
    is_lower = "lower" not in node or bool(node.attribute("lower").value)
    return _cholesky(node.operands[0], is_lower=is_lower)


def _cholesky(x: Expr, *, is_lower: bool) -> Expr:
    """Return triangular factors; with the upper triangle, that of the transposed matrix."""
    if is_lower:
        return Call(Cholesky(), (x,), span=x.span)
    return transposed(Call(Cholesky(), (transposed(x),), span=x.span))


@lapack("trsm", "sdcz")
def triangular_call(node: HloNode) -> Expr:
    """Translate a call of BLAS that solves systems of equations with triangular matrices."""
    node.ignore_all()
    kind = letter(node, "trans_x")
    return _solved(
        node,
        on_left=letter(node, "side") == "L",
        transposes=kind != "N",
        conjugates=kind == "C",
        op=SolveTriangular(upper=letter(node, "uplo") == "U", unit=letter(node, "diag") == "U"),
    )


@hlo_operation("triangular_solve")
def triangular_solve(node: HloNode) -> Expr:
    """Translate `triangular_solve`."""
    flags = {name: bool(node.attribute(name).value)
             for name in ("left_side", "lower", "unit_diagonal")}  # fmt: skip
    kind = node.enumeration("transpose_a")
    op = SolveTriangular(upper=not flags["lower"], unit=flags["unit_diagonal"])
    return _solved(
        node,
        on_left=flags["left_side"],
        transposes=kind in ("TRANSPOSE", "ADJOINT"),
        conjugates=kind == "ADJOINT",
        op=op,
    )


def _solved(
    node: HloNode, *, on_left: bool, transposes: bool, conjugates: bool, op: SolveTriangular
) -> Expr:
    """Return the solutions of `a · x = b`, or `x · a = b`, which is `aᵀ · xᵀ = bᵀ`."""
    a, b, *_ = node.operands
    a = core.conj(a) if conjugates and a.tensor_type.dtype.is_complex else a
    solve = SolveTriangular(op.upper, transposes == on_left, op.unit)
    if on_left:
        return Call(solve, (a, b), span=node.span)
    return transposed(Call(solve, (a, transposed(b)), span=node.span))


@lapack("getrf")
def lu(node: HloNode) -> Sequence[Expr]:
    """Translate an LU factorisation; the numbers of pivot rows are counted from 1."""
    node.ignore_all()
    factors, pivots, _ = _parts(node, LUFactor(), node.operands[0], 3)
    return [factors, add(pivots, constant(1, int32)), success(node)]


@lapack("geqrf")
def householder(node: HloNode) -> Sequence[Expr]:
    """Translate a QR factorisation whose results are Householder's reflections."""
    node.ignore_all()
    return _parts(node, HouseholderQR(), node.operands[0], 2)


@lapack("orgqr")
def reflections(node: HloNode) -> Expr:
    """Translate `orgqr`: multiply Householder's reflections to an orthogonal matrix."""
    node.ignore_all()
    require_sizes(node, node.type(0).shape[-2:])
    return reflections_product(*node.operands[:2])


@lapack("gesdd")
def svd(node: HloNode) -> Sequence[Expr]:
    """Translate a singular value decomposition; the first result is unused."""
    node.ignore_all()
    u, values, v = _parts(node, SVD(), node.operands[0], 3)
    require_sizes(node, node.type(0).shape[-2:])
    columns = [node.result_types[2].shape[-1], node.result_types[3].shape[-2]]
    if columns != [each.tensor_type.shape[-1] for each in (u, v)]:  # the matrices are square
        u, v = square_basis(u), square_basis(v)
    return [node.operands[0], values, u, transposed(v), success(node)]


@lapack("syevd")
def eigh(node: HloNode) -> Sequence[Expr]:
    """Translate the eigenvalues and eigenvectors of symmetric matrices."""
    node.ignore_all()
    x, *_ = node.operands
    x = x if letter(node, "uplo") == "L" else transposed(x)
    values, vectors = _parts(node, Eigh(), x, 2)
    return [vectors, values, success(node)]


@lapack("heevd", "cz")
def hermitian(node: HloNode) -> Sequence[Expr]:
    """Translate the real eigenvalues and the eigenvectors of Hermitian matrices."""
    node.ignore_all()
    x, *_ = node.operands
    values, vectors = hermitian_eigenvectors(x, upper=letter(node, "uplo") == "U")
    return [vectors, values, success(node)]


@lapack("geev")
def eig(node: HloNode) -> Sequence[Expr]:
    """Translate the eigenvalues, in two parts, and right eigenvectors of real matrices."""
    values, vectors = _eigenvalues(node)
    return [*parts_of(values).parts, vectors, vectors, success(node)]


@lapack("geev", "cz")
def complex_eig(node: HloNode) -> Sequence[Expr]:
    """Translate the eigenvalues and right eigenvectors of complex matrices."""
    values, vectors = _eigenvalues(node)
    return [values, vectors, vectors, success(node)]


def _eigenvalues(node: HloNode) -> list[Expr]:
    """Return the eigenvalues and right eigenvectors of matrices."""
    node.ignore_all()
    if letter(node, "compute_left") == "V":
        raise node.error(
            ErrorCode.F030,
            "left eigenvectors are not supported",
            help="compute the right eigenvectors of the conjugate transposed matrix",
        )
    return complex_results(Eig(), node.operands[0])


@lapack("gees", "cz")
def schur(node: HloNode) -> Sequence[Expr]:
    """Translate the Schur form of complex matrices; the number of selected values is 0."""
    node.ignore_all()
    form, basis = complex_results(Schur(), node.operands[0])
    return [form, basis, diagonal(form, axis1=-2, axis2=-1), success(node), success(node)]


def require_sizes(node: HloNode, sizes: Shape) -> None:
    """Raise `F032` unless the sizes of matrices are known."""
    if not is_static(sizes):
        raise node.error(
            ErrorCode.F032,
            f"the sizes of the matrices must be known, but are {', '.join(map(str, sizes))}",
            help="specify the sizes of the inputs: relay.load(path, shapes={…})",
        )
