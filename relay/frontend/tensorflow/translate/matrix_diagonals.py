"""Translate TensorFlow operators for bands and diagonals of matrices."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.node_errors import static_sizes
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.dims import Dim
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.creation import Full
from relay.ops.selection import where
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import Squeeze
from relay.ops.tensor.triangles_masks_diagonals import MatrixSetDiag, Trilu
from relay.support.dtype import int64


@tf_operator("MatrixBandPart", "BatchMatrixBandPart")
def band_part(node: TfNode) -> Expr:
    """Translate `MatrixBandPart`: keep a number of diagonals below and above the main one.

    A negative number keeps all.
    """
    x = node.expr(0)
    below, above = node.integer(1, "the diagonals below"), node.integer(2, "the diagonals above")
    if below >= 0:
        x = Call(Trilu(upper=True), (x, constant(-below, int64)), span=node.span)
    if above >= 0:
        x = Call(Trilu(upper=False), (x, constant(above, int64)), span=node.span)
    return x


@tf_operator("MatrixDiagV2", "MatrixDiagV3")
def diagonal_v3(node: TfNode) -> Expr:
    """Translate `MatrixDiagV3`: matrices with the given diagonals, a padding value elsewhere."""
    x, (low, high) = node.expr(0), _diagonals(node, 1)
    rows, columns = (node.integer(index, "a size of the matrix") for index in (2, 3))
    *batch, longest = x.tensor_type.shape
    batch = batch[:-1] if low < high else batch
    shape = (*batch, *_matrix_sizes(longest, low, high, rows, columns))
    whole = Call(Full(shape), (reshape(node.expr(4), ()),))
    return Call(_replacing(node, low, high), (whole, x), span=node.span)


def _matrix_sizes(longest: Dim, low: int, high: int, rows: int, columns: int) -> tuple[Dim, Dim]:
    """Return the numbers of rows and columns; a number of -1 is the smallest that is possible.

    If both are -1, the matrix is square.
    """
    below, right = -min(high, 0), max(low, 0)
    if rows == columns == -1:
        return longest + below + right, longest + below + right
    return longest + below if rows == -1 else rows, longest + right if columns == -1 else columns


@tf_operator("MatrixDiagPart", "BatchMatrixDiagPart")
def diagonal_part(node: TfNode) -> Expr:
    """Translate `MatrixDiagPart`: the main diagonals of matrices."""
    return _without_lines(_parts(node.expr(0), _positions(node, 0, 0)))


@tf_operator("MatrixDiagPartV2", "MatrixDiagPartV3")
def diagonal_part_v3(node: TfNode) -> Expr:
    """Translate `MatrixDiagPartV3`: some diagonals, of which the shorter ones are padded."""
    low, high = _diagonals(node, 1)
    places = _positions(node, low, high)
    found = _parts(node.expr(0), places)
    padded = where(Constant(places >= 0), found, reshape(node.expr(2), ()))
    return padded if low < high else _without_lines(padded)


def _without_lines(x: Expr) -> Expr:
    """Return the only diagonal of each matrix, without the axis of diagonals."""
    return Call(Squeeze((x.tensor_type.rank - 2,)), (x,))


def _positions(node: TfNode, low: int, high: int) -> Array:
    """Return the flat position of each element of the diagonals in the matrix; -1 for padding.

    The topmost diagonal comes first.
    """
    rows, columns = static_sizes(node.type(0).shape[-2:])
    lines: list[list[int]] = []
    for k in range(high, low - 1, -1):
        count = min(rows + min(k, 0), columns - max(k, 0))
        first = max(k, 0) - min(k, 0) * columns
        lines.append([first + place * (columns + 1) for place in range(count)])
    longest = max(map(len, lines))
    above, below = _right_aligned(node)
    padded = [
        [-1] * (longest - len(line)) + line
        if (above if k >= 0 else below)
        else line + [-1] * (longest - len(line))
        for k, line in zip(range(high, low - 1, -1), lines, strict=True)
    ]
    return np.array(padded, np.int64)


def _parts(x: Expr, positions: Array) -> Expr:
    """Return the elements of matrices at flat positions; the first element for padding."""
    *batch, rows, columns = x.tensor_type.shape
    flat = reshape(x, (*batch, rows * columns))
    places = Constant(np.maximum(positions, 0))
    return Call(Take(axis=len(batch), mode="fast"), (flat, places), span=x.span)


@tf_operator("MatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3", "BatchMatrixSetDiag")
def set_diagonal(node: TfNode) -> Expr:
    """Translate `MatrixSetDiag`: replace diagonals of matrices."""
    low, high = (0, 0) if len(node.inputs) < 3 else _diagonals(node, 2)
    return Call(_replacing(node, low, high), (node.expr(0), node.expr(1)), span=node.span)


def _diagonals(node: TfNode, index: int) -> tuple[int, int]:
    """Return the numbers of the lowest and of the highest diagonal, which may be the same."""
    found = node.ints(index, "the diagonals")
    return found[0], found[-1]


def _replacing(node: TfNode, low: int, high: int) -> MatrixSetDiag:
    above, below = _right_aligned(node)
    return MatrixSetDiag(low, high, super_diag_right_align=above, sub_diag_right_align=below)


def _right_aligned(node: TfNode) -> Sequence[bool]:
    """Return whether shorter diagonals above and below the main one end at the right."""
    default = "RIGHT_LEFT" if node.op.endswith("V3") else "LEFT_LEFT"
    found = node.text("align", default).split("_")
    if len(found) != 2 or not {*found} <= {"LEFT", "RIGHT"}:
        raise node.wrong("align")
    return [each == "RIGHT" for each in found]
