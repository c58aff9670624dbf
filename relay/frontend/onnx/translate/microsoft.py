"""The fused operators that ONNX Runtime's optimiser writes into models (domain `com.microsoft`)."""

from collections.abc import Sequence

from relay.frontend.builders.products import multiplied
from relay.frontend.builders.tensors import constant
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import MICROSOFT, onnx_operator
from relay.ir.expr import Call, Expr
from relay.ops.binary import add, multiply
from relay.ops.cast import Cast
from relay.ops.creation import Zeros, ZerosLike
from relay.ops.nn.more_activations import Gelu
from relay.ops.nn.norm import LayerNorm
from relay.ops.reduction import Sum
from relay.ops.tensor.gather import Take
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Sigmoid
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode


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
    """Add embeddings of words, positions and segments, and normalise; count the mask's ones."""
    words = Call(Take(axis=0, mode="raise"), (node.expr(2), node.expr(0)))
    total = add(words, _places(node))
    if node.has(1) and node.has(4):
        total = add(total, Call(Take(axis=0, mode="raise"), (node.expr(4), node.expr(1))))
    return [_normalised(node, total, 5), _lengths(node), total]


def _lengths(node: OnnxNode) -> Expr:
    """Return the number of tokens of each sequence that the mask keeps; zeros without a mask."""
    if not node.has(7):
        return Call(Zeros((node.type(0).shape[0],), int32), ())
    return Call(Sum(axis=(1,)), (Call(Cast(int32), (node.expr(7),)),))


def _places(node: OnnxNode) -> Expr:
    """Return the embeddings of the given positions, or of the first ones."""
    if node.has(8):
        return Call(Take(axis=0, mode="raise"), (node.expr(3), node.expr(8)))
    return Call(StridedSlice((0,), (node.type(0).shape[1],), axes=(0,)), (node.expr(3),))


@onnx_operator("FusedMatMul", "TransposeMatMul", domain=MICROSOFT)
def fused_matmul(node: OnnxNode) -> Expr:
    """Multiply matrices, either transposed, or with rows before the axes of batches, and scale."""
    sides = [node.expr(0), node.expr(1)]
    for index, side in enumerate("AB"):
        rank = sides[index].tensor_type.rank
        order = list(range(rank))
        if node.attribute(f"transBatch{side}", 0):
            order = [*range(1, rank - 1), 0, rank - 1]
        if node.attribute(f"trans{side}", 0) and rank > 1:
            order[-2:] = order[:-3:-1]
        if order != list(range(rank)):
            sides[index] = Call(Transpose(tuple(order)), (sides[index],))
    result = multiplied(*sides)
    alpha = node.attribute("alpha", 1.0)
    return result if alpha == 1.0 else multiply(result, constant(alpha, result.tensor_type.dtype))
