"""Translate ONNX Runtime's operators that fuse products with activations or skip connections."""

from collections.abc import Sequence

from relay.frontend.builders.tensor_helpers import add_channels
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import MICROSOFT, onnx_operator
from relay.frontend.onnx.translate.convolution import convolution
from relay.frontend.onnx.translate.matrix_products import product_of_matrices
from relay.frontend.onnx.translate.rotary_and_rms_norm import root_mean_square
from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import add, multiply, subtract
from relay.ops.elementwise import Clip
from relay.ops.nn.activations import LeakyRelu, Relu
from relay.ops.nn.more_activations import HardSigmoid, HardSwish
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.transcendental import Sigmoid, Sqrt, Tanh
from relay.support.error_codes import ErrorCode


def _activated(node: OnnxNode, x: Expr, parameters: Sequence[float]) -> Expr:
    """Apply the activation that a node names; raises `F040` if it is unknown."""
    first, second = (*parameters, 0.0, 0.0)[:2]
    known: dict[str, OperatorDef] = {
        "Relu": Relu(),
        "Tanh": Tanh(),
        "Sigmoid": Sigmoid(),
        "LeakyRelu": LeakyRelu(first),
        "Clip": Clip(first, second),
        "HardSigmoid": HardSigmoid(first, second),
        "HardSwish": HardSwish(),
    }
    kind = node.choice("activation", ("", *known), "", ErrorCode.F040)
    return Call(known[kind], (x,), span=node.span) if kind else x


@onnx_operator("FusedConv", domain=MICROSOFT)
def fused_conv(node: OnnxNode) -> Expr:
    """Translate `FusedConv`: convolve, add a bias and another tensor, apply an activation."""
    result = add_channels(convolution(node, node.expr(0), node.expr(1)), node.optional(2))
    if node.has(3):
        result = add(result, node.expr(3))
    return _activated(node, result, node.attribute("activation_params", []))


@onnx_operator("FusedGemm", domain=MICROSOFT)
def fused_gemm(node: OnnxNode) -> Expr:
    """Translate `FusedGemm`: multiply matrices, add a bias, apply an activation."""
    names = ("activation_alpha", "activation_beta")
    parameters = [node.attribute(name, 0.0) for name in names]
    return _activated(node, product_of_matrices(node), parameters)


@onnx_operator("SimplifiedLayerNormalization")
@onnx_operator("SimplifiedLayerNormalization", domain=MICROSOFT)
def simplified_layer_normalization(node: OnnxNode) -> Sequence[Expr]:
    """Translate `SimplifiedLayerNormalization`: RMS normalisation with a scale."""
    return root_mean_square(node, node.expr(0), node.expr(1))


@onnx_operator("SkipSimplifiedLayerNormalization", domain=MICROSOFT)
def skip_simplified_layer_normalization(node: OnnxNode) -> Sequence[Expr]:
    """Translate `SkipSimplifiedLayerNormalization`: RMS-normalise a sum of tensors.

    The sum is the last output.
    """
    total = add(node.expr(0), node.expr(1))
    if node.has(3):
        total = add(total, node.expr(3))
    result, inverse = root_mean_square(node, total, node.expr(2))
    return [result, inverse, inverse, total]


@onnx_operator("CDist", domain=MICROSOFT)
def cdist(node: OnnxNode) -> Expr:
    """Translate `CDist`: the (squared) distances between the rows of two matrices."""
    kind = node.choice("metric", ("sqeuclidean", "euclidean"), "sqeuclidean")
    a, b = node.expr(0), node.expr(1)
    apart = subtract(Call(ExpandDims(1), (a,)), b)
    squares = Call(Sum(axis=(2,)), (multiply(apart, apart),), span=node.span)
    return Call(Sqrt(), (squares,)) if kind == "euclidean" else squares
