"""Translate ONNX Runtime's mixtures of experts (domain `com.microsoft`)."""

from collections.abc import Sequence

from relay.frontend.builders.matrix_products import multiplied
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import MICROSOFT, onnx_operator
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.ops.binary import Maximum, Minimum, add, divide, multiply
from relay.ops.creation import ZerosLike
from relay.ops.nn.activations import Relu
from relay.ops.nn.more_activations import Gelu
from relay.ops.nn.softmax import Softmax
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Split
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.scatter import ScatterElements
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.sort import TopK
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Sigmoid
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode


@onnx_operator("MoE", domain=MICROSOFT)
def mixture_of_experts(node: OnnxNode) -> Expr:
    """Translate `MoE`: sum the outputs of the selected experts, weighted by the router."""
    layers = [node.optional(place) for place in range(2, 8)]
    return mixed(node, layers)


def mixed(node: OnnxNode, layers: Sequence[Expr | None]) -> Expr:
    """Return a mixture of experts of up to three layers.

    `layers` alternates weights `(experts, out, in)` with biases, which may be None: the inner
    layer, the outer one, and optionally that of gates. All experts compute all tokens; the router's
    factor is 0 for those that it does not select.
    """
    x = node.expr(0)
    *lead, width = x.tensor_type.shape
    shares = _expert_weights(node)
    rows = Call(ExpandDims(0), (reshape(x, (shares.tensor_type.shape[0], width)),))
    inner, bias, outer, outer_bias, third, third_bias = layers
    assert inner is not None, "the operator requires them"
    assert outer is not None, "the operator requires them"
    other = None if third is None else _layer(rows, third, third_bias)
    hidden = _activated(node, _layer(rows, inner, bias), other)
    results = _layer(hidden, outer, outer_bias)  # (experts, tokens, width)
    weights = Call(ExpandDims(2), (Call(Transpose((1, 0)), (shares,)),))
    total = Call(Sum(axis=(0,)), (multiply(results, weights),), span=node.span)
    return reshape(total, (*lead, width))


def _expert_weights(node: OnnxNode) -> Expr:
    """Return the weight of each expert for each token; nonzero for the `k` best only."""
    scores = Call(Softmax(-1), (node.expr(1),))
    best = Call(TopK(k=node.attribute("k", 1), ret_type="both", dtype=int64), (scores,))
    values, experts = (TupleGetItem(best, place) for place in (0, 1))
    if node.attribute("normalize_routing_weights", 0):
        values = divide(values, Call(Sum(axis=(1,), keepdims=True), (values,)))
    return Call(ScatterElements(1), (Call(ZerosLike(), (scores,)), experts, values))


def _layer(x: Expr, weight: Expr, bias: Expr | None) -> Expr:
    product = multiplied(x, Call(Transpose((0, 2, 1)), (weight,)))
    return product if bias is None else add(product, Call(ExpandDims(1), (bias,)))


_ACTIVATIONS = ("relu", "gelu", "silu", "swiglu", "identity")


def _activated(node: OnnxNode, x: Expr, other: Expr | None) -> Expr:
    """Apply the activation; `other` is the product with the third weight, for gated ones."""
    kind = node.choice("activation_type", _ACTIVATIONS, "relu", ErrorCode.F040)
    if kind == "swiglu":
        return _swiglu(node, x, other)
    match kind:
        case "relu":
            result = Call(Relu(), (x,))
        case "gelu":
            result = Call(Gelu("tanh"), (x,))
        case "silu":
            result = multiply(x, Call(Sigmoid(), (x,)))
        case _:
            result = x
    return result if other is None else multiply(result, other)


def _swiglu(node: OnnxNode, x: Expr, other: Expr | None) -> Expr:
    """Return `g · sigmoid(alpha · g) · (l + beta)`, clamped to `swiglu_limit` if present."""
    element = x.tensor_type.dtype
    gate, linear = (x, other) if other is not None else _halves(node, x)
    if "swiglu_limit" in node:
        high = constant(node.attribute("swiglu_limit"), element)
        low = constant(-node.attribute("swiglu_limit"), element)
        gate = Call(Minimum(), (gate, high))
        linear = Call(Maximum(), (Call(Minimum(), (linear, high)), low))
    alpha = constant(node.attribute("activation_alpha", 1.0), element)
    beta = constant(node.attribute("activation_beta", 0.0), element)
    swish = multiply(gate, Call(Sigmoid(), (multiply(alpha, gate),)))
    return multiply(swish, add(linear, beta))


def _halves(node: OnnxNode, x: Expr) -> tuple[Expr, Expr]:
    """Split a product into gate and linear part, which are interleaved or concatenated."""
    if node.attribute("swiglu_fusion", 0) == 1:
        size = x.tensor_type.shape[2]
        gate, linear = (
            Call(StridedSlice((place,), (size,), (2,), axes=(2,)), (x,)) for place in (0, 1)
        )
        return gate, linear
    both = Call(Split(2, 2), (x,))
    return TupleGetItem(both, 0), TupleGetItem(both, 1)
