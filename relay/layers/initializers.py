"""Initializers: functions from a random key and a type to an expression for a tensor.

The first axis of a weight is that of its outputs, as in `nn.dense` and `nn.conv2d`; its *fan-in* is
the number of elements from which one output is computed.
"""

from math import sqrt

from relay.frontend.builders.traceable_functions import builds_expressions
from relay.ir.dims import elements
from relay.ir.expr import Expr
from relay.ir.types import TensorType
from relay.layers.parameter_tree import Initializer
from relay.ops.functions import core, random
from relay.ops.functions.variables_and_constants import const
from relay.support.dtype import DType, float32, float64


@builds_expressions
def zeros(key: Expr, ty: TensorType) -> Expr:
    """Return a tensor of zeros."""
    del key
    return core.zeros(ty.shape, ty.dtype)


@builds_expressions
def ones(key: Expr, ty: TensorType) -> Expr:
    """Return a tensor of ones."""
    del key
    return core.ones(ty.shape, ty.dtype)


def constant(number: float) -> Initializer:
    """Return an initializer that fills a tensor with one number."""

    @builds_expressions
    def filled(key: Expr, ty: TensorType) -> Expr:
        del key
        return core.full(const(number, ty.dtype), ty.shape, ty.dtype)

    return filled


def normal(deviation: float = 1.0, mean: float = 0.0) -> Initializer:
    """Return an initializer that draws from a normal distribution."""

    @builds_expressions
    def drawn(key: Expr, ty: TensorType) -> Expr:
        element = _drawn_in(ty)
        return core.cast(random.normal(key, ty.shape, element, mean, deviation)[1], ty.dtype)

    return drawn


@builds_expressions
def standard_normal(key: Expr, ty: TensorType) -> Expr:
    """Return a tensor drawn from the normal distribution of mean 0 and variance 1."""
    return normal()(key, ty)


def uniform(bound: float = 1.0) -> Initializer:
    """Return an initializer that draws uniformly from `-bound` to `bound`."""

    @builds_expressions
    def drawn(key: Expr, ty: TensorType) -> Expr:
        element = _drawn_in(ty)
        return core.cast(random.uniform(key, ty.shape, element, -bound, bound)[1], ty.dtype)

    return drawn


@builds_expressions
def lecun_uniform(key: Expr, ty: TensorType) -> Expr:
    """Return a tensor drawn uniformly within `sqrt(3 / fan_in)`: variance `1 / fan_in` (LeCun)."""
    return uniform(sqrt(3.0 / _fan_in(ty)))(key, ty)


@builds_expressions
def he_normal(key: Expr, ty: TensorType) -> Expr:
    """Return a normally distributed tensor of variance `2 / fan_in`, for ReLU (He, 2015)."""
    return normal(sqrt(2.0 / _fan_in(ty)))(key, ty)


@builds_expressions
def he_uniform(key: Expr, ty: TensorType) -> Expr:
    """Return a tensor drawn uniformly within `sqrt(6 / fan_in)`: variance `2 / fan_in` (He)."""
    return uniform(sqrt(6.0 / _fan_in(ty)))(key, ty)


@builds_expressions
def glorot_uniform(key: Expr, ty: TensorType) -> Expr:
    """Return a uniformly drawn tensor of variance `2 / (fan_in + fan_out)` (Glorot, 2010)."""
    shape = ty.static_shape
    fan_out = shape[0] * elements(shape[2:])
    return uniform(sqrt(6.0 / (_fan_in(ty) + fan_out)))(key, ty)


def _drawn_in(ty: TensorType) -> DType:
    """Return the element type in which random numbers are drawn: float32 or float64."""
    return float64 if ty.dtype is float64 else float32


def _fan_in(ty: TensorType) -> int:
    return max(1, elements(ty.static_shape[1:]))
