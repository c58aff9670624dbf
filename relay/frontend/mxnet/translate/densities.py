"""Translate MXNet's densities of random distributions, or their logarithms, at given samples."""

from collections.abc import Callable, Mapping

from relay import numpy as rnp
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.ir.expr import Call, Expr
from relay.ops.special_functions import LGamma

_HALF_LOG_TAU = 0.9189385332046727  # log(2π) / 2


def _lgamma(x: Expr) -> Expr:
    return Call(LGamma(), (x,))


def _times_log(x: Expr, y: Expr) -> Expr:
    return rnp.multiply(x, rnp.log(y))


def _uniform(_: Expr, low: Expr, high: Expr) -> Expr:
    return rnp.negative(rnp.log(rnp.subtract(high, low)))


def _normal(x: Expr, mean: Expr, deviation: Expr) -> Expr:
    apart = rnp.square(rnp.divide(rnp.subtract(x, mean), deviation))
    return rnp.subtract(rnp.multiply(apart, -0.5), rnp.add(rnp.log(deviation), _HALF_LOG_TAU))


def _gamma(x: Expr, shape: Expr, rate: Expr) -> Expr:
    powers = rnp.add(_times_log(shape, rate), _times_log(rnp.subtract(shape, 1.0), x))
    return rnp.subtract(rnp.subtract(powers, rnp.multiply(rate, x)), _lgamma(shape))


def _exponential(x: Expr, rate: Expr) -> Expr:
    return rnp.subtract(rnp.log(rate), rnp.multiply(rate, x))


def _poisson(x: Expr, rate: Expr) -> Expr:
    return rnp.subtract(rnp.subtract(_times_log(x, rate), _lgamma(rnp.add(x, 1.0))), rate)


def _negative_binomial(x: Expr, limit: Expr, share: Expr) -> Expr:
    counts = rnp.subtract(_lgamma(rnp.add(x, limit)), _lgamma(rnp.add(x, 1.0)))
    powers = rnp.add(_times_log(limit, share), _times_log(x, rnp.subtract(1.0, share)))
    return rnp.add(rnp.subtract(counts, _lgamma(limit)), powers)


def _by_mean(x: Expr, mean: Expr, dispersion: Expr) -> Expr:
    share = rnp.divide(1.0, rnp.add(rnp.multiply(mean, dispersion), 1.0))
    return _negative_binomial(x, rnp.divide(1.0, dispersion), share)


_DENSITIES: Mapping[str, Callable[..., Expr]] = {
    "exponential": _exponential,
    "gamma": _gamma,
    "generalized_negative_binomial": _by_mean,
    "negative_binomial": _negative_binomial,
    "normal": _normal,
    "poisson": _poisson,
    "uniform": _uniform,
}
"""The logarithm of each density, of a sample and its parameters."""


@mxnet_operator(*(f"_random_pdf_{name}" for name in _DENSITIES))
def density(node: MxNode) -> Expr:
    """Translate a density; parameters have the first axes of samples."""
    sample, *parameters = (node.tensor(index) for index in range(len(node.inputs)))
    like = [_with_axes(each, sample) for each in parameters]
    found = _DENSITIES[node.op.removeprefix("_random_pdf_")](sample, *like)
    found = rnp.add(found, rnp.zeros_like(sample))
    return found if node.flag("is_log") else rnp.exp(found)


@mxnet_operator("_random_pdf_dirichlet")
def dirichlet(node: MxNode) -> Expr:
    """Translate the density of Dirichlet distributions of the last axis."""
    sample, alpha = node.tensor(0), node.tensor(1)
    missing = sample.tensor_type.rank - alpha.tensor_type.rank
    alpha = rnp.expand_dims(alpha, tuple(range(-1 - missing, -1))) if missing else alpha
    powers = rnp.sum(_times_log(rnp.subtract(alpha, 1.0), sample), axis=-1)
    whole = rnp.subtract(_lgamma(rnp.sum(alpha, axis=-1)), rnp.sum(_lgamma(alpha), axis=-1))
    found = rnp.add(powers, whole)
    return found if node.flag("is_log") else rnp.exp(found)


def _with_axes(x: Expr, sample: Expr) -> Expr:
    """Return parameters with axes of size 1 at the end, up to the rank of the samples."""
    missing = sample.tensor_type.rank - x.tensor_type.rank
    return rnp.expand_dims(x, tuple(range(-missing, 0))) if missing else x
