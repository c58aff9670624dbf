"""Checks of matrices along the last two axes, and expressions of them for derivatives."""

import numpy as np

from relay.ir.expr import Call, Constant, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.loops import Buffer
from relay.opdef import checks
from relay.ops.binary import scaled, subtract
from relay.ops.families import FLOATS
from relay.ops.nn.matmul import BatchMatmul
from relay.ops.tensor.loop_nests import nest
from relay.ops.tensor.transpose import Transpose
from relay.ops.tensor.triangles_masks_diagonals import Trilu
from relay.support.dtype import DType, int64


def require_matrices(operator: str, x: TensorType, name: str = "x") -> None:
    """Require matrices of floats (`T102`, `T104`)."""
    checks.kind(operator, name, x, *FLOATS)
    checks.attribute(operator, x.rank > 1, f"expected a matrix or a batch of matrices, found {x!r}")


def require_square(operator: str, x: TensorType, name: str = "x") -> None:
    """Require square matrices of floats (`T102`, `T104`, `T105`)."""
    require_matrices(operator, x, name)
    checks.size(operator, "columns", x.shape[-2], x.shape[-1])


def copied(b: te.LoopBuilder, matrices: Buffer, at: tuple[te.Scalar, ...], dtype: DType) -> Buffer:
    """Return a scratch copy of one matrix, with elements of another type."""
    shape = matrices.shape[len(at) :]
    rows = b.scratch(shape, dtype, "rows")
    with nest(b, shape) as place:
        b.store(rows, place, te.cast(matrices[(*at, *place)], dtype))
    return rows


def matrix_product(
    a: Expr, b: Expr, *, transpose_a: bool = False, transpose_b: bool = False
) -> Expr:
    """Return the products `a · b` of matrices, either of which may be transposed first."""
    return Call(BatchMatmul(None, transpose_a, transpose_b), (a, b))


def transposed(x: Expr) -> Expr:
    """Return the matrices with rows and columns exchanged."""
    rank = x.tensor_type.rank
    return Call(Transpose((*range(rank - 2), rank - 1, rank - 2)), (x,))


def lower(x: Expr, diagonal: int = 0) -> Expr:
    """Return the lower triangles up to a diagonal, zeros elsewhere."""
    return Call(Trilu(upper=False), (x, _number(diagonal)))


def upper(x: Expr, diagonal: int = 0) -> Expr:
    """Return the upper triangles from a diagonal on, zeros elsewhere."""
    return Call(Trilu(upper=True), (x, _number(diagonal)))


def halved_lower(x: Expr) -> Expr:
    """Return the lower triangles with half of the diagonal."""
    both = lower(x)
    return subtract(both, scaled(subtract(both, lower(x, -1)), 0.5))


def _number(of: int) -> Constant:
    return Constant(np.asarray(of, int64.numpy))
