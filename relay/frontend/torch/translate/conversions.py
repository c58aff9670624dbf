"""Translate conversions to other element types."""

from relay.frontend.builders.narrow_floats import saturated
from relay.frontend.builders.tensor_helpers import constant, converted
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.ir.expr import Call, Expr
from relay.ops.binary import Maximum
from relay.ops.cast import Cast
from relay.ops.elementwise import Abs
from relay.support.dtype import DType, Kind, float32

_LEAST_POWER = 2.0**-127
"""The smallest number of float8_e8m0fnu, whose numbers are powers of two."""


@torch_operator("convert_element_type", namespace="prims")
def convert_element_type(node: TorchNode) -> Expr:
    """Translate `prims.convert_element_type`, which PyTorch's decompositions contain."""
    return as_elements(node.tensor("a"), node.dtype() or node.type("a").dtype)


@torch_operator("_to_copy", "to", "type_as", "_assert_tensor_metadata")
def to(node: TorchNode) -> object:
    """Translate conversions to an element type; devices and layouts are ignored."""
    node.ignore("copy")
    if node.operator == "_assert_tensor_metadata":
        node.ignore(*node.arguments)
        return None
    x = node.tensor("self")
    if "other" in node:
        return as_elements(x, node.type("other").dtype)
    return as_elements(x, node.dtype() or x.tensor_type.dtype)


def as_elements(x: Expr, to: DType) -> Expr:
    """Return a tensor converted by PyTorch's rules; those of floats of 8 bits convert float32.

    1. Too large numbers become the largest of float8_e4m3fn, which has no infinity.
    2. Signs are dropped for float8_e8m0fnu, and 0 becomes its smallest number.
    """
    if not to.is_minifloat or x.tensor_type.dtype is to:
        return converted(x, to)
    single = converted(x, float32)
    if to.kind is Kind.FLOAT8_E4M3FN:
        return saturated(single, to)
    if to.kind is Kind.FLOAT8_E8M0FNU:
        single = Call(Maximum(), (Call(Abs(), (single,)), constant(_LEAST_POWER, float32)))
    return Call(Cast(to), (single,), span=x.span)
