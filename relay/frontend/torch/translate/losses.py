"""Translate losses of PyTorch whose decomposition in PyTorch is wrong."""

import torch

from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.ir.expr import Call, Expr
from relay.ops.binary import Maximum, add, multiply, subtract
from relay.ops.comparison import Equal, GreaterEqual
from relay.ops.creation import OnesLike, number
from relay.ops.max_min_reductions import Max
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Mean, Sum
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.scan import Cumprod, Cumsum
from relay.support.dtype import DType, bool_, int64


@torch_operator("multilabel_margin_loss")
def multilabel_margin_loss(node: TorchNode) -> Expr:
    """Translate `multilabel_margin_loss`."""
    return multilabel_margin_loss_forward(node)[0]


@torch_operator("multilabel_margin_loss_forward")
def multilabel_margin_loss_forward(node: TorchNode) -> list[Expr]:
    """Translate `multilabel_margin_loss_forward`: the loss, and which classes are targets.

    A row of targets has numbers of classes, and ends before its first negative number. The loss is
    the mean over all classes that are not targets, and the sum over all targets, of how far the
    target's score is from exceeding that of the other class by 1. A scalar is a row of one class.
    """
    x, target = node.tensor("self"), node.tensor("target")
    shape = target.tensor_type.shape
    if not x.tensor_type.rank:
        x, target = reshape(x, (1,)), reshape(target, (1,))
    dtype, rank = x.tensor_type.dtype, x.tensor_type.rank
    zero, hits = constant(0, dtype), _hits(x, target)
    is_target = Call(Max(axis=(rank - 1,)), (hits,))
    own = Call(Sum(axis=(rank,)), (where(converted(hits, bool_), _row(x), zero),))
    gap = add(constant(1, dtype), subtract(_row(x), _column(own)))
    other = _row(subtract(constant(1, dtype), is_target))
    used = multiply(other, _column(_listed(target, dtype)))
    far = where(converted(used, bool_), Call(Maximum(), (gap, zero)), zero)
    losses = Call(Sum(axis=(rank - 1,)), (Call(Mean(axis=(rank,)), (far,), span=node.span),))
    return [_reduced(node, losses), is_target if shape else reshape(is_target, ())]


def _listed(target: Expr, dtype: DType) -> Expr:
    """Return 1 for the targets before the first negative number of a row, and 0 for the others."""
    is_valid = Call(GreaterEqual(), (target, number(0, target)))
    return converted(Call(Cumprod(axis=-1), (converted(is_valid, int64),)), dtype)


def _hits(x: Expr, target: Expr) -> Expr:
    """Return 1 where a target (the last axis but one) is a class (the last axis), otherwise 0."""
    dtype = x.tensor_type.dtype
    ones = Call(OnesLike(), (converted(target, int64),))
    classes = subtract(Call(Cumsum(axis=-1), (ones,)), constant(1, int64))
    same = Call(Equal(), (_column(converted(target, int64)), _row(classes)))
    return multiply(converted(same, dtype), _column(_listed(target, dtype)))


def _row(x: Expr) -> Expr:
    return Call(ExpandDims(x.tensor_type.rank - 1), (x,))


def _column(x: Expr) -> Expr:
    return Call(ExpandDims(-1), (x,))


def _reduced(node: TorchNode, losses: Expr) -> Expr:
    """Return the losses of rows, their mean, or their sum.

    Exported graphs declare the loss of a single row, which has rank 0, as a vector.
    """
    kind = node.integer("reduction")
    if kind == 0:
        is_vector = isinstance(node.expected, torch.Tensor) and node.expected.ndim == 1
        return reshape(losses, (1,)) if is_vector and not losses.tensor_type.rank else losses
    return Call((Mean if kind == 1 else Sum)(), (losses,), span=node.span)
