"""Loss functions: one number for predictions and targets, averaged over a batch.

Arguments are expressions, arrays, numbers, or tensors of a traced Python function. Predictions and
targets are converted to one element type: the wider one if both are floats.
"""

from typing import Any, TypeAlias

from relay.frontend.builders.traceable_functions import builds_expressions
from relay.ir.expr import Expr
from relay.numpy.tensor_conversion import floating, together
from relay.ops.derivatives_at_zero import absolute
from relay.ops.functions import core, nn

Operand: TypeAlias = Any
"""An expression, an array or a number; in a traced function, a tensor of it."""


@builds_expressions
def cross_entropy(logits: Operand, labels: Operand) -> Expr:
    """Return the cross-entropy loss, the mean of `-log softmax(logits)[label]`.

    `logits` are `(…, classes)`, `labels` integers `(…)`; a label that is not a class contributes 0.

    >>> from relay.ops.functions.variables_and_constants import var
    >>> cross_entropy(var("logits", shape=(8, 10)), var("labels", shape=(8,), dtype="int32")).type
    float32
    """
    (logits,), (labels,) = together([logits]), together([labels])
    ty = logits.tensor_type
    chosen = core.one_hot(labels, 1.0, 0.0, ty.shape[-1], -1, ty.dtype)
    return -core.mean(core.sum(nn.log_softmax(logits) * chosen, axis=-1))


@builds_expressions
def binary_cross_entropy(logits: Operand, targets: Operand) -> Expr:
    """Return the binary cross-entropy loss of logits, for targets from 0 to 1.

    It is the mean of `-t·log σ(x) - (1 - t)·log(1 - σ(x))`.
    """
    logits, targets = together([logits, targets])
    return core.mean(nn.softplus(logits) - logits * targets)


@builds_expressions
def mean_squared_error(predictions: Operand, targets: Operand) -> Expr:
    """Return the mean squared error."""
    difference = _difference(predictions, targets)
    return core.mean(difference * difference)


@builds_expressions
def mean_absolute_error(predictions: Operand, targets: Operand) -> Expr:
    """Return the mean absolute error."""
    return core.mean(absolute(_difference(predictions, targets)))


@builds_expressions
def huber(predictions: Operand, targets: Operand, delta: float = 1.0) -> Expr:
    """Return the Huber loss, the mean of `d²/2` for distances `d`, but linear above `delta`."""
    distance = core.abs(_difference(predictions, targets))
    near = core.clip(distance, 0.0, delta)
    return core.mean(near * (distance - near * 0.5))


@builds_expressions
def accuracy(logits: Operand, labels: Operand) -> Expr:
    """Return the fraction of labels that have the largest logit; it has no derivative."""
    (logits,), (labels,) = together([logits]), together([labels])
    chosen = core.cast_like(core.argmax(logits, axis=-1), labels)
    return core.mean(core.cast(core.equal(chosen, labels), logits.tensor_type.dtype))


def _difference(predictions: Operand, targets: Operand) -> Expr:
    """Return predictions minus targets, computed in a floating-point type."""
    first, second = together([predictions, targets])
    return floating(first) - floating(second)
