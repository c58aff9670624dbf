"""Translate PyTorch operators that return sizes as numbers, and assertions."""

import numpy as np

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.tensor_helpers import converted, reshape
from relay.frontend.node_errors import static_sizes
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.ir.dims import ANY, is_static, product
from relay.ir.expr import Call, Constant, Expr
from relay.ops.tensor.one_hot_and_shape_of import NdarraySize, ShapeOf
from relay.support.dtype import bool_, int64

_SAID = (
    "_assert_scalar", "_functional_assert_scalar", "sym_constrain_range",
    "sym_constrain_range_for_size",
    "_functional_sym_constrain_range", "_functional_sym_constrain_range_for_size",
)  # fmt: skip


@torch_operator("sym_size")
def sym_size(node: TorchNode) -> object:
    """Translate `sym_size`: a size of a tensor, computed at run time if it is unknown."""
    x, axis = node.tensor("self"), node.integer("dim")
    size = x.tensor_type.shape[axis]
    return size_of(x, axis) if size is ANY else size


@torch_operator("_shape_as_tensor")
def shape_as_tensor(node: TorchNode) -> Expr:
    """Translate `_shape_as_tensor`: the sizes of a tensor as a vector."""
    x = node.tensor("self")
    shape = x.tensor_type.shape
    if is_static(shape):
        return Constant(np.array(static_sizes(shape), np.int64))
    return Call(ShapeOf(int64), (x,), span=node.span)


@torch_operator("sym_numel", "numel")
def sym_numel(node: TorchNode) -> object:
    """Translate `numel`: the number of elements of a tensor."""
    x = node.tensor("self")
    count = product(x.tensor_type.shape)
    return Call(NdarraySize(int64), (x,)) if count is ANY else count


@torch_operator("item", "_local_scalar_dense")
def item(node: TorchNode) -> Expr:
    """Translate `item`: the element of a one-element tensor, as a run-time number."""
    return reshape(node.tensor("self"), ())


@torch_operator(*_SAID)
def said(node: TorchNode) -> None:
    """Translate assertions on sizes in exported programs, which are dropped.

    Relay adds its own checks.
    """
    node.ignore(*node.arguments)


@torch_operator("_assert_async", "_functional_assert_async")
def assert_async(node: TorchNode) -> object:
    """Translate `_assert_async`: the program traps unless the one element is not zero."""
    message = node.value("assert_msg") if "assert_msg" in node else "an element is zero"
    node.assertions.append((converted(node.tensor("self"), bool_), f"_assert_async: {message}"))
    return node.value("dep_token") if "dep_token" in node else None
