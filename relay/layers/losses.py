"""Loss functions: one number for predictions and targets, averaged over a batch."""

from relay.ir.expr import Expr
from relay.ops.functions import core, nn
from relay.ops.sizes_at_zero import absolute


def cross_entropy(logits: Expr, labels: Expr) -> Expr:
    """Return the cross-entropy loss, the mean of `-log softmax(logits)[label]`.

    `logits` are `(…, classes)`, `labels` integers `(…)`; a label that is not a class contributes 0.

    >>> from relay.ops.functions.variables_and_constants import var
    >>> cross_entropy(var("logits", shape=(8, 10)), var("labels", shape=(8,), dtype="int32")).type
    float32
    """
    ty = logits.tensor_type
    chosen = core.one_hot(labels, 1.0, 0.0, ty.shape[-1], -1, ty.dtype)
    return -core.mean(core.sum(nn.log_softmax(logits) * chosen, axis=-1))


def binary_cross_entropy(logits: Expr, targets: Expr) -> Expr:
    """Return the binary cross-entropy loss of logits, for targets from 0 to 1.

    It is the mean of `-t·log σ(x) - (1 - t)·log(1 - σ(x))`.
    """
    return core.mean(nn.softplus(logits) - logits * targets)


def mean_squared_error(predictions: Expr, targets: Expr) -> Expr:
    """Return the mean squared error."""
    difference = predictions - targets
    return core.mean(difference * difference)


def mean_absolute_error(predictions: Expr, targets: Expr) -> Expr:
    """Return the mean absolute error."""
    return core.mean(absolute(predictions - targets))


def huber(predictions: Expr, targets: Expr, delta: float = 1.0) -> Expr:
    """Return the Huber loss, the mean of `d²/2` for distances `d`, but linear above `delta`."""
    distance = core.abs(predictions - targets)
    near = core.clip(distance, 0.0, delta)
    return core.mean(near * (distance - near * 0.5))


def accuracy(logits: Expr, labels: Expr) -> Expr:
    """Return the fraction of labels that have the largest logit; it has no derivative."""
    chosen = core.cast_like(core.argmax(logits, axis=-1), labels)
    return core.mean(core.cast(core.equal(chosen, labels), logits.tensor_type.dtype))
