"""`relay.testing.layers`: functions of TVM that build layers and create their weights.

Weights are variables named after the layer, such as `conv1_weight`, `bn_gamma`, `fc_bias`; their
types are inferred.
"""

from typing import Any

from relay.ir.expr import Expr, Var
from relay.ops.functions import nn


def _weight(name: str, role: str, given: Expr | None = None) -> Expr:
    return Var(f"{name}_{role}" if name else role) if given is None else given


def conv1d(data: Expr, weight: Expr | None = None, *, name: str = "", **attrs: Any) -> Expr:
    """Return a 1D convolution; its weight is created if it is None."""
    return nn.conv1d(data, _weight(name, "weight", weight), **attrs)


def conv2d(data: Expr, weight: Expr | None = None, *, name: str = "", **attrs: Any) -> Expr:
    """Return a 2D convolution; its weight is created if it is None."""
    return nn.conv2d(data, _weight(name, "weight", weight), **attrs)


def conv3d(data: Expr, weight: Expr | None = None, *, name: str = "", **attrs: Any) -> Expr:
    """Return a 3D convolution; its weight is created if it is None."""
    return nn.conv3d(data, _weight(name, "weight", weight), **attrs)


def conv2d_transpose(
    data: Expr, weight: Expr | None = None, *, name: str = "", **attrs: Any
) -> Expr:
    """Return a transposed 2D convolution; its weight is created if it is None."""
    return nn.conv2d_transpose(data, _weight(name, "weight", weight), **attrs)


def dense_add_bias(
    data: Expr,
    weight: Expr | None = None,
    bias: Expr | None = None,
    units: int | None = None,
    *,
    name: str = "",
    **attrs: Any,
) -> Expr:
    """Return a dense layer with bias; weight and bias are created if they are None."""
    product = nn.dense(data, _weight(name, "weight", weight), units=units, **attrs)
    return nn.bias_add(product, _weight(name, "bias", bias), axis=-1)


def batch_norm_infer(
    data: Expr,
    gamma: Expr | None = None,
    beta: Expr | None = None,
    moving_mean: Expr | None = None,
    moving_var: Expr | None = None,
    *,
    name: str = "",
    **attrs: Any,
) -> Expr:
    """Return batch normalisation with stored statistics; weights are created if None."""
    scale, shift = _weight(name, "gamma", gamma), _weight(name, "beta", beta)
    mean = _weight(name, "moving_mean", moving_mean)
    variance = _weight(name, "moving_var", moving_var)
    return nn.batch_norm(data, scale, shift, mean, variance, **attrs)[0]
