"""Translate Bessel functions: plain, modified and spherical ones."""

from collections.abc import Mapping

from relay.frontend.builders.bessel import modified_bessel_function
from relay.frontend.builders.bessel_functions import bessel_j, bessel_k, bessel_y
from relay.frontend.builders.tensor_helpers import constant, converted
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.type_promotion import floating
from relay.ir.expr import Call, Expr
from relay.ops.binary import divide
from relay.ops.comparison import equal
from relay.ops.elementwise import IsInf
from relay.ops.selection import where
from relay.ops.transcendental import Sin
from relay.support.dtype import float64

_FUNCTIONS: Mapping[str, tuple[int, bool]] = {
    **{f"{start}i{order}": (order, False) for order in (0, 1)
       for start in ("", "special_", "bessel_", "special_modified_bessel_")},
    **{f"{start}i{order}e": (order, True) for order in (0, 1) for start in ("special_", "bessel_")},
}  # fmt: skip
"""The order of each function, and whether `exp(-|x|)` is a factor."""


@torch_operator("bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", namespace="prims")
@torch_operator(*(name for name in _FUNCTIONS if not name.startswith("bessel")))
def modified_bessel(node: TorchNode) -> Expr:
    """Translate modified Bessel functions: power series of `x` or, for large `x`, of `1 / x`."""
    given = floating(node.tensor("self" if "self" in node.arguments else "x"))
    order, is_scaled = _FUNCTIONS[node.operator]
    found = modified_bessel_function(converted(given, float64), order, is_scaled=is_scaled)
    return converted(found, given.tensor_type.dtype)


@torch_operator("special_spherical_bessel_j0")
@torch_operator("spherical_bessel_j0", namespace="prims")
def spherical_bessel(node: TorchNode) -> Expr:
    """Translate `spherical_bessel_j0`: `sin(x) / x`, which is 1 at 0, and 0 at infinity."""
    x = floating(node.tensor("self" if "self" in node.arguments else "x"))
    zero, one = (constant(each, x.tensor_type.dtype) for each in (0, 1))
    is_zero, is_infinite = equal(x, zero), Call(IsInf(), (x,))
    safe = where(is_zero, one, x)
    quotient = divide(Call(Sin(), (safe,)), safe)
    return where(is_zero, one, where(is_infinite, zero, quotient))


_SECOND_KIND: Mapping[str, tuple[int, bool]] = {
    f"special_{scaled}modified_bessel_k{order}": (order, bool(scaled))
    for order in (0, 1) for scaled in ("", "scaled_")
}  # fmt: skip
"""The order of each function, and whether `exp(x)` is a factor."""


@torch_operator(*_SECOND_KIND)
def modified_second_kind(node: TorchNode) -> Expr:
    """Translate modified Bessel functions of the second kind."""
    given = floating(node.tensor("self" if "self" in node.arguments else "x"))
    order, is_scaled = _SECOND_KIND[node.operator]
    found = bessel_k(converted(given, float64), order, is_scaled=is_scaled)
    return converted(found, given.tensor_type.dtype)


@torch_operator(*(f"special_bessel_{kind}{order}" for kind in "jy" for order in (0, 1)))
@torch_operator("bessel_j0", "bessel_j1", namespace="prims")
def bessel(node: TorchNode) -> Expr:
    """Translate Bessel functions of the first and of the second kind."""
    given = floating(node.tensor("self" if "self" in node.arguments else "x"))
    kind, order = node.operator[-2], int(node.operator[-1])
    function = bessel_j if kind == "j" else bessel_y
    return converted(function(converted(given, float64), order), given.tensor_type.dtype)
