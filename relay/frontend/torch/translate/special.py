"""Translate special functions: of errors, and of gammas."""

from collections.abc import Mapping
from math import sqrt

from relay.frontend.builders.incomplete_functions import incomplete_gamma
from relay.frontend.builders.tensor_helpers import constant, converted
from relay.frontend.builders.zeta import zeta
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.shapes import to_common_shape
from relay.frontend.torch.translate.type_promotion import floating, operands
from relay.ir.expr import Call, Expr
from relay.numpy.rounding_and_float_tests import frexp, nextafter
from relay.opdef.definition import OperatorDef
from relay.ops.binary import add, multiply, scaled, subtract
from relay.ops.comparison import less
from relay.ops.selection import where
from relay.ops.special_functions import Erfc, Erfcx, Erfinv, LGamma, Polygamma
from relay.ops.transcendental import Log
from relay.support.dtype import float64

_FUNCTIONS: Mapping[str, type[OperatorDef]] = {
    "digamma": Polygamma,
    "erf_inv": Erfinv,
    "erfc": Erfc,
    "erfcx": Erfcx,
    "erfinv": Erfinv,
    "lgamma": LGamma,
    "special_digamma": Polygamma,
    "special_erfc": Erfc,
    "special_erfcx": Erfcx,
    "special_erfinv": Erfinv,
    "special_gammaln": LGamma,
    "special_psi": Polygamma,
}


@torch_operator("digamma", "erf_inv", "erfc", "erfcx", "lgamma", namespace="prims")
@torch_operator(*_FUNCTIONS)
def function(node: TorchNode) -> Expr:
    """Translate functions of floats; integers are converted to floats first."""
    x = floating(node.tensor("self"))
    return Call(_FUNCTIONS[node.operator](), (x,), span=node.span)


@torch_operator("polygamma", "special_polygamma")
def polygamma(node: TorchNode) -> Expr:
    """Translate `polygamma`: apply a derivative of digamma, of a known order."""
    return Call(Polygamma(node.integer("n")), (floating(node.tensor("self")),), span=node.span)


@torch_operator("special_zeta")
def hurwitz_zeta(node: TorchNode) -> Expr:
    """Translate `zeta`: the sum of powers of `other`, `other + 1`, …."""
    pair = operands(node, node.value("self"), node.value("other"))
    return zeta(*to_common_shape([floating(each) for each in pair]))


@torch_operator("special_ndtri")
@torch_operator("ndtri", namespace="prims")
def normal_quantile(node: TorchNode) -> Expr:
    """Translate `ndtri`: the quantile function of the normal distribution."""
    x = floating(node.tensor("self"))
    wide = converted(x, float64)
    ends = subtract(scaled(wide, 2.0), constant(1.0, float64))
    return converted(scaled(Call(Erfinv(), (ends,)), sqrt(2)), x.tensor_type.dtype)


@torch_operator("special_log_ndtr")
def log_normal_part(node: TorchNode) -> Expr:
    """Translate `log_ndtr`: the logarithm of the normal distribution function."""
    x = floating(node.tensor("self"))
    y = scaled(x, -1 / sqrt(2))
    below = add(Call(Log(), (scaled(Call(Erfcx(), (y,)), 0.5),)), scaled(multiply(x, x), -0.5))
    above = Call(Log(), (scaled(Call(Erfc(), (y,)), 0.5),))
    return where(less(x, constant(0.0, x.tensor_type.dtype)), below, above)


@torch_operator("igamma", "igammac", "special_gammainc", "special_gammaincc")
@torch_operator("igamma", "igammac", namespace="prims")
def gamma_part(node: TorchNode) -> Expr:
    """Translate `igamma` and `igammac`: shares of the gamma function."""
    given = to_common_shape([floating(node.tensor("self")), floating(node.tensor("other"))])
    wide = [converted(each, float64) for each in given]
    is_upper = node.operator in ("igammac", "special_gammaincc")
    return converted(incomplete_gamma(*wide, is_upper=is_upper), given[0].tensor_type.dtype)


@torch_operator("nextafter")
@torch_operator("nextafter", namespace="prims")
def next_after(node: TorchNode) -> Expr:
    """Translate `nextafter`: the next number in the direction of another."""
    return nextafter(node.tensor("self"), node.tensor("other"))


@torch_operator("frexp")
@torch_operator("frexp", namespace="prims")
def mantissa_and_exponent(node: TorchNode) -> list[Expr]:
    """Translate `frexp`: mantissas from 0.5 to 1, and exponents."""
    return list(frexp(node.tensor("self")))
