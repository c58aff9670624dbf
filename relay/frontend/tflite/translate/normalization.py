"""Translate TensorFlow Lite softmax and normalisations."""

import numpy as np

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.frontend.tflite.translate.quantised_l2_normalization import quantised_l2_normalization
from relay.frontend.tflite.translate.quantised_log_softmax import quantised_log_softmax
from relay.frontend.tflite.translate.quantised_softmax import quantised_softmax
from relay.ir.expr import Call, Expr
from relay.ops.binary import Maximum, divide, multiply, square
from relay.ops.nn.normalization import LRN
from relay.ops.nn.softmax import LogSoftmax, Softmax
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.transcendental import Sqrt


@lite_operator("SOFTMAX")
def softmax(node: LiteNode) -> Expr:
    """Translate `SOFTMAX` of `beta · x` along the last axis."""
    beta = np.float32(node.option("Beta"))
    if node.result.is_quantized:
        return quantised_softmax(node, float(beta))
    x = node.expr(0)
    if beta != 1:
        x = multiply(x, constant(float(beta), x.tensor_type.dtype))
    return Call(Softmax(-1), (x,), span=node.span)


@lite_operator("LOG_SOFTMAX")
def log_softmax(node: LiteNode) -> Expr:
    """Translate `LOG_SOFTMAX` along the last axis."""
    if node.result.is_quantized:
        return quantised_log_softmax(node)
    return Call(LogSoftmax(-1), (node.expr(0),), span=node.span)


@lite_operator("L2_NORMALIZATION")
def l2_normalization(node: LiteNode) -> Expr:
    """Translate `L2_NORMALIZATION` along the last axis."""
    if node.result.is_quantized:
        return quantised_l2_normalization(node)
    x = node.expr(0)
    total = Call(Sum((-1,), keepdims=True), (square(x),))
    least = constant(1e-6, x.tensor_type.dtype)
    return divide(x, Call(Maximum(), (Call(Sqrt(), (total,)), least)))


@lite_operator("LOCAL_RESPONSE_NORMALIZATION")
def local_response_normalization(node: LiteNode) -> Expr:
    """Translate `LOCAL_RESPONSE_NORMALIZATION` across channels."""
    node.check_not_quantised()
    size = 2 * node.option("Radius") + 1
    op = LRN(
        size=size, axis=node.type(0).rank - 1, bias=node.option("Bias"),
        alpha=node.option("Alpha") * size, beta=node.option("Beta"),
    )  # fmt: skip
    return Call(op, (node.expr(0),), span=node.span)
