"""Translate TensorFlow operators for bands and diagonals of matrices."""

import numpy as np

from relay.frontend.builders.tensors import constant
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Call, Constant, Expr
from relay.ops.creation import Zeros
from relay.ops.tensor.gather import GatherND
from relay.ops.tensor.transpose import Transpose
from relay.ops.tensor.triangles_masks_diagonals import MatrixSetDiag, Trilu
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode

_ALIGNED = "RIGHT_LEFT"  # super-diagonals to the right, sub-diagonals to the left, the default


@tf_operator("MatrixBandPart")
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


@tf_operator("MatrixDiag")
def diagonal(node: TfNode) -> Expr:
    """Translate `MatrixDiag`: matrices with the given main diagonal, zeros elsewhere."""
    return _with_diagonal(node.expr(0))


@tf_operator("MatrixDiagV2", "MatrixDiagV3")
def diagonal_v3(node: TfNode) -> Expr:
    """Translate `MatrixDiagV3` for square matrices; raises `F030` for others."""
    _check_alignment(node)
    options = [node.ints(index, "an option") for index in (1, 2, 3)]
    padding = float(node.constant(4, "the padding").reshape(()))
    (size,) = node.type(0).static_shape[-1:]
    if options[0] != (0,) or padding or any(e not in ((-1,), (size,)) for e in options[1:]):
        raise node.error(
            ErrorCode.F030, "only the main diagonal of a square matrix, padded with 0, is supported"
        )
    return _with_diagonal(node.expr(0))


def _with_diagonal(x: Expr) -> Expr:
    shape = x.tensor_type.shape
    zeros = Call(Zeros((*shape, shape[-1]), x.tensor_type.dtype), ())
    return Call(MatrixSetDiag(), (zeros, x), span=x.span)


@tf_operator("MatrixDiagPart")
def diagonal_part(node: TfNode) -> Expr:
    """Translate `MatrixDiagPart`: the main diagonals of matrices."""
    return _part(node.expr(0))


@tf_operator("MatrixDiagPartV2", "MatrixDiagPartV3")
def diagonal_part_v3(node: TfNode) -> Expr:
    """Translate `MatrixDiagPartV3`; raises `F030` for other diagonals than the main one."""
    _check_alignment(node)
    if node.ints(1, "the diagonal") != (0,):
        raise node.error(ErrorCode.F030, "only the main diagonal is supported")
    return _part(node.expr(0))


def _part(x: Expr) -> Expr:
    """Return the main diagonals of matrices."""
    rank = x.tensor_type.rank
    count = min(x.tensor_type.static_shape[-2:])
    turned = Call(Transpose((rank - 2, rank - 1, *range(rank - 2))), (x,))
    places = Constant(np.stack([np.arange(count)] * 2))
    read = Call(GatherND(), (turned, places), span=x.span)
    return Call(Transpose((*range(1, rank - 1), 0)), (read,))


@tf_operator("MatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3")
def set_diagonal(node: TfNode) -> Expr:
    """Translate `MatrixSetDiag`: replace diagonals of matrices."""
    _check_alignment(node)
    found = (0,) if node.op == "MatrixSetDiag" else node.ints(2, "the diagonals")
    op = MatrixSetDiag(found[0], found[-1])
    return Call(op, (node.expr(0), node.expr(1)), span=node.span)


def _check_alignment(node: TfNode) -> None:
    if "align" in node and node.text("align") != _ALIGNED:
        raise node.wrong("align")
