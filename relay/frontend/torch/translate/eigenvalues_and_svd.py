"""Translate eigenvalues, singular values, and pseudoinverses."""

from collections.abc import Sequence

import torch

from relay.frontend.builders.complex_svd import complex_svd, unitary_basis
from relay.frontend.builders.complex_tensor import adjoint, complex_results
from relay.frontend.builders.hermitian_eigenvectors import (
    hermitian_eigenvectors,
    with_both_triangles,
)
from relay.frontend.builders.matrix_products import multiplied
from relay.frontend.builders.tensor_helpers import constant, converted
from relay.frontend.torch.dtypes import torch_dtype
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.matrix_helpers import require_known_sizes, triangle, turned
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.ops.binary import Maximum, add, multiply
from relay.ops.comparison import less
from relay.ops.linalg.eig import Eig
from relay.ops.linalg.eigenvalues import Eigh, inverse
from relay.ops.linalg.orthonormal_bases import square_basis
from relay.ops.linalg.pseudoinverse import Pinv
from relay.ops.linalg.svd import SVD
from relay.ops.max_min_reductions import Max
from relay.ops.selection import where
from relay.ops.tensor.reshape import ExpandDims


@torch_operator("_linalg_eigh", "linalg_eigh", "linalg_eigvalsh")
def eigh(node: TorchNode) -> object:
    """Translate `eigh` and `eigvalsh`: ascending eigenvalues of Hermitian matrices, and vectors."""
    x = node.tensor("A" if "A" in node.arguments else "self")
    node.ignore("compute_v")
    is_upper = str(node.value("UPLO")).upper() == "U"
    if x.tensor_type.dtype.is_complex:
        found = hermitian_eigenvectors(x, upper=is_upper)
    else:
        both = Call(Eigh(), (turned(x) if is_upper else x,), span=node.span)
        found = TupleGetItem(both, 0), TupleGetItem(both, 1)
    return found[0] if node.operator == "linalg_eigvalsh" else list(found)


@torch_operator("linalg_eig", "linalg_eigvals", "_linalg_eigvals")
def eig(node: TorchNode) -> object:
    """Translate `eig` and `eigvals`: complex eigenvalues of any matrices, and vectors."""
    found = complex_results(Eig(), node.tensor("A" if "A" in node.arguments else "self"))
    return found if node.operator == "linalg_eig" else found[0]


@torch_operator("_linalg_svd", "linalg_svd", "linalg_svdvals", "svd")
def svd(node: TorchNode) -> object:
    """Translate singular value decompositions, reduced or with square orthogonal matrices."""
    x = node.tensor("A" if "A" in node.arguments else "self")
    node.ignore("compute_uv", "driver")
    u, s, v = _factors(x)
    if node.operator == "linalg_svdvals":
        return s
    is_old = node.operator == "svd"
    if node.flag("some") if is_old else not node.flag("full_matrices"):
        return [u, s, v if is_old else adjoint(v)]
    u, v = _square_basis(node, u), _square_basis(node, v)
    return [u, s, v if is_old else adjoint(v)]


def _factors(x: Expr) -> Sequence[Expr]:
    if x.tensor_type.dtype.is_complex:
        require_known_sizes(x)
        return complex_svd(x)
    whole = Call(SVD(), (x,), span=x.span)
    return [TupleGetItem(whole, index) for index in range(3)]


def _square_basis(node: TorchNode, basis: Expr) -> Expr:
    """Return the orthonormal columns of `basis`, extended to a square orthogonal matrix."""
    rows, columns = basis.tensor_type.shape[-2:]
    if rows != columns and not (isinstance(rows, int) and isinstance(columns, int)):
        raise node.dynamic("the sizes of the matrix", rows, columns)
    return unitary_basis(basis) if basis.tensor_type.dtype.is_complex else square_basis(basis)


@torch_operator("linalg_pinv", "pinverse")
def pseudoinverse(node: TorchNode) -> Expr:
    """Translate `pinv`; singular values up to `max(atol, rtol · largest)` count as zero."""
    x = node.tensor("self")
    is_complex = x.tensor_type.dtype.is_complex
    if node.flag("hermitian"):
        x = with_both_triangles(x) if is_complex else _symmetric(x)
    factors = _factors(x)
    limit = _cutoff(node, Call(Max(axis=(-1,), keepdims=True), (factors[1],)))
    if is_complex:
        return _from_factors(factors, limit)
    return Call(Pinv(), (x, limit), span=node.span)


def _from_factors(factors: Sequence[Expr], limit: Expr) -> Expr:
    """Return pseudoinverses of complex matrices with the given singular values and vectors."""
    u, values, v = factors
    zero = constant(0, values.tensor_type.dtype)
    kept = converted(inverse(where(less(limit, values), values, zero)), v.tensor_type.dtype)
    return multiplied(multiply(v, Call(ExpandDims(-2), (kept,))), adjoint(u))


def _symmetric(x: Expr) -> Expr:
    """Return symmetric matrices with the lower triangles of `x`."""
    return add(triangle(x, upper=False), turned(triangle(x, upper=False, offset=-1)))


def _cutoff(node: TorchNode, top: Expr) -> Expr:
    """Return, for each matrix, the limit up to which singular values count as zero."""
    x = node.type("self")
    sizes = [size for size in x.shape[-2:] if isinstance(size, int)]
    of = top.tensor_type.dtype
    default = max(sizes, default=0) * torch.finfo(torch_dtype(of)).eps
    absolute = _tolerance(node, "atol", top)
    relative = _tolerance(node, "rtol" if "rtol" in node or "rcond" not in node else "rcond", top)
    if relative is None:
        relative = constant(default, of)
        if absolute is not None:
            zero = constant(0, of)
            relative = where(less(zero, absolute), zero, relative)
    found = multiply(relative, top)
    return found if absolute is None else Call(Maximum(), (absolute, found))


def _tolerance(node: TorchNode, name: str, top: Expr) -> Expr | None:
    """Return the tolerance argument `name` in a shape that broadcasts to `top`, or None."""
    if name not in node:
        return None
    found = converted(node.tensor(name), top.tensor_type.dtype)
    return Call(ExpandDims(found.tensor_type.rank), (found,)) if found.tensor_type.rank else found
