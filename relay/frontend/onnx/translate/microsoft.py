"""The fused operators that ONNX Runtime's optimiser writes into models (domain `com.microsoft`)."""

from collections.abc import Sequence

from relay.frontend.builders.products import multiplied
from relay.frontend.builders.tensors import constant
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.ir.expr import Call, Expr
from relay.ops.binary import add, multiply
from relay.ops.creation import ZerosLike
from relay.ops.nn.more_activations import Gelu
from relay.ops.nn.norm import LayerNorm
from relay.ops.tensor.gather import Take
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Sigmoid
from relay.support.error_codes import ErrorCode

MICROSOFT = "com.microsoft"


@onnx_operator("Gelu", "FastGelu", "BiasGelu", domain=MICROSOFT)
def gelu(node: OnnxNode) -> Expr:
    """Apply the Gaussian error linear unit, after a bias if there is one."""
    x = add(node.expr(0), node.expr(1)) if node.has(1) else node.expr(0)
    return Call(Gelu("tanh" if node.op == "FastGelu" else "none"), (x,), span=node.span)


@onnx_operator("QuickGelu", domain=MICROSOFT)
def quick_gelu(node: OnnxNode) -> Expr:
    """Compute `x · sigmoid(alpha · x)`."""
    x = node.expr(0)
    alpha = constant(node.attribute("alpha", 1.702), x.tensor_type.dtype)
    return multiply(x, Call(Sigmoid(), (multiply(x, alpha),)))


@onnx_operator("SkipLayerNormalization", domain=MICROSOFT)
def skip_layer_normalization(node: OnnxNode) -> Sequence[Expr]:
    """Normalise a sum, the last output (`F030` if mean or deviation are requested)."""
    if any(node.outputs[1:3]):
        raise node.error(ErrorCode.F030, "the outputs mean and deviation are not supported")
    total = add(node.expr(0), node.expr(1))
    if node.has(4):
        total = add(total, node.expr(4))
    result = _normalised(node, total, 2)
    return [result, result, result, total]


def _normalised(node: OnnxNode, x: Expr, index: int) -> Expr:
    scale = node.expr(index)
    given = node.optional(index + 1)
    shift = Call(ZerosLike(), (scale,)) if given is None else given
    op = LayerNorm(axis=-1, epsilon=node.attribute("epsilon", 1e-12))
    return Call(op, (x, scale, shift), span=node.span)


@onnx_operator("EmbedLayerNormalization", domain=MICROSOFT)
def embed_layer_normalization(node: OnnxNode) -> Sequence[Expr]:
    """Add embeddings of words, positions and segments, and normalise (`F030` with a mask)."""
    if node.has(7) or any(node.outputs[1:2]):
        raise node.error(ErrorCode.F030, "the mask's index is not supported")
    words = Call(Take(axis=0, mode="raise"), (node.expr(2), node.expr(0)))
    total = add(words, _places(node))
    if node.has(1) and node.has(4):
        total = add(total, Call(Take(axis=0, mode="raise"), (node.expr(4), node.expr(1))))
    result = _normalised(node, total, 5)
    return [result, result, total]


def _places(node: OnnxNode) -> Expr:
    """Return the embeddings of the given positions, or of the first ones."""
    if node.has(8):
        return Call(Take(axis=0, mode="raise"), (node.expr(3), node.expr(8)))
    return Call(StridedSlice((0,), (node.type(0).shape[1],), axes=(0,)), (node.expr(3),))


@onnx_operator("FusedMatMul", domain=MICROSOFT)
def fused_matmul(node: OnnxNode) -> Expr:
    """Multiply matrices, either transposed, and scale."""
    sides = [node.expr(0), node.expr(1)]
    for index, name in enumerate(("transA", "transB")):
        if node.attribute(name, 0):
            rank = sides[index].tensor_type.rank
            order = (*range(rank - 2), rank - 1, rank - 2)
            sides[index] = Call(Transpose(order), (sides[index],))
    result = multiplied(*sides)
    alpha = node.attribute("alpha", 1.0)
    return result if alpha == 1.0 else multiply(result, constant(alpha, result.tensor_type.dtype))
