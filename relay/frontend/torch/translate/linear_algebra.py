"""Translate factorisations of matrices, and systems of equations."""

from collections.abc import Sequence
from dataclasses import replace

from relay.frontend.builders.complex_householder import complex_qr
from relay.frontend.builders.complex_tensor import adjoint, conjugate
from relay.frontend.builders.matrix_loops import complex_cholesky
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.matrix_helpers import (
    Factors,
    broadcast_batches,
    columns_of,
    diagonal,
    factored,
    first_place,
    identity,
    ones_below,
    permutation_matrix,
    permutation_of,
    require_known_sizes,
    solutions,
    solved,
    triangle,
    turned,
)
from relay.ir.dims import product
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.ops.binary import add, multiply
from relay.ops.comparison import equal
from relay.ops.creation import Zeros
from relay.ops.elementwise import Abs, IsNan, Sign
from relay.ops.linalg.cholesky import Cholesky
from relay.ops.linalg.determinant import Det
from relay.ops.linalg.qr import QR
from relay.ops.linalg.solve_triangular import SolveTriangular
from relay.ops.max_min_reductions import All
from relay.ops.sum_and_mean_reductions import Prod, Sum
from relay.ops.transcendental import Log
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode

_CHECK = "aten._linalg_check_errors.default"


@torch_operator("with_effects", namespace="higher_order")
def with_effects(node: TorchNode) -> Sequence[object]:
    """Translate `with_effects` of a factorisation's check: assert that it has succeeded.

    The arguments are a token, the operator with the effect, and its own arguments; the token is
    returned. Raises `F030` for other effects.
    """
    operator = str(node.value("1"))
    if operator != _CHECK:
        raise node.error(
            ErrorCode.F030, f"the operator {operator} has a side effect, which is not supported"
        )
    node.ignore(*node.arguments)
    _require(node, node.tensor("2"), str(node.value("3")))
    return [node.value("0"), None]


def _require(node: TorchNode, info: Expr, name: str) -> None:
    """Add an assertion that the error codes `info` of the factorisation `name` are zero."""
    ok = Call(All(), (equal(info, constant(0, info.tensor_type.dtype)),))
    node.assertions.append(
        (ok, f"{name}: a matrix in the batch is singular, or not positive definite")
    )


def _checked(node: TorchNode, result: "Expr | Sequence[Expr | None]", info: Expr) -> object:
    """Return a result, for `…_ex` operators with its error code `info`.

    For other operators, assert that the error code is zero.
    """
    node.ignore("check_errors")
    if node.operator.endswith("_ex"):
        listed = [result] if isinstance(result, Expr) else result
        return [*listed, info]
    _require(node, info, node.operator)
    return result


@torch_operator("linalg_cholesky_ex", "linalg_cholesky", "cholesky")
def cholesky(node: TorchNode) -> object:
    """Translate Cholesky factorisations: triangular factors of positive definite matrices."""
    x, is_upper = node.tensor("self"), node.flag("upper")
    lower = adjoint(x) if is_upper else x
    if x.tensor_type.dtype.is_complex:
        require_known_sizes(x)
        found = complex_cholesky(lower)
    else:
        found = Call(Cholesky(), (lower,), span=node.span)
    info = first_place(Call(IsNan(), (diagonal(found),)))
    return _checked(node, adjoint(found) if is_upper else found, info)


@torch_operator("cholesky_solve")
def cholesky_solve(node: TorchNode) -> Expr:
    """Translate `cholesky_solve`: solve systems of equations, given the Cholesky factors."""
    factor, side = broadcast_batches(node.tensor("input2"), node.tensor("self"))
    return _solved_by_factor(factor, side, is_upper=node.flag("upper"))


@torch_operator("cholesky_inverse")
def cholesky_inverse(node: TorchNode) -> Expr:
    """Translate `cholesky_inverse`: invert matrices, from their triangular factors."""
    factor = node.tensor("self")
    return _solved_by_factor(factor, identity(factor), is_upper=node.flag("upper"))


