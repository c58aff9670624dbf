"""Translate ONNX training operators: optimiser steps, and batch normalisation."""

from collections.abc import Callable, Sequence

from relay.frontend.builders.batch_norm import batch_norm
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.ir.expr import Call, Expr
from relay.ops.binary import add, divide, multiply, scaled, subtract
from relay.ops.cast import cast_like
from relay.ops.comparison import Greater
from relay.ops.nn.batch_norm_dropout import BatchNorm
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Mean, Variance
from relay.ops.transcendental import Power, Sqrt
from relay.support.error_codes import ErrorCode

TRAINING = "ai.onnx.preview.training"

_IN_TRAINING_SINCE = 14
"""The opset before which the number of results selects batch statistics."""


@onnx_operator("BatchNormalization")
def batch_normalization(node: OnnxNode) -> Sequence[Expr]:
    """Translate `BatchNormalization` with stored statistics, or with those of the batch.

    In training, the updated statistics are returned.
    """
    op = BatchNorm(axis=1, epsilon=node.attribute("epsilon", 1e-5))
    args = [node.expr(index) for index in range(5)]
    in_training = node.attribute("training_mode", 0)
    if node.opset < _IN_TRAINING_SINCE:
        in_training = any(node.outputs[1:])
    if not in_training:
        return [batch_norm(op, args[0], args[1:], node.span)]
    x, scale, bias, *stored = args
    axes = (0, *range(2, x.tensor_type.rank))
    kept = Call(Mean(axis=axes, keepdims=True), (x,))
    variance = Call(Variance(axis=axes), (x, kept))
    own = [reshape(kept, variance.tensor_type.shape), variance]
    share = node.attribute("momentum", 0.9)
    running = [
        add(scaled(old, share), scaled(cast_like(new, old), 1.0 - share))
        for old, new in zip(stored, own, strict=True)
    ]
    result = batch_norm(op, x, (scale, bias, *own), node.span)
    return [result, *running, *own]


Rule = Callable[[OnnxNode, Expr, Expr, Sequence[Expr]], Sequence[Expr]]
"""From the learning rate, the number of the step, and a tensor with its gradient and state, to the
new tensor and state."""


def _stepped(node: OnnxNode, states: int, rule: Rule) -> Sequence[Expr]:
    """Apply an optimiser's `rule`, which updates one tensor, to each tensor of a node.

    Inputs and results are ordered by kind, then by tensor.
    """
    rate, step = (reshape(node.expr(index), ()) for index in (0, 1))
    rest = node.exprs()[2:]
    kinds = states + 2
    many = len(rest) // kinds
    if many * kinds != len(rest):
        raise node.error(
            ErrorCode.F025,
            f"the optimiser takes R, T and {kinds} inputs for each optimised tensor, but there are "
            f"{len(rest)} inputs after R and T, which is not a multiple of {kinds}",
        )
    found = [rule(node, rate, step, rest[i::many]) for i in range(many)]
    return [each[kind] for kind in range(states + 1) for each in found]


def _regularised(node: OnnxNode, x: Expr, gradient: Expr) -> Expr:
    return add(scaled(x, node.attribute("norm_coefficient", 0.0)), gradient)


@onnx_operator("Adagrad", domain=TRAINING)
def adagrad(node: OnnxNode) -> Sequence[Expr]:
    """Translate `Adagrad`, which divides by the root of the sum of squared gradients."""
    return _stepped(node, 1, _adagrad)


def _adagrad(node: OnnxNode, rate: Expr, step: Expr, tensors: Sequence[Expr]) -> Sequence[Expr]:
    x, gradient, squares = tensors
    element = x.tensor_type.dtype
    slope = _regularised(node, x, gradient)
    total = add(squares, multiply(slope, slope))
    decay = scaled(cast_like(step, x), node.attribute("decay_factor", 0.0))
    decayed = divide(cast_like(rate, x), add(decay, constant(1.0, element)))
    below = add(Call(Sqrt(), (total,)), constant(node.attribute("epsilon", 1e-6), element))
    return subtract(x, divide(multiply(decayed, slope), below)), total


@onnx_operator("Adam", domain=TRAINING)
def adam(node: OnnxNode) -> Sequence[Expr]:
    """Translate `Adam`, with running means of gradients and of their squares."""
    return _stepped(node, 2, _adam)


def _adam(node: OnnxNode, rate: Expr, step: Expr, tensors: Sequence[Expr]) -> Sequence[Expr]:
    x, gradient, mean, squares = tensors
    element = x.tensor_type.dtype
    alpha, beta = node.attribute("alpha", 0.9), node.attribute("beta", 0.999)
    slope = _regularised(node, x, gradient)
    mean = add(scaled(mean, alpha), scaled(slope, 1.0 - alpha))
    squares = add(scaled(squares, beta), scaled(multiply(slope, slope), 1.0 - beta))
    below = add(Call(Sqrt(), (squares,)), constant(node.attribute("epsilon", 1e-6), element))
    time, one = cast_like(step, x), constant(1.0, element)
    left = [subtract(one, Call(Power(), (constant(b, element), time))) for b in (alpha, beta)]
    plain = cast_like(rate, x)
    corrected = divide(multiply(plain, Call(Sqrt(), (left[1],))), left[0])
    rated = where(Call(Greater(), (time, constant(0.0, element))), corrected, plain)
    moved = subtract(x, multiply(rated, divide(mean, below)))
    return scaled(moved, 1.0 - node.attribute("norm_coefficient_post", 0.0)), mean, squares


@onnx_operator("Momentum", domain=TRAINING)
def momentum(node: OnnxNode) -> Sequence[Expr]:
    """Translate `Momentum`, standard or Nesterov."""
    return _stepped(node, 1, _momentum)


def _momentum(node: OnnxNode, rate: Expr, step: Expr, tensors: Sequence[Expr]) -> Sequence[Expr]:
    x, gradient, speed = tensors
    element = x.tensor_type.dtype
    slope = _regularised(node, x, gradient)
    is_later = Call(Greater(), (step, constant(0, step.tensor_type.dtype)))
    share = where(is_later, constant(node.required("beta"), element), constant(1.0, element))
    alpha = node.required("alpha")
    speed = add(scaled(speed, alpha), multiply(share, slope))
    has_nesterov = node.choice("mode", ("standard", "nesterov")) == "nesterov"
    along = add(slope, scaled(speed, alpha)) if has_nesterov else speed
    return subtract(x, multiply(cast_like(rate, x), along)), speed
