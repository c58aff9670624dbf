"""Translate MXNet activation functions and softmax operators."""

from collections.abc import Mapping

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.tensor_helpers import constant, flattened, reshape
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import divide, multiply
from relay.ops.cast import Cast
from relay.ops.comparison import less
from relay.ops.elementwise import Clip, Negative
from relay.ops.identity_operators import StopGradient
from relay.ops.nn.activations import LeakyRelu, PRelu, Relu
from relay.ops.nn.more_activations import (
    Elu,
    Gelu,
    HardSigmoid,
    Selu,
    Silu,
    Softplus,
    Softsign,
)
from relay.ops.nn.softmax import LogSoftmax, Softmax
from relay.ops.selection import where
from relay.ops.tensor.gather import Gather
from relay.ops.transcendental import Sigmoid, Tanh
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode

_FUNCTIONS: Mapping[str, OperatorDef] = {
    "relu": Relu(strict=True),
    "sigmoid": Sigmoid(),
    "tanh": Tanh(),
    "softrelu": Softplus(),
    "softsign": Softsign(),
}


@mxnet_operator("Activation")
def activation(node: MxNode) -> Expr:
    """Translate `Activation`: apply the function named by `act_type`."""
    name = node.text("act_type")
    if name not in _FUNCTIONS:
        help_ = f"use one of the activations {', '.join(_FUNCTIONS)}"
        raise node.error(ErrorCode.F040, f"there is no activation '{name}'", help=help_)
    return Call(_FUNCTIONS[name], (node.tensor(),), span=node.span)


@mxnet_operator("relu", "sigmoid", "tanh", "softsign", "_npx_relu", "_npx_sigmoid")
def plain(node: MxNode) -> Expr:
    """Translate an activation function that is a separate operator."""
    return Call(_FUNCTIONS[node.op.removeprefix("_npx_")], (node.tensor(),), span=node.span)


@mxnet_operator("hard_sigmoid")
def hard_sigmoid(node: MxNode) -> Expr:
    """Translate `hard_sigmoid`: `alpha · x + beta`, clipped to between 0 and 1."""
    op = HardSigmoid(node.number("alpha", 0.2), node.number("beta", 0.5))
    return Call(op, (node.tensor(),), span=node.span)


@mxnet_operator("_contrib_silu")
def silu(node: MxNode) -> Expr:
    """Translate `silu`: multiply each element by its sigmoid."""
    return Call(Silu(), (node.tensor(),), span=node.span)


@mxnet_operator("LeakyReLU")
def leaky_relu(node: MxNode) -> Expr:
    """Translate `LeakyReLU`: leaky, parametric or exponential, as `act_type` selects."""
    node.ignore("lower_bound", "upper_bound")
    x, kind = node.tensor(), node.text("act_type", "leaky")
    slope = node.number("slope", 0.25)
    match kind:
        case "leaky":
            return Call(LeakyRelu(slope), (x,), span=node.span)
        case "elu":
            return Call(Elu(slope), (x,), span=node.span)
        case "selu":
            return Call(Selu(), (x,), span=node.span)
        case "gelu":
            return Call(Gelu("none"), (x,), span=node.span)
        case "prelu":
            return _prelu(node, x, node.tensor(1))
        case "rrelu":  # inference uses the mean slope
            slope = (node.number("lower_bound", 0.125) + node.number("upper_bound", 0.334)) / 2
            return Call(LeakyRelu(slope), (x,), span=node.span)
        case _:
            raise node.error(
                ErrorCode.F040, f"there is no activation '{kind}'", help="use leaky, elu or prelu"
            )


def _prelu(node: MxNode, x: Expr, alpha: Expr) -> Expr:
    if alpha.tensor_type.rank == 1 and alpha.tensor_type.shape != (1,):
        return Call(PRelu(axis=1), (x, alpha), span=node.span)
    factor = reshape(alpha, ()) if alpha.tensor_type.shape == (1,) else alpha
    return where(less(x, constant(0, x.tensor_type.dtype)), multiply(x, factor), x)


@mxnet_operator("clip")
def clip(node: MxNode) -> Expr:
    """Translate `clip`: limit elements to between `a_min` and `a_max`."""
    op = Clip(node.number("a_min"), node.number("a_max"))
    return Call(op, (node.tensor(),), span=node.span)


