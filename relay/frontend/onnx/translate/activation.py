"""Translate ONNX activation functions."""

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import add, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import Greater, Less
from relay.ops.nn.activations import LeakyRelu, PRelu
from relay.ops.nn.more_activations import (
    Celu,
    Elu,
    Gelu,
    HardSigmoid,
    HardSwish,
    Mish,
    Selu,
    Softplus,
    Softsign,
    ThresholdedRelu,
)
from relay.ops.selection import where
from relay.ops.transcendental import Sigmoid
from relay.support.dtype import float64


def _activation(node: OnnxNode) -> OperatorDef:
    alpha = node.attribute("alpha")
    match node.op:
        case "LeakyRelu":
            return LeakyRelu(0.01 if alpha is None else alpha)
        case "Elu":
            return Elu(1.0 if alpha is None else alpha)
        case "Celu":
            return Celu(1.0 if alpha is None else alpha)
        case "Selu":
            return Selu(
                1.67326319217681884765625 if alpha is None else alpha,
                node.attribute("gamma", 1.05070102214813232421875),
            )
        case "ThresholdedRelu":
            return ThresholdedRelu(1.0 if alpha is None else alpha)
        case "HardSigmoid":
            return HardSigmoid(0.2 if alpha is None else alpha, node.attribute("beta", 0.5))
        case "Gelu":
            return Gelu(node.choice("approximate", ("none", "tanh"), "none"))
        case _:
            return _WITHOUT_ATTRIBUTES[node.op]()


_WITHOUT_ATTRIBUTES: dict[str, type[OperatorDef]] = {
    "HardSwish": HardSwish,
    "Mish": Mish,
    "Softplus": Softplus,
    "Softsign": Softsign,
}
_WITH_ATTRIBUTES = (
    "Celu", "Elu", "Gelu", "HardSigmoid", "LeakyRelu", "Selu", "ThresholdedRelu",
)  # fmt: skip


@onnx_operator(*_WITHOUT_ATTRIBUTES, *_WITH_ATTRIBUTES)
def activation(node: OnnxNode) -> Expr:
    """Translate an activation with an equivalent Relay operator, with ONNX's default attributes."""
    return Call(_activation(node), (node.expr(0),), span=node.span)


@onnx_operator("PRelu")
def prelu(node: OnnxNode) -> Expr:
    """Translate `PRelu`; Relay has an operator for one slope per channel.

    In old opsets, a vector of slopes that does not broadcast contains one slope per channel.
    """
    x, slope = node.expr(0), node.expr(1)
    shape, sizes = slope.tensor_type.shape, x.tensor_type.shape
    rank = len(sizes)
    per_channel = rank > 1 and len(shape) == rank - 1 and all(dim == 1 for dim in shape[1:])
    per_channel |= rank > 1 and len(shape) == 1 and shape[0] not in (1, sizes[-1])
    if per_channel and shape[0] == sizes[1]:
        return Call(PRelu(axis=1), (x, reshape(slope, shape[:1])), span=node.span)
    below = Call(Less(), (x, constant(0.0, x.tensor_type.dtype)))
    return where(below, multiply(x, slope), x)


@onnx_operator("Swish")
def swish(node: OnnxNode) -> Expr:
    """Translate `Swish`: `x · sigmoid(alpha · x)`."""
    return _swish(node.expr(0), node.attribute("alpha", 1.0))


@onnx_operator("SwiGLU")
def swiglu(node: OnnxNode) -> Expr:
    """Translate `SwiGLU`: the swish of the first input times the second input."""
    return multiply(_swish(node.expr(0), node.attribute("alpha", 1.0)), node.expr(1))


def _swish(x: Expr, alpha: float) -> Expr:
    return multiply(x, Call(Sigmoid(), (multiply(x, constant(alpha, x.tensor_type.dtype)),)))


@onnx_operator("Shrink")
def shrink(node: OnnxNode) -> Expr:
    """Translate `Shrink`: reduce magnitudes by `bias`; elements within `lambd` of 0 become 0."""
    given = node.expr(0)
    element = given.tensor_type.dtype
    x = given if element.is_float else Call(Cast(float64), (given,))
    dtype = x.tensor_type.dtype
    bias = constant(node.attribute("bias", 0.0), dtype)
    limit = node.attribute("lambd", 0.5)
    below = Call(Less(), (x, constant(-limit, dtype)))
    above = Call(Greater(), (x, constant(limit, dtype)))
    inner = where(above, subtract(x, bias), constant(0, dtype))
    found = where(below, add(x, bias), inner)
    return found if element.is_float else Call(Cast(element), (found,))
