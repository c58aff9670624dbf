"""Translate PyTorch padding and cropping."""

from collections.abc import Sequence

from relay.frontend.builders.size_expressions import numbers_below, size_number
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.type_promotion import operand
from relay.ir.dims import ANY, Dim, maximum
from relay.ir.expr import Call, Expr
from relay.ops.binary import FloorMod, subtract
from relay.ops.nn.pad import Pad
from relay.ops.tensor.gather import Take
from relay.ops.tensor.slice import StridedSlice

_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge"}


@torch_operator("pad", "constant_pad_nd")
def pad(node: TorchNode) -> Expr:
    """Translate `pad`: constant, reflection, edge or cyclic; negative widths crop."""
    x, mode = node.tensor("self"), str(node.value("mode") or "constant")
    if mode == "circular":
        return _circular(node, x, _pairs(node, x))
    fill = node.value("value")
    return _padded(node, x, mode, 0 if fill is None else fill)


@torch_operator("reflection_pad1d", "reflection_pad2d", "reflection_pad3d")
def reflection(node: TorchNode) -> Expr:
    """Translate padding with a reflection at the edge."""
    return _padded(node, node.tensor("self"), "reflect", 0)


@torch_operator("replication_pad1d", "replication_pad2d", "replication_pad3d")
def replication(node: TorchNode) -> Expr:
    """Translate padding with the edge elements."""
    return _padded(node, node.tensor("self"), "replicate", 0)


def _pairs(node: TorchNode, x: Expr) -> list[tuple[Dim, Dim]]:
    """Return the widths before and after each axis; PyTorch lists the last axis first."""
    widths = node.dims("pad" if "pad" in node.arguments else "padding")
    given = [(widths[i], widths[i + 1]) for i in range(0, len(widths), 2)]
    return [(0, 0)] * (x.tensor_type.rank - len(given)) + given[::-1]


def _padded(node: TorchNode, x: Expr, mode: str, fill: object) -> Expr:
    """Return a padded tensor; in modes other than constant, negative widths crop afterwards."""
    pairs = _pairs(node, x)
    value = operand(node, fill, x.tensor_type.dtype)
    if mode == "constant":
        return Call(Pad(tuple(pairs)), (x, value), span=node.span)
    grown = tuple((_positive(before), _positive(after)) for before, after in pairs)
    return _cut(Call(Pad(grown, _MODES[mode]), (x, value), span=node.span), pairs)


def _positive(width: Dim) -> Dim:
    return max(width, 0) if isinstance(width, int) else width


def _cut(x: Expr, pairs: Sequence[tuple[Dim, Dim]]) -> Expr:
    """Return a tensor cropped by the negative ones of the widths."""
    for axis, pair in enumerate(pairs):
        before, after = (each if isinstance(each, int) and each < 0 else 0 for each in pair)
        if before or after:
            size = x.tensor_type.shape[axis]
            x = Call(StridedSlice((-before,), (size + after,), axes=(axis,)), (x,))
    return x


def _circular(node: TorchNode, x: Expr, pairs: Sequence[tuple[Dim, Dim]]) -> Expr:
    """Pad cyclically by widths; negative ones crop before."""
    x = _cut(x, pairs)
    grown = [(_positive(before), _positive(after)) for before, after in pairs]
    for axis, (before, after) in enumerate(grown):
        size = x.tensor_type.shape[axis]
        if before == after == 0:
            continue
        if ANY in (size, before, after):
            raise node.dynamic("the size of the padded axis and the widths", size, before, after)
        places = subtract(numbers_below(size + before + after), size_number(before))
        rotated = Call(FloorMod(), (places, size_number(maximum(size, 1))))
        x = Call(Take(axis=axis), (x, rotated), span=node.span)
    return x
