"""Translate PyTorch activation functions."""

from collections.abc import Callable, Mapping

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.opdef.definition import OperatorDef
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.comparison import Greater, LessEqual, less
from relay.ops.elementwise import Abs, Clip
from relay.ops.nn.activations import LeakyRelu, PRelu, Relu
from relay.ops.nn.more_activations import (
    Celu,
    Elu,
    Gelu,
    HardSigmoid,
    HardSwish,
    Mish,
    Selu,
    Silu,
    Softplus,
)
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Split
from relay.ops.transcendental import Exp, Sigmoid, Tanh
from relay.support.error_codes import ErrorCode


def _mean_slope(node: TorchNode) -> float:
    """Return the slope of `rrelu` in inference; raises `F036` for the random one of training."""
    node.ignore("generator")
    if node.flag("training"):
        help_ = "call model.eval() before loading the model"
        raise node.error(ErrorCode.F036, "the model is in training mode", help=help_)
    return (node.number("lower") + node.number("upper")) / 2


_PLAIN: Mapping[str, Callable[[TorchNode], OperatorDef]] = {
    "relu": lambda _: Relu(strict=True),
    "relu6": lambda _: Clip(0.0, 6.0, strict=True),
    "leaky_relu": lambda node: LeakyRelu(node.number("negative_slope")),
    "rrelu": lambda node: LeakyRelu(_mean_slope(node)),
    "gelu": lambda node: Gelu(str(node.value("approximate") or "none")),
    "silu": lambda _: Silu(),
    "mish": lambda _: Mish(),
    "hardsigmoid": lambda _: HardSigmoid(1 / 6, 0.5),
    "hardswish": lambda _: HardSwish(),
    "hardtanh": lambda node: Clip(node.number("min_val"), node.number("max_val"), strict=True),
    "selu": lambda _: Selu(1.6732632423543772, 1.0507009873554805),
    "celu": lambda node: Celu(node.number("alpha")),
}


@torch_operator(*_PLAIN)
def plain(node: TorchNode) -> Expr:
    """Translate an activation that has an equivalent Relay operator."""
    return Call(_PLAIN[node.operator](node), (node.tensor("self"),), span=node.span)


@torch_operator("elu")
def elu(node: TorchNode) -> Expr:
    """Translate `elu`: `scale · x` above 0, `scale · alpha · (exp(input_scale · x) - 1)` below."""
    x = node.tensor("self")
    alpha, scale, inner = (node.number(name) for name in ("alpha", "scale", "input_scale"))
    if inner == 1.0 == scale:
        return Call(Elu(alpha), (x,), span=node.span)
    dtype = x.tensor_type.dtype
    grown = subtract(Call(Exp(), (multiply(x, constant(inner, dtype)),)), constant(1.0, dtype))
    below, above = (
        multiply(grown, constant(alpha * scale, dtype)),
        multiply(x, constant(scale, dtype)),
    )
    return where(Call(Greater(), (x, constant(0.0, dtype))), above, below)


@torch_operator("softplus")
def softplus(node: TorchNode) -> Expr:
    """Translate `softplus`: `log(1 + exp(beta · x)) / beta`, or x if `beta · x > threshold`."""
    x, beta = node.tensor("self"), node.number("beta")
    dtype = x.tensor_type.dtype
    scaled = x if beta == 1 else multiply(x, constant(beta, dtype))
    smooth = Call(Softplus(), (scaled,), span=node.span)
    result = smooth if beta == 1 else divide(smooth, constant(beta, dtype))
    threshold = constant(node.number("threshold"), dtype)
    return where(Call(Greater(), (scaled, threshold)), x, result)


@torch_operator("log_sigmoid", "log_sigmoid_forward")
def log_sigmoid(node: TorchNode) -> object:
    """Translate `log_sigmoid`, as minus the softplus of `-x`.

    `log_sigmoid_forward` also returns `exp(-|x|)`, from which its gradient is computed.
    """
    x = node.tensor("self")
    minus = constant(-1.0, x.tensor_type.dtype)
    result = multiply(Call(Softplus(), (multiply(x, minus),)), minus)
    if node.operator == "log_sigmoid":
        return result
    return [result, Call(Exp(), (multiply(Call(Abs(), (x,)), minus),))]


@torch_operator("prelu", "_prelu_kernel")
def prelu(node: TorchNode) -> Expr:
    """Translate `prelu`: scale negative elements by a weight, scalar or per channel (axis 1)."""
    x, weight = node.tensor("self"), node.tensor("weight")
    rank = x.tensor_type.rank
    if weight.tensor_type.rank == 1 and rank > 1 and weight.tensor_type.shape != (1,):
        return Call(PRelu(axis=1), (x, weight), span=node.span)
    weight = reshape(weight, ()) if weight.tensor_type.shape == (1,) else weight
    zero = constant(0.0, x.tensor_type.dtype)
    return where(Call(Greater(), (x, zero)), x, multiply(x, weight))


@torch_operator("glu")
def glu(node: TorchNode) -> Expr:
    """Translate `glu`: one half of an axis times the sigmoid of the other half."""
    halves = Call(Split(2, node.integer("dim")), (node.tensor("self"),), span=node.span)
    return multiply(TupleGetItem(halves, 0), Call(Sigmoid(), (TupleGetItem(halves, 1),)))


@torch_operator("threshold")
def threshold(node: TorchNode) -> Expr:
    """Translate `threshold`: elements that do not exceed it are replaced by a number."""
    x = node.tensor("self")
    dtype = x.tensor_type.dtype
    above = Call(Greater(), (x, constant(node.number("threshold"), dtype)))
    return where(above, x, constant(node.number("value"), dtype))


@torch_operator("hardshrink", "softshrink")
def shrink(node: TorchNode) -> Expr:
    """Translate shrinkage: values within `lambd` of 0 become 0.

    The soft variant also moves the others towards 0.
    """
    x, limit = node.tensor("self"), node.number("lambd")
    dtype = x.tensor_type.dtype
    zero, high, low = (constant(each, dtype) for each in (0.0, limit, -limit))
    above, below = Call(Greater(), (x, high)), less(x, low)
    if node.operator == "softshrink":
        return where(above, subtract(x, high), where(below, add(x, high), zero))
    return where(Call(LessEqual(), (Call(Abs(), (x,)), high)), zero, x)


@torch_operator("tanhshrink", "softsign")
def against_itself(node: TorchNode) -> Expr:
    """Translate `tanhshrink`, `x - tanh(x)`, and `softsign`, `x / (1 + |x|)`."""
    x = node.tensor("self")
    if node.operator == "tanhshrink":
        return subtract(x, Call(Tanh(), (x,)))
    return divide(x, add(constant(1.0, x.tensor_type.dtype), Call(Abs(), (x,))))
