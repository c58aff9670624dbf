"""Translate PyTorch's fused encoder layers, which modules in evaluation mode call, and their masks.

A nested tensor, which has sequences of different lengths, is the padded tensor with a mask.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from relay.frontend.builders.matrix_products import multiplied
from relay.frontend.builders.tensor_helpers import constant, reshape, with_heads
from relay.frontend.node_errors import static_size
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.elementwise import truth
from relay.frontend.torch.translate.matrix_helpers import turned
from relay.frontend.torch.translate.matrix_products import linear_of
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.ir.types import TensorType
from relay.ops.binary import add, multiply
from relay.ops.logical import LogicalNot
from relay.ops.nn.activations import Relu
from relay.ops.nn.more_activations import Gelu
from relay.ops.nn.normalization import LayerNorm
from relay.ops.nn.softmax import Softmax
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Mean
from relay.ops.tensor.concat_and_split import Split
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.transpose import Transpose


@dataclass(frozen=True, eq=False)
class NestedTensor:
    """Sequences of different lengths: a padded tensor, and which of its elements exist."""

    padded: Expr
    exists: Expr

    @property
    def tensor_type(self) -> TensorType:
        """Return the type of the padded tensor."""
        return self.padded.tensor_type


@dataclass(frozen=True, eq=False)
class _Projections:
    """The weights and biases before and after an attention, and the number of heads."""

    before: tuple[Expr, Expr]
    after: tuple[Expr, Expr]
    heads: int


@torch_operator("_nested_tensor_from_mask")
def nested(node: TorchNode) -> NestedTensor:
    """Translate `_nested_tensor_from_mask`: keep the elements where the mask is true."""
    node.ignore("mask_check")
    return NestedTensor(node.tensor("t"), truth(node.tensor("mask")))


@torch_operator("_nested_tensor_from_mask_left_aligned")
def is_left_aligned(node: TorchNode) -> bool:
    """Translate the test whether padding follows the elements, which it need not do here."""
    node.ignore("t", "mask")
    return True


@torch_operator("to_padded_tensor", "nested_to_padded_tensor")
def padded(node: TorchNode) -> Expr:
    """Translate `to_padded_tensor`: fill the elements that do not exist."""
    node.ignore("output_size")
    x = node.value("self")
    assert isinstance(x, NestedTensor), "only nested tensors are padded"
    fill = constant(node.number("padding"), x.padded.tensor_type.dtype)
    return where(Call(ExpandDims(-1), (x.exists,)), x.padded, fill)


@torch_operator("_native_multi_head_attention")
def multi_head_attention(node: TorchNode) -> Sequence[Expr | None]:
    """Translate multi-head self-attention; with `need_weights`, also return mean weights."""
    node.ignore("key", "value", "embed_dim", "average_attn_weights")
    x, parts = node.tensor("query"), _projections(node, "num_head")
    result, weights = _attention(x, parts, _masked(node))
    return [result, Call(Mean(axis=(1,)), (weights,)) if node.flag("need_weights") else None]


@torch_operator("_transformer_encoder_layer_fwd")
def encoder_layer(node: TorchNode) -> "Expr | NestedTensor":
    """Translate a fused layer of a transformer's encoder: attention, and two linear layers."""
    node.ignore("embed_dim")
    given, parts = node.value("src"), _projections(node, "num_heads")
    x = given.padded if isinstance(given, NestedTensor) else node.tensor("src")
    masked = _masked(node)
    if isinstance(given, NestedTensor):
        missing = Call(LogicalNot(), (given.exists,))
        masked = Call(ExpandDims(1, 2), (missing,))
    is_first = node.flag("norm_first")

    def attended(y: Expr) -> Expr:
        return _attention(y, parts, masked)[0]

    def fed(y: Expr) -> Expr:
        first, second = (
            (node.tensor(f"ffn_weight_{i}"), node.tensor(f"ffn_bias_{i}")) for i in (1, 2)
        )
        op = Gelu("none") if node.flag("use_gelu") else Relu(strict=True)
        return linear_of(Call(op, (linear_of(y, *first),)), *second)

    for index, function in ((1, attended), (2, fed)):
        if is_first:
            x = add(x, function(_normalised(node, x, index)))
        else:
            x = _normalised(node, add(x, function(x)), index)
    return NestedTensor(x, given.exists) if isinstance(given, NestedTensor) else x


def _normalised(node: TorchNode, x: Expr, index: int) -> Expr:
    op = LayerNorm(axis=-1, epsilon=node.number("eps"))
    weights = node.tensor(f"norm_weight_{index}"), node.tensor(f"norm_bias_{index}")
    return Call(op, (x, *weights), span=node.span)


def _projections(node: TorchNode, heads: str) -> _Projections:
    before, after = (
        (node.tensor(f"{name}_weight"), node.tensor(f"{name}_bias")) for name in ("qkv", "proj")
    )
    return _Projections(before, after, node.integer(heads))


def _masked(node: TorchNode) -> Expr | None:
    """Return which scores `(batch, heads, queries, keys)` a mask excludes; None without a mask.

    The mask has queries and keys (type 0), the batch and keys (type 1), or all axes (type 2).
    """
    mask = node.optional("mask")
    if mask is None:
        node.ignore("mask_type")
        return None
    excluded, shape = truth(mask), mask.tensor_type.shape
    match node.value("mask_type"):
        case 0:
            return reshape(excluded, (1, 1, *shape))
        case 1:
            return reshape(excluded, (shape[0], 1, 1, shape[1]))
        case _:
            return excluded


def _attention(x: Expr, parts: _Projections, masked: Expr | None) -> tuple[Expr, Expr]:
    """Return self-attention and its weights; scores that are `masked` have no weight."""
    split = Call(Split(3, -1), (linear_of(x, *parts.before),))
    q, k, v = (with_heads(TupleGetItem(split, index), parts.heads) for index in range(3))
    factor = constant(1 / sqrt(static_size(q.tensor_type.shape[-1])), x.tensor_type.dtype)
    scores = multiplied(multiply(q, factor), turned(k))
    if masked is not None:
        scores = where(masked, constant(-np.inf, x.tensor_type.dtype), scores)
    weights = Call(Softmax(-1), (scores,))
    joined = Call(Transpose((0, 2, 1, 3)), (multiplied(weights, v),))
    flat = reshape(joined, x.tensor_type.shape, like=x)
    return linear_of(flat, *parts.after), weights
