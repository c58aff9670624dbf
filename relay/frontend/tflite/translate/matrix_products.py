"""Translate TensorFlow Lite matrix products."""

from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.tflite.integer_arithmetic import without_zero
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.frontend.tflite.translate.convolution import (
    biased,
    is_wide,
    real_operands,
    requantised,
    zeros,
)
from relay.ir.dims import product
from relay.ir.expr import Call, Expr
from relay.ops.nn.matmul import BatchMatmul, Dense
from relay.ops.qnn.conv_and_matmul import QuantisedDense
from relay.ops.qnn.scale_and_zero_point import cast
from relay.support.dtype import int32, int64
from relay.support.error_codes import ErrorCode

_DEFAULT_FORMAT = 0  # `FullyConnectedOptionsWeightsFormat.DEFAULT`; the other is for ARM


@lite_operator("FULLY_CONNECTED")
def fully_connected(node: LiteNode) -> Expr:
    """Translate `FULLY_CONNECTED`; the weight is `(units, inner)`."""
    node.ignore("AsymmetricQuantizeInputs", "QuantizedBiasType")
    if node.option("WeightsFormat") != _DEFAULT_FORMAT:
        problem = "the weights have the format SHUFFLED4x16INT8; only DEFAULT is supported"
        raise node.error(ErrorCode.F030, problem, help="convert the model again, without shuffling")
    units, inner = node.type(1).static_shape
    found = _product(node, _rows(node, inner))
    if node.option("KeepNumDims"):
        return reshape(found, (*node.type(0).shape[:-1], units))
    return found


def _rows(node: LiteNode, inner: int) -> Expr:
    """Return the data reshaped to rows of length `inner`."""
    x = node.expr(0)
    shape = x.tensor_type.shape
    if len(shape) == 2 and shape[1] == inner:
        return x
    if shape and shape[-1] == inner:
        return reshape(x, (product(shape[:-1]), inner))
    return reshape(x, (product(shape) // max(inner, 1), inner))


def _product(node: LiteNode, rows: Expr) -> Expr:
    if not node.result.is_quantized:
        weight = real_operands(node)[1]
        return biased(node, Call(Dense(), (rows, weight), span=node.span))
    weight = node.expr(1)
    if is_wide(node):
        wide = cast(weight, rows.tensor_type.dtype)
        return requantised(node, Call(Dense(out_dtype=int64), (rows, wide), span=node.span), 0)
    operands = (rows, weight, *zeros(node))
    return requantised(node, Call(QuantisedDense(), operands, span=node.span), 0)


@lite_operator("BATCH_MATMUL")
def batch_matmul(node: LiteNode) -> Expr:
    """Translate `BATCH_MATMUL`: batch axes broadcast; matrices may be transposed."""
    node.ignore("AsymmetricQuantizeInputs")
    turned = node.option("AdjX"), node.option("AdjY")
    if not node.result.is_quantized:
        return Call(BatchMatmul(None, *turned), real_operands(node), span=node.span)
    to = int64 if node.tensor(0).element == "INT16" else int32
    operands = without_zero(node, 0), without_zero(node, 1)
    return requantised(node, Call(BatchMatmul(to, *turned), operands, span=node.span), -1)
