"""The activation functions of recurrent layers, by their names in ONNX."""

from collections.abc import Callable, Iterator, Mapping

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.onnx.node import OnnxNode
from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import add, multiply
from relay.ops.nn.activations import LeakyRelu, Relu
from relay.ops.nn.more_activations import Elu, HardSigmoid, Softplus, Softsign, ThresholdedRelu
from relay.ops.nn.recurrent_cells import Activation, sigmoid, tanh
from relay.support.error_codes import ErrorCode


def activation(
    node: OnnxNode, name: str, alphas: Iterator[float], betas: Iterator[float]
) -> Activation:
    """Return the activation function `name`; raises `F040` if it is unknown.

    A function with parameters takes the next values of `alphas` and `betas`, or its defaults.
    """
    known = name.lower()
    if known in _PLAIN:
        return _PLAIN[known]
    if known in _WITH_ALPHA:
        make, alpha = _WITH_ALPHA[known]
        return make(next(alphas, alpha))
    if known not in _WITH_BOTH:
        choices = ", ".join(sorted((*_PLAIN, *_WITH_ALPHA, *_WITH_BOTH)))
        help_ = f"use one of these activations, in any case: {choices}"
        raise node.error(ErrorCode.F040, f"there is no activation '{name}'", help=help_)
    make_both, alpha, beta = _WITH_BOTH[known]
    return make_both(next(alphas, alpha), next(betas, beta))


def _call(op: OperatorDef) -> Activation:
    return lambda x: Call(op, (x,))


def _scaled(x: Expr, factor: float) -> Expr:
    return multiply(x, constant(factor, x.tensor_type.dtype))


def _affine(alpha: float, beta: float) -> Activation:
    return lambda x: add(_scaled(x, alpha), constant(beta, x.tensor_type.dtype))


def _scaled_tanh(alpha: float, beta: float) -> Activation:
    return lambda x: _scaled(tanh(_scaled(x, beta)), alpha)


_PLAIN: Mapping[str, Activation] = {
    "relu": _call(Relu()),
    "sigmoid": sigmoid,
    "softplus": _call(Softplus()),
    "softsign": _call(Softsign()),
    "tanh": tanh,
}
_WITH_ALPHA: Mapping[str, tuple[Callable[[float], Activation], float]] = {
    "elu": (lambda alpha: _call(Elu(alpha)), 1.0),
    "leakyrelu": (lambda alpha: _call(LeakyRelu(alpha)), 0.01),
    "thresholdedrelu": (lambda alpha: _call(ThresholdedRelu(alpha)), 1.0),
}
# Defaults are those of the ONNX operators of the same names. ONNX has no defaults for `affine` and
# `scaledtanh`, which use those of ONNX Runtime.
_WITH_BOTH: Mapping[str, tuple[Callable[[float, float], Activation], float, float]] = {
    "affine": (_affine, 0.0, 0.0),
    "hardsigmoid": (lambda alpha, beta: _call(HardSigmoid(alpha, beta)), 0.2, 0.5),
    "scaledtanh": (_scaled_tanh, 0.0, 0.0),
}
