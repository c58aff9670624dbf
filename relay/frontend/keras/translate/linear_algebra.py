"""Translate `keras.ops` functions of matrices that have options: inverses, ranks, distances."""

import numpy as np

from relay import numpy as rnp
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_operation
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.ops.functions import core
from relay.ops.linalg.pseudoinverse import Pinv
from relay.ops.linalg.svd import SVD


@keras_operation("CholeskyInverse")
def cholesky_inverse(layer: LayerReader) -> Expr:
    """Translate `cholesky_inverse`: the inverse of a matrix from its triangular factor."""
    factor = layer.tensor()
    turned = rnp.matrix_transpose(factor)
    pair = (turned, factor) if layer.flag("upper") else (factor, turned)
    return rnp.linalg.inv(rnp.matmul(*pair))


@keras_operation("Logdet")
def log_determinant(layer: LayerReader) -> Expr:
    """Translate `logdet`: the logarithm of the size of the determinant."""
    return rnp.linalg.slogdet(layer.tensor())[1]


@keras_operation("Lstsq")
def least_squares(layer: LayerReader) -> Expr:
    """Translate `lstsq`: the solution of least squares, and of least length."""
    a, b = layer.values()
    is_vector = b.tensor_type.rank == 1
    inverse = _pseudoinverse(a, _share(layer, "rcond", a, 1))
    found = rnp.matmul(inverse, rnp.expand_dims(b, -1) if is_vector else b)
    return rnp.squeeze(found, axis=-1) if is_vector else found


@keras_operation("Pinv")
def pseudoinverse(layer: LayerReader) -> Expr:
    """Translate `pinv`."""
    x = layer.tensor()
    return _pseudoinverse(x, _share(layer, "rcond", x, 10))


def _pseudoinverse(x: Expr, share: float) -> Expr:
    return Call(Pinv(), (x, rnp.multiply(_largest(_singular_values(x)), share)), span=x.span)


def _singular_values(x: Expr) -> Expr:
    return TupleGetItem(Call(SVD(), (x,), span=x.span), 1)


def _largest(values: Expr) -> Expr:
    return core.max(values, axis=-1, keepdims=True)


def _share(layer: LayerReader, option: str, x: Expr, factor: int) -> float:
    """Return the share of the largest singular value up to which others count as zero."""
    given = layer.option(option)
    sizes = [size for size in x.tensor_type.shape[-2:] if isinstance(size, int)]
    default = factor * max(sizes, default=1) * float(np.finfo(str(x.tensor_type.dtype)).eps)
    return default if given is None else float(given)


@keras_operation("MatrixRank")
def rank(layer: LayerReader) -> Expr:
    """Translate `matrix_rank`."""
    x, tolerance = layer.tensor(), layer.option("tol")
    values = _singular_values(x)
    limit = rnp.multiply(_largest(values), _share(layer, "rcond", x, 1))
    counted = rnp.greater(values, limit if tolerance is None else tolerance)
    return core.sum(core.cast(counted, "int32"), axis=-1)


@keras_operation("CDist")
def distances(layer: LayerReader) -> Expr:
    """Translate `cdist`: the distances of all pairs of rows."""
    x, y = layer.values()
    apart = rnp.subtract(rnp.expand_dims(x, -2), rnp.expand_dims(y, -3))
    return rnp.sqrt(rnp.sum(rnp.square(apart), axis=-1))
