"""Translate the loss of connectionist temporal classification (CTC) of PyTorch."""

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.ctc import Alignments
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.ir.expr import Expr
from relay.ops.binary import add, divide, subtract
from relay.ops.functions import core
from relay.ops.selection import where
from relay.support.dtype import int64


@torch_operator("ctc_loss", namespace="relay")
@torch_operator("ctc_loss")
def ctc_loss(node: TorchNode) -> Expr:
    """Translate `ctc_loss`; `targets` is a matrix, or the labels of all sequences in a vector."""
    logs = node.tensor("log_probs")
    is_batch = logs.tensor_type.rank == 3
    logs = logs if is_batch else core.expand_dims(logs, 1)
    counts = _lengths(node, "target_lengths")
    found = Alignments(
        logs, _labels(node, counts), _lengths(node, "input_lengths"), counts, node.integer("blank")
    )
    losses = found.losses
    if node.flag("zero_infinity"):
        zero = constant(0, logs.tensor_type.dtype)
        losses = where(core.isfinite(losses), losses, zero)
    return _reduced(node, losses, counts, is_batch=is_batch)


def _lengths(node: TorchNode, name: str) -> Expr:
    """Return lengths as a vector; they are a tensor, or a list of integers."""
    is_tensor = isinstance(node.value(name), Expr)
    found = converted(node.tensor(name) if is_tensor else node.vector(name), int64)
    return found if found.tensor_type.rank else reshape(found, (1,))


def _labels(node: TorchNode, counts: Expr) -> Expr:
    """Return the labels of each sequence as a row of a matrix, which may end with others."""
    targets = converted(node.tensor("targets"), int64)
    if targets.tensor_type.rank == 2:
        return targets
    ends = core.cumsum(counts, axis=0)
    starts = core.expand_dims(subtract(ends, counts), 1)
    zero, one = constant(0, int64), constant(1, int64)
    places = core.arange(zero, size_of(targets, 0), one, dtype="int64")
    return core.take(targets, add(starts, core.expand_dims(places, 0)), axis=0, mode="clip")


def _reduced(node: TorchNode, losses: Expr, counts: Expr, *, is_batch: bool) -> Expr:
    """Return the losses, their sum, or the mean of the losses divided by the numbers of labels."""
    kind = node.integer("reduction")
    if kind == 0:
        return losses if is_batch else reshape(losses, ())
    if kind == 2:
        return core.sum(losses)
    least = core.maximum(counts, constant(1, int64))
    return core.mean(divide(losses, converted(least, losses.tensor_type.dtype)))
