"""Normalisation layers."""

from dataclasses import dataclass
from functools import reduce

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.builders.traceable_functions import builds_expressions
from relay.ir.expr import Expr
from relay.ir.types import TensorType
from relay.layers import initializers
from relay.layers.layer import Layer
from relay.layers.parameter_tree import Parameter, Tensor, buffer
from relay.layers.training_mode import INFERENCE, Mode
from relay.layers.working_precision import rounded, widened
from relay.numpy.tensor_conversion import together
from relay.ops.binary import multiply
from relay.ops.functions import core, nn
from relay.support.dtype import DType, int64


@dataclass(eq=False)
class BatchNorm(Layer):
    """A layer that normalises each channel over the batch (Ioffe and Szegedy, 2015).

    Training uses the statistics of the batch, and moves `mean` and `variance`, which inference
    uses, towards them by the fraction `momentum`. The stored variance is unbiased.
    """

    gamma: Tensor
    beta: Tensor
    mean: Tensor = buffer()
    variance: Tensor = buffer()
    axis: int = 1
    momentum: float = 0.1
    epsilon: float = 1e-5

    def __init__(
        self,
        channels: int,
        *,
        axis: int = 1,
        momentum: float = 0.1,
        epsilon: float = 1e-5,
    ) -> None:
        self.gamma, self.beta = _scale_and_shift(channels)
        self.variance, self.mean = _scale_and_shift(channels)
        self.axis, self.momentum, self.epsilon = axis, momentum, epsilon

    @builds_expressions
    def __call__(self, x: Expr, mode: Mode = INFERENCE) -> Expr:
        """Return the normalised input, in the type of `x`."""
        if not mode.is_training:
            given = together([x, self.gamma, self.beta, self.mean, self.variance])
            return _like(nn.batch_norm(*given, axis=self.axis, epsilon=self.epsilon)[0], x)
        found, mean, variance = batch_norm(x, self.gamma, self.beta, self.axis, self.epsilon)
        unbiased = variance * _correction(x, self.axis, variance.tensor_type.dtype)
        mode.update(self.mean, self._moved(mode.current(self.mean), mean))
        mode.update(self.variance, self._moved(mode.current(self.variance), unbiased))
        return found

    def _moved(self, kept: Expr, seen: Expr) -> Expr:
        before, now = together([widened(kept), seen])
        return rounded(before * (1.0 - self.momentum) + now * self.momentum, kept)


def _correction(x: Expr, axis: int, dtype: DType) -> Expr:
    """Return `n / (n - 1)`, where n is the number of elements per channel; 1 if n is 1."""
    rank = x.tensor_type.rank
    sizes = (size_of(x, each) for each in range(rank) if each != axis % rank)
    count = core.cast(reduce(multiply, sizes, constant(1, int64)), dtype)
    return count / core.maximum(count - 1.0, constant(1, dtype))


@builds_expressions
def batch_norm(
    x: Expr, gamma: Expr, beta: Expr, axis: int = 1, epsilon: float = 1e-5
) -> tuple[Expr, Expr, Expr]:
    """Return `x` normalised by batch statistics, and the mean and variance of the batch.

    Statistics are computed for each index of `axis`, over all other axes; `gamma` and `beta` are
    vectors along `axis`. The three are converted to one element type, at least float32, which is
    that of the statistics; the first result has the type of `x`, if that is a float.
    """
    (x,) = together([x])
    wide, gamma, beta = map(widened, together([x, gamma, beta]))
    behind = wide.tensor_type.rank - 1 - axis % wide.tensor_type.rank
    mean = core.mean(wide, axis=axis, exclude=True)
    distance = wide - _spread(mean, behind)
    variance = core.mean(distance * distance, axis=axis, exclude=True)
    scale = core.rsqrt(variance + epsilon) * gamma
    found = distance * _spread(scale, behind) + _spread(beta, behind)
    return _like(found, x), mean, variance


def _like(found: Expr, x: Expr) -> Expr:
    """Return a normalised input in the type of `x`, or unchanged if `x` are integers."""
    return rounded(found, x) if x.tensor_type.dtype.is_float else found


def _spread(vector: Expr, behind: int) -> Expr:
    """Append `behind` axes of size 1 to a vector, so that it broadcasts along an axis."""
    return core.expand_dims(vector, 1, behind) if behind else vector


@dataclass(eq=False)
class LayerNorm(Layer):
    """A layer that normalises the last axis, with learned scale and shift (Ba et al., 2016)."""

    gamma: Tensor
    beta: Tensor
    epsilon: float

    def __init__(self, width: int, *, epsilon: float = 1e-5) -> None:
        self.gamma, self.beta = _scale_and_shift(width)
        self.epsilon = epsilon

    @builds_expressions
    def __call__(self, x: Expr, mode: Mode = INFERENCE) -> Expr:
        """Return the normalised input, in the type of `x`."""
        data, gamma, beta = together([x, self.gamma, self.beta])
        return _like(nn.layer_norm(data, gamma, beta, epsilon=self.epsilon), x)


def _scale_and_shift(channels: int) -> tuple[Parameter, Parameter]:
    ty = TensorType((channels,))
    return Parameter(ty, initializers.ones), Parameter(ty, initializers.zeros)
