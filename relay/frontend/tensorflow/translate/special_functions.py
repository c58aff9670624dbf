"""Translate TensorFlow's special functions: of errors, gammas and Bessel."""

from functools import reduce
from math import sqrt

import numpy as np

from relay.frontend.builders.bessel import modified_bessel_function
from relay.frontend.builders.bessel_functions import bessel_j, bessel_k, bessel_y
from relay.frontend.builders.incomplete_functions import incomplete_beta, incomplete_gamma
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.builders.zeta import zeta
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Call, Expr
from relay.numpy.rounding_and_float_tests import bitwise_count, nextafter
from relay.ops.binary import add, scaled, subtract
from relay.ops.functions import core
from relay.ops.special_functions import Erfinv, Polygamma
from relay.support.dtype import float64
from relay.support.error_codes import ErrorCode

_BESSEL = {"BesselI0": (0, False), "BesselI0e": (0, True), "BesselI1": (1, False),
           "BesselI1e": (1, True)}  # fmt: skip
"""The order of each function, and whether `exp(-|x|)` is a factor."""


@tf_operator(*_BESSEL)
def modified_bessel(node: TfNode) -> Expr:
    """Translate the modified Bessel functions of the first kind, of order 0 and 1."""
    order, is_scaled = _BESSEL[node.op]
    wide = core.cast(node.expr(0), "float64")
    found = modified_bessel_function(wide, order, is_scaled=is_scaled)
    return core.cast(found, str(node.type(0).dtype))


@tf_operator(*(f"Bessel{kind}{order}" for kind in ("J", "Y", "K") for order in (0, 1)),
             "BesselK0e", "BesselK1e")  # fmt: skip
def bessel(node: TfNode) -> Expr:
    """Translate Bessel functions, and modified ones of the second kind."""
    wide, kind, order = core.cast(node.expr(0), "float64"), node.op[6], int(node.op[7])
    if kind == "K":
        found = bessel_k(wide, order, is_scaled=node.op.endswith("e"))
    else:
        found = (bessel_j if kind == "J" else bessel_y)(wide, order)
    return core.cast(found, str(node.type(0).dtype))


@tf_operator("Ndtri")
def normal_quantile(node: TfNode) -> Expr:
    """Translate `Ndtri`: the quantile function of the normal distribution."""
    wide = core.cast(node.expr(0), "float64")
    ends = subtract(scaled(wide, 2.0), constant(1.0, float64))
    return core.cast(scaled(Call(Erfinv(), (ends,)), sqrt(2)), str(node.type(0).dtype))


@tf_operator("Polygamma")
def polygamma(node: TfNode) -> Expr:
    """Translate `Polygamma` of a constant order."""
    return Call(Polygamma(_order(node)), (node.expr(1),), span=node.span)


@tf_operator("Zeta")
def zeta_function(node: TfNode) -> Expr:
    """Translate `Zeta`: the sum of powers of the second input, and of it plus 1, 2, …."""
    x, q = node.exprs()
    return zeta(core.broadcast_to_like(x, add(x, q)), core.broadcast_to_like(q, add(x, q)))


def _order(node: TfNode) -> int:
    """Return the constant integer that all elements of the first input have."""
    found = np.unique(node.constant(0, "the order"))
    if found.size != 1 or found[0] != int(found[0]) or found[0] < 0:
        raise node.error(
            ErrorCode.F030,
            f"all elements of the order must be the same integer, 0 or larger, but are {found}",
        )
    return int(found[0])


@tf_operator("NextAfter")
def next_after(node: TfNode) -> Expr:
    """Translate `NextAfter`: the next number in the direction of another."""
    return nextafter(node.expr(0), node.expr(1))


@tf_operator("PopulationCount")
def population_count(node: TfNode) -> Expr:
    """Translate `PopulationCount`: the number of bits that are set, as uint8."""
    x = node.expr(0)
    of = x.tensor_type.dtype
    plain = x if not str(of).startswith("int") else core.reinterpret(x, f"u{of}")
    return core.cast(bitwise_count(plain), "uint8")


@tf_operator("Igamma", "Igammac")
def gamma_part(node: TfNode) -> Expr:
    """Translate `Igamma` and `Igammac`: shares of the gamma function."""
    a, x = _wide(node)
    found = incomplete_gamma(a, x, is_upper=node.op == "Igammac")
    return core.cast(found, str(node.type(0).dtype))


@tf_operator("Betainc")
def beta_part(node: TfNode) -> Expr:
    """Translate `Betainc`: a share of the beta function."""
    return core.cast(incomplete_beta(*_wide(node)), str(node.type(0).dtype))


def _wide(node: TfNode) -> list[Expr]:
    """Return all inputs in float64, broadcast to one shape."""
    given = [core.cast(each, "float64") for each in node.exprs()]
    zeros = reduce(add, [core.zeros_like(each) for each in given])
    return [add(each, zeros) for each in given]
