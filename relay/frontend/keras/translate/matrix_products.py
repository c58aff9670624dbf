"""Translate Keras layers with matrix products, and embeddings."""

from relay.frontend.builders.matrix_products import dense
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_layer
from relay.frontend.keras.translate.activation import activation
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import add
from relay.ops.cast import Cast
from relay.ops.comparison import NotEqual
from relay.ops.tensor.einsum import Einsum
from relay.ops.tensor.gather import Take
from relay.support.dtype import int32


@keras_layer("Dense")
def dense_layer(layer: LayerReader) -> Expr:
    """Translate `Dense`: multiply the last axis by a matrix and add a bias."""
    layer.ignore("units")
    has_bias = layer.flag("use_bias", default=True)
    kernel, *bias = layer.constants(layer.arrays(1 + has_bias))
    result = dense(layer.tensor(), kernel)
    return activation(layer)(add(result, bias[0]) if bias else result)


@keras_layer("EinsumDense")
def einsum_dense(layer: LayerReader) -> Expr:
    """Translate `EinsumDense`: an einsum with a weight, plus a bias along `bias_axes`."""
    layer.ignore("output_shape")
    x, axes = layer.tensor(), layer.option("bias_axes")
    kernel, *bias = layer.constants(layer.arrays(1 + (axes is not None)))
    equation = _spelled_out(layer.text("equation"), x.tensor_type.rank)
    result = Call(Einsum(equation), (Tuple((x, kernel)),), span=layer.span)
    return activation(layer)(add(result, bias[0]) if bias else result)


def _spelled_out(equation: str, rank: int) -> str:
    """Return an einsum equation with the ellipsis replaced by letters.

    >>> _spelled_out("...x,xy->...y", 3)
    'ABx,xy->ABy'
    """
    equation = equation.replace(" ", "")
    first = equation.partition(",")[0]
    letters = "ABCDEFGH"[: max(rank - len(first.replace("...", "")), 0)]
    return equation.replace("...", letters)


@keras_layer("Embedding", "ReversibleEmbedding")
def embedding(layer: LayerReader) -> Expr:
    """Translate `Embedding`; with `mask_zero`, index 0 marks a masked time step."""
    layer.ignore("input_dim", "output_dim", "logit_soft_cap", "reverse_dtype")
    has_second = layer.kind == "ReversibleEmbedding" and not layer.flag("tie_weights", default=True)
    if layer.argument("reverse", 1):
        raise layer.wrong("reverse", found=True)
    table = layer.constants(layer.arrays(1 + has_second))[0]
    given = layer.tensor()
    ids = given if not given.tensor_type.dtype.is_float else Call(Cast(int32), (given,))
    result = Call(Take(axis=0), (table, ids), span=layer.span)
    if layer.flag("mask_zero"):
        layer.masks[result] = Call(NotEqual(), (ids, constant(0, ids.tensor_type.dtype)))
    return result