@mxnet_operator("softmax", "log_softmax", "softmin")
def softmax(node: MxNode) -> Expr:
    """Translate softmax along an axis; a `temperature` divides the data first.

    With `use_length`, elements after the end of each sequence are zero.
    """
    x, axis = node.tensor(), node.integer("axis", -1)
    element = x.tensor_type.dtype if node.text("dtype", "None") == "None" else node.dtype()
    x = x if element is x.tensor_type.dtype else Call(Cast(element), (x,))
    x = Call(Negative(), (x,)) if node.op == "softmin" else x
    if "temperature" in node:
        x = divide(x, constant(node.number("temperature"), element))
    node.ignore("temperature", "dtype")
    if node.flag("use_length"):
        return _masked(node, x, axis)
    op = LogSoftmax(axis) if node.op == "log_softmax" else Softmax(axis)
    return Call(op, (x,), span=node.span)


def _masked(node: MxNode, x: Expr, axis: int) -> Expr:
    """Return the softmax of the first elements along an axis, as many as the lengths say."""
    if node.op != "softmax":
        raise node.wrong("use_length")
    rank, size = x.tensor_type.rank, x.tensor_type.static_shape[axis]
    places = np.arange(size).reshape([-1 if each == axis % rank else 1 for each in range(rank)])
    lengths = rnp.expand_dims(node.tensor(1), axis)
    kept = rnp.less(places.astype(lengths.tensor_type.dtype.numpy), lengths)
    least = np.asarray(np.finfo(x.tensor_type.dtype.name).min)
    found = Call(Softmax(axis), (rnp.where(kept, x, least),), span=node.span)
    return rnp.where(kept, found, np.asarray(0, least.dtype))


@mxnet_operator("softmax_cross_entropy")
def softmax_cross_entropy(node: MxNode) -> Expr:
    """Translate `softmax_cross_entropy`: minus the sum of the log-probabilities of the labels."""
    logs = Call(LogSoftmax(-1), (node.tensor(),), span=node.span)
    label = Call(Cast(int64), (node.tensor(1),))
    chosen = Call(Gather(1), (logs, reshape(label, (*label.tensor_type.shape, 1))))
    return reshape(rnp.negative(rnp.sum(chosen)), (1,))


@mxnet_operator("SoftmaxOutput", "Softmax")
def softmax_output(node: MxNode) -> Expr:
    """Translate `SoftmaxOutput`; the label input is only for training.

    Softmax is over the second axis, or over all axes but the batch.
    """
    node.ignore("preserve_shape", "multi_output")
    x = node.tensor()
    shape = x.tensor_type.shape
    if node.flag("multi_output"):
        return Call(Softmax(1), (x,), span=node.span)
    if node.flag("preserve_shape") or len(shape) == 2:
        return Call(Softmax(-1), (x,), span=node.span)
    return reshape(Call(Softmax(-1), (flattened(x, 1),), span=node.span), shape)


@mxnet_operator("SoftmaxActivation")
def softmax_activation(node: MxNode) -> Expr:
    """Translate `SoftmaxActivation`: softmax over each sample, or over the channels."""
    x = node.tensor()
    if node.text("mode", "instance") == "channel":
        return Call(Softmax(1), (x,), span=node.span)
    flat = Call(Softmax(-1), (flattened(x, 1),), span=node.span)
    return reshape(flat, x.tensor_type.shape)


@mxnet_operator("LinearRegressionOutput", "MAERegressionOutput", "MakeLoss", "make_loss",
                "identity", "_copy", "Dropout", "IdentityAttachKLSparseReg",
                "_identity_with_attr_like_rhs", "_contrib_gradientmultiplier",
                "SVMOutput", "_np_copy", "_copyto", "cast_storage", "_CrossDeviceCopy")  # fmt: skip
def identity(node: MxNode) -> Expr:
    """Return the first input unchanged: these operators only have an effect in training."""
    node.ignore(*node.attributes)
    return node.tensor()


@mxnet_operator("BlockGrad")
def block_grad(node: MxNode) -> Expr:
    """Translate `BlockGrad`: the input, whose derivative is zero."""
    return Call(StopGradient(), (node.tensor(),), span=node.span)


@mxnet_operator("LogisticRegressionOutput")
def logistic(node: MxNode) -> Expr:
    """Translate `LogisticRegressionOutput`: the sigmoid; the label input is only for training."""
    return Call(Sigmoid(), (node.tensor(),), span=node.span)
