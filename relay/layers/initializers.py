"""How tensors begin: functions from a key and a type to an expression.

A weight has its results along the first axis, as those of `nn.dense` and `nn.conv2d` do; its
*fan-in* is how many numbers one result is computed from.
"""

from math import sqrt

from relay.ir.dims import elements
from relay.ir.expr import Expr
from relay.ir.types import TensorType
from relay.layers.tree import Initializer
from relay.ops.functions import core, random
from relay.ops.functions.syntax import const


def zeros(key: Expr, ty: TensorType) -> Expr:
    """Return zeros."""
    del key
    return core.zeros(ty.shape, ty.dtype)


def ones(key: Expr, ty: TensorType) -> Expr:
    """Return ones."""
    del key
    return core.ones(ty.shape, ty.dtype)


def constant(number: float) -> Initializer:
    """Return an initializer that repeats a number."""
    return lambda _, ty: core.full(const(number, ty.dtype), ty.shape, ty.dtype)


def normal(deviation: float = 1.0, mean: float = 0.0) -> Initializer:
    """Return an initializer that draws from a normal distribution."""
    return lambda key, ty: random.normal(key, ty.shape, ty.dtype, mean, deviation)[1]


def standard_normal(key: Expr, ty: TensorType) -> Expr:
    """Draw from the normal distribution of mean 0 and variance 1."""
    return normal()(key, ty)


def uniform(bound: float = 1.0) -> Initializer:
    """Return an initializer that draws uniformly from `-bound` to `bound`."""
    return lambda key, ty: random.uniform(key, ty.shape, ty.dtype, -bound, bound)[1]


def lecun_uniform(key: Expr, ty: TensorType) -> Expr:
    """Draw uniformly within `sqrt(3 / fan_in)`: the variance is `1 / fan_in` (LeCun, 1998)."""
    return uniform(sqrt(3.0 / _fan_in(ty)))(key, ty)


def he_normal(key: Expr, ty: TensorType) -> Expr:
    """Draw from a normal distribution of variance `2 / fan_in`, for rectifiers (He, 2015)."""
    return normal(sqrt(2.0 / _fan_in(ty)))(key, ty)


def he_uniform(key: Expr, ty: TensorType) -> Expr:
    """Draw uniformly within `sqrt(6 / fan_in)`: the variance is `2 / fan_in` (He, 2015)."""
    return uniform(sqrt(6.0 / _fan_in(ty)))(key, ty)


def glorot_uniform(key: Expr, ty: TensorType) -> Expr:
    """Draw uniformly with variance `2 / (fan_in + fan_out)` (Glorot, 2010)."""
    shape = ty.static_shape
    fan_out = shape[0] * elements(shape[2:])
    return uniform(sqrt(6.0 / (_fan_in(ty) + fan_out)))(key, ty)


def _fan_in(ty: TensorType) -> int:
    return max(1, elements(ty.static_shape[1:]))
