"""Translate TensorFlow's unary elementwise operators, casts and clipping."""

from collections.abc import Callable, Mapping

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Call, Expr
from relay.numpy.elementary_functions import expm1, log1p
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Maximum, Minimum, divide, square
from relay.ops.cast import Cast, Reinterpret
from relay.ops.elementwise import (
    Abs,
    Ceil,
    Clip,
    Floor,
    IsFinite,
    IsInf,
    IsNan,
    Negative,
    Rint,
    Sign,
)
from relay.ops.logical import BitwiseNot, LogicalNot
from relay.ops.nn.activations import LeakyRelu, Relu
from relay.ops.nn.more_activations import Elu, Selu, Softplus, Softsign
from relay.ops.nn.softmax import LogSoftmax, Softmax
from relay.ops.special_functions import Erfc, Erfinv, LGamma, Polygamma
from relay.ops.transcendental import (
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Cos,
    Cosh,
    Erf,
    Exp,
    Log,
    Rsqrt,
    Sigmoid,
    Sin,
    Sinh,
    Sqrt,
    Tan,
    Tanh,
)

_PLAIN: Mapping[str, OperatorDef] = {
    "Abs": Abs(),
    "Acos": Acos(),
    "Acosh": Acosh(),
    "Asin": Asin(),
    "Asinh": Asinh(),
    "Atan": Atan(),
    "Atanh": Atanh(),
    "Ceil": Ceil(),
    "Cos": Cos(),
    "Cosh": Cosh(),
    "Elu": Elu(),
    "Digamma": Polygamma(0),
    "Erf": Erf(),
    "Erfc": Erfc(),
    "Erfinv": Erfinv(),
    "Exp": Exp(),
    "Floor": Floor(),
    "Invert": BitwiseNot(),
    "IsFinite": IsFinite(),
    "IsInf": IsInf(),
    "IsNan": IsNan(),
    "Lgamma": LGamma(),
    "Log": Log(),
    "LogSoftmax": LogSoftmax(-1),
    "LogicalNot": LogicalNot(),
    "Neg": Negative(),
    "Relu": Relu(strict=True),
    "Relu6": Clip(0.0, 6.0, strict=True),
    "Rint": Rint(),
    "Round": Rint(),
    "Rsqrt": Rsqrt(),
    "Selu": Selu(),
    "Sigmoid": Sigmoid(),
    "Sign": Sign(),
    "Sin": Sin(),
    "Sinh": Sinh(),
    "Softmax": Softmax(-1),
    "Softplus": Softplus(),
    "Softsign": Softsign(),
    "Sqrt": Sqrt(),
    "Tan": Tan(),
    "Tanh": Tanh(),
}

_COMPOSED: Mapping[str, Callable[[Expr], Expr]] = {
    "Expm1": expm1,
    "Inv": lambda x: divide(_one(x), x),
    "Log1p": log1p,
    "Reciprocal": lambda x: divide(_one(x), x),
    "Square": square,
}


def _one(x: Expr) -> Expr:
    return constant(1, x.tensor_type.dtype)


@tf_operator(*_PLAIN)
def plain(node: TfNode) -> Expr:
    """Translate an operator that has an equivalent Relay operator."""
    return Call(_PLAIN[node.op], (node.expr(0),), span=node.span)


@tf_operator(*_COMPOSED)
def composed(node: TfNode) -> Expr:
    """Translate the operators of the table `_COMPOSED`, which several Relay operators express."""
    return _COMPOSED[node.op](node.expr(0))


@tf_operator("LeakyRelu")
def leaky_relu(node: TfNode) -> Expr:
    """Translate `LeakyRelu`."""
    return Call(LeakyRelu(node.number("alpha", 0.2)), (node.expr(0),), span=node.span)


@tf_operator("Cast")
def cast(node: TfNode) -> Expr:
    """Translate `Cast`; floats are rounded toward zero."""
    return Call(Cast(node.dtype("DstT")), (node.expr(0),), span=node.span)


@tf_operator("Bitcast")
def bitcast(node: TfNode) -> Expr:
    """Translate `Bitcast` between element types of the same width."""
    return Call(Reinterpret(node.dtype("type")), (node.expr(0),), span=node.span)


@tf_operator("ClipByValue")
def clip_by_value(node: TfNode) -> Expr:
    """Translate `ClipByValue`; the bounds broadcast."""
    x, low, high = node.exprs()
    return Call(Minimum(), (Call(Maximum(), (x, low)), high), span=node.span)