def _solved_by_factor(factor: Expr, side: Expr, *, is_upper: bool) -> Expr:
    first = SolveTriangular(upper=is_upper, transposed=is_upper)
    then = SolveTriangular(upper=is_upper, transposed=not is_upper)
    factors = conjugate(factor), factor
    of_first, of_second = factors if is_upper else factors[::-1]
    return Call(then, (of_second, Call(first, (of_first, side))))


@torch_operator("linalg_solve_triangular", "triangular_solve")
def solve_triangular(node: TorchNode) -> object:
    """Translate `linalg_solve_triangular`: solve systems of equations with triangular matrices."""
    is_old = node.operator == "triangular_solve"
    a, b = (node.tensor(name) for name in (("A", "self") if is_old else ("self", "B")))
    from_left = is_old or node.flag("left")
    a, b = broadcast_batches(a if from_left else turned(a), b if from_left else turned(b))
    is_upper = node.flag("upper") == from_left
    op = SolveTriangular(is_upper, node.flag("transpose"), node.flag("unitriangular"))
    found = Call(op, (a, b), span=node.span)
    return [found, a] if is_old else found if from_left else turned(found)


@torch_operator("linalg_lu_factor_ex", "linalg_lu_factor")
def lu_factor(node: TorchNode) -> object:
    """Translate `lu_factor`: both factors in one matrix, and the pivots, counted from 1."""
    factors = _factored(node)
    info = _zero_pivot(factors)
    return _checked(node, _stored(factors), info)


@torch_operator("linalg_lu")
def lu(node: TorchNode) -> Sequence[Expr]:
    """Translate `linalg_lu`: return a permutation matrix and both factors."""
    return _unpacked(_factored(node))


@torch_operator("lu_unpack")
def lu_unpack(node: TorchNode) -> Sequence[Expr]:
    """Translate `lu_unpack`: a permutation matrix and both factors, from `lu_factor`'s results."""
    node.ignore("unpack_data", "unpack_pivots")
    return _unpacked(_given_factors(node, "LU_data", "LU_pivots"))


def _factored(node: TorchNode) -> Factors:
    node.ignore("pivot")
    if not node.flag("pivot"):
        raise node.error(ErrorCode.F030, "LU factorisation with pivot=False is not supported")
    return factored(node.tensor("A"))


def _given_factors(node: TorchNode, matrix: str, pivots: str) -> Factors:
    given, places = node.tensor(matrix), node.tensor(pivots)
    places = add(places, constant(-1, int32))
    return Factors(given, places, permutation_of(places, given.tensor_type.shape[-2]))


def _unpacked(factors: Factors) -> list[Expr]:
    lower, upper = ones_below(factors.lu), triangle(factors.lu, upper=True)
    rows, columns = factors.lu.tensor_type.shape[-2:]
    if isinstance(rows, int) and isinstance(columns, int):
        count = min(rows, columns)
        lower, upper = columns_of(lower, count), columns_of(upper, count, -2)
    return [turned(permutation_matrix(factors)), lower, upper]


@torch_operator("linalg_lu_solve", "lu_solve")
def lu_solve(node: TorchNode) -> Expr:
    """Translate `linalg_lu_solve`: solve systems of equations whose matrices are factored."""
    is_old = node.operator == "lu_solve"
    names = ("LU_data", "LU_pivots", "self") if is_old else ("LU", "pivots", "B")
    factors, side = _given_factors(node, *names[:2]), node.tensor(names[2])
    from_left = is_old or node.flag("left")
    flips = node.flag("adjoint") == from_left
    if node.flag("adjoint"):
        factors = replace(factors, lu=conjugate(factors.lu))
    found = solved(factors, side if from_left else turned(side), transposes=flips)
    return found if from_left else turned(found)


@torch_operator("_linalg_solve_ex", "linalg_solve_ex", "linalg_solve")
def solve(node: TorchNode) -> object:
    """Translate `linalg_solve`; the right-hand sides may be vectors instead of matrices."""
    a, side = node.tensor("A"), node.tensor("B")
    from_left = node.flag("left")
    rank, shape = a.tensor_type.rank, side.tensor_type.shape
    is_vector = len(shape) == 1 or (rank == len(shape) + 1 and shape == a.tensor_type.shape[:-1])
    columns = reshape(side, (*shape, 1)) if is_vector else side
    turns = not from_left and not is_vector
    factors, found = solutions(a, turned(columns) if turns else columns, transposes=turns)
    found = turned(found) if turns else found
    found = reshape(found, found.tensor_type.shape[:-1]) if is_vector else found
    info = _zero_pivot(factors)
    if node.operator == "_linalg_solve_ex":
        stored = factored(a) if a.tensor_type.dtype.is_complex else factors
        return _checked(node, [found, *_stored(stored)], info)
    return _checked(node, found, info)


