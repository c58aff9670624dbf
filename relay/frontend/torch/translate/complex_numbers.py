"""Translate functions between complex and real tensors."""

from collections.abc import Mapping

import torch
from torch.utils import _pytree as pytree

from relay.frontend.builders.complex_tensor import joined, of_pairs, pairs_of, parts_of
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import Translation, torch_operator
from relay.ir.expr import Call, Expr
from relay.ir.types import TensorType
from relay.opdef.definition import OperatorDef
from relay.ops.complex_numbers.elementary_functions import polar as point
from relay.ops.complex_numbers.operators import Complex, Conj, Imag, Real
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError


def checked_complex(translate: Translation, node: TorchNode) -> object:
    """Return the result of a translation.

    Raises `F030` if its operators do not take the complex numbers among the arguments.
    """
    try:
        return translate(node)
    except RelayTypeError as error:
        if error.code is not ErrorCode.T102 or not _has_complex_argument(node):
            raise
        problem = "the operator does not support complex arguments"
        help_ = "compute with real numbers: torch.view_as_real(x) has the real and imaginary part"
        raise node.error(ErrorCode.F030, problem, help=help_) from error


def _has_complex_argument(node: TorchNode) -> bool:
    leaves: list[object] = pytree.tree_leaves([each.value for each in node.arguments.values()])
    return any(map(_is_complex, leaves))


def _is_complex(leaf: object) -> bool:
    match leaf:
        case Expr(ty=TensorType() as ty):
            return ty.dtype.is_complex
        case torch.dtype():
            return leaf.is_complex
        case _:
            return isinstance(leaf, complex)


_PARTS: Mapping[str, type[OperatorDef]] = {
    "_conj": Conj,
    "_conj_physical": Conj,
    "conj": Conj,
    "conj_physical": Conj,
    "imag": Imag,
    "real": Real,
}


@torch_operator("conj", "conj_physical", namespace="prims")
@torch_operator(*_PARTS)
def part(node: TorchNode) -> Expr:
    """Translate `real`, `imag` and `conj`; real arguments are returned unchanged."""
    x = node.tensor("self")
    if not x.tensor_type.dtype.is_complex:
        return x
    return Call(_PARTS[node.operator](), (x,), span=node.span)


@torch_operator("view_as_real", "view_as_real_copy")
def view_as_real(node: TorchNode) -> Expr:
    """Translate `view_as_real`: return the parts along a new last axis."""
    return pairs_of(parts_of(node.tensor("self")))


@torch_operator("view_as_complex", "view_as_complex_copy")
def view_as_complex(node: TorchNode) -> Expr:
    """Translate `view_as_complex`: return the numbers whose parts lie along the last axis."""
    return joined(*of_pairs(node.tensor("self")).parts)


@torch_operator("complex")
def complex_node(node: TorchNode) -> Expr:
    """Translate `complex`: join two real tensors, which broadcast."""
    return Call(Complex(), (node.tensor("real"), node.tensor("imag")), span=node.span)


@torch_operator("polar")
def polar(node: TorchNode) -> Expr:
    """Translate `polar`: return points at given lengths and angles."""
    return joined(*point(node.tensor("abs"), node.tensor("angle")).parts)