@torch_operator("linalg_inv_ex", "linalg_inv", "inverse")
def inverse(node: TorchNode) -> object:
    """Translate `linalg_inv_ex`: invert matrices."""
    x = node.tensor("A" if "A" in node.arguments else "self")
    factors, found = solutions(x, identity(x))
    return _checked(node, found, _zero_pivot(factors))


def _zero_pivot(factors: Factors) -> Expr:
    """Return the index of the first zero pivot, counted from 1; 0 if there is none."""
    pivots = diagonal(factors.lu)
    return first_place(equal(pivots, constant(0, pivots.tensor_type.dtype)))


@torch_operator("_linalg_det", "linalg_det", "det")
def determinant(node: TorchNode) -> object:
    """Translate `linalg_det`: the determinants of matrices.

    `_linalg_det` also returns their triangular factors and pivots (LU).
    """
    x = node.tensor("A" if "A" in node.arguments else "self")
    found = _determinant(x)
    if node.operator != "_linalg_det":
        return found
    return [found, *_stored(_factors_for_gradients(node, x))]


def _determinant(x: Expr) -> Expr:
    """Return determinants; those of complex matrices as products of pivots."""
    if not x.tensor_type.dtype.is_complex:
        return Call(Det(), (x,), span=x.span)
    factors = factored(x)
    return multiply(factors.sign, Call(Prod(axis=(-1,)), (diagonal(factors.lu),)))


def _factors_for_gradients(node: TorchNode, x: Expr) -> Factors:
    """Return the factors that gradients read: those of transposes if real ones are contiguous."""
    memory, shape = node.memory(), x.tensor_type.shape
    strides = tuple(product(shape[axis + 1 :]) for axis in range(len(shape)))
    is_contiguous = memory is not None and memory.strides == strides
    is_turned = is_contiguous and not x.tensor_type.dtype.is_complex
    return factored(turned(x) if is_turned else x)


def _stored(factors: Factors) -> list[Expr]:
    """Return both factors in one matrix, and the pivots, counted from 1."""
    return [factors.lu, add(factors.pivots, constant(1, int32))]


@torch_operator("_linalg_slogdet", "linalg_slogdet", "slogdet", "logdet")
def log_determinant(node: TorchNode) -> object:
    """Translate `slogdet`: the sign of the determinant, and the logarithm of its absolute value."""
    factors = factored(node.tensor("A" if "A" in node.arguments else "self"))
    pivots = diagonal(factors.lu)
    sign = multiply(factors.sign, Call(Prod(axis=(-1,)), (Call(Sign(), (pivots,)),)))
    size = Call(Sum(axis=(-1,)), (Call(Log(), (Call(Abs(), (pivots,)),)),))
    if node.operator == "logdet":
        return add(converted(size, sign.tensor_type.dtype), Call(Log(), (sign,)))
    if node.operator != "_linalg_slogdet":
        return [sign, size]
    x = node.tensor("A")
    return [sign, size, *_stored(_factors_for_gradients(node, x))]


@torch_operator("linalg_qr", "qr")
def qr(node: TorchNode) -> Sequence[Expr]:
    """Translate `linalg_qr`: orthonormal columns and an upper triangle; mode "r": only that."""
    x = node.tensor("A" if "A" in node.arguments else "self")
    mode = str(node.value("mode") or "reduced")
    is_complete = mode == "complete" or ("some" in node and not node.flag("some"))
    if x.tensor_type.dtype.is_complex:
        require_known_sizes(x)
        q, r = complex_qr(x, complete=is_complete)
    else:
        both = Call(QR(is_complete), (x,), span=node.span)
        q, r = TupleGetItem(both, 0), TupleGetItem(both, 1)
    return [Call(Zeros((0,), x.tensor_type.dtype), ()) if mode == "r" else q, r]
