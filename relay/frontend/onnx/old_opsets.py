"""Bring nodes of opsets before 7, in which tensors did not broadcast as in NumPy, to its form."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import onnx

from relay.frontend.onnx.node import OnnxNode
from relay.ir.expr import Call, Constant, Expr
from relay.ops.tensor.reshape import ExpandDims
from relay.support.error_codes import ErrorCode

BROADCASTS_SINCE = 7
"""The opset since which tensors broadcast as in NumPy."""

_BINARY = ("Add", "And", "Div", "Equal", "Greater", "Less", "Mul", "Or", "Pow", "Sub", "Xor")
_Rewrite: TypeAlias = Callable[[OnnxNode], OnnxNode]


def modern(node: OnnxNode) -> OnnxNode:
    """Return a node in the form of opset 7: its attributes and inputs, or the node itself."""
    if node.opset >= BROADCASTS_SINCE:
        return node
    node = node.with_attributes({"consumed_inputs": None})  # a hint for reusing memory
    rewrite = _REWRITES.get(node.op)
    return node if rewrite is None else rewrite(node)


def _broadcast(node: OnnxNode) -> OnnxNode:
    """Append axes to the second operand, whose first axis is the axis `axis` of the first one."""
    axis, first, second = node.attribute("axis"), node.rank(0), node.rank(1)
    node = node.with_attributes({"axis": None, "broadcast": None})
    if axis is None or not second or node.type(1).shape == (1,):
        return node
    return node.with_inputs({1: _with_axes_after(node.expr(1), first - axis % first - second)})


def _slopes(node: OnnxNode) -> OnnxNode:
    """Move slopes, one for each channel, to the axis of channels."""
    if node.rank(1) != 1 or node.type(1).shape == (1,) or node.rank(0) < 2:
        return node
    return node.with_inputs({1: _with_axes_after(node.expr(1), node.rank(0) - 2)})


def _with_axes_after(x: Expr, count: int) -> Expr:
    return Call(ExpandDims(x.tensor_type.rank, count), (x,), span=x.span) if count > 0 else x


def _element_type(node: OnnxNode) -> OnnxNode:
    """Replace the name of an element type by its number."""
    to = node.required("to")
    known = onnx.TensorProto.DataType.keys()
    return (
        node.with_attributes({"to": onnx.TensorProto.DataType.Value(to)}) if to in known else node
    )


def _outside_of_training(node: OnnxNode) -> OnnxNode:
    if node.attribute("is_test", 0):
        return node.with_attributes({"is_test": None})
    message, help_ = (
        "the operator is in training mode (is_test=0)",
        "export the model for inference",
    )
    raise node.error(ErrorCode.F036, message, help=help_)


def _joined(node: OnnxNode) -> OnnxNode:
    return node.with_attributes({"axis": node.attribute("axis", 1)})


def _without_sequence(node: OnnxNode) -> OnnxNode:
    return node.with_attributes(
        {"output_sequence": None}
    )  # results that no node reads are optional


def _padding(node: OnnxNode) -> OnnxNode:
    widths = node.attribute("paddings", node.attribute("pads"))
    return node.with_attributes({"pads": widths, "paddings": None})


def _sizes(node: OnnxNode) -> OnnxNode:
    """Replace the second input of `Split` by an attribute."""
    if not node.has(1):
        return node
    sizes = [*node.ints(1, "the sizes")]
    return node.in_order(0).with_attributes({"split": sizes})


def _repeats(node: OnnxNode) -> OnnxNode:
    """Replace a number of repeats along one axis by one number for each axis."""
    if not node.has(2):
        return node
    repeats = np.ones(node.rank(0), np.int64)
    repeats[int(node.constant(2, "the axis").item())] = int(node.constant(1, "the tiles").item())
    return node.in_order(0, 1).with_inputs({1: Constant(repeats)})


def _scales(node: OnnxNode) -> OnnxNode:
    """Join the scales of the height and the width."""
    if "height_scale" not in node:
        return node
    scales = [1.0, 1.0, *(node.required(each) for each in ("height_scale", "width_scale"))]
    return node.with_attributes({"scales": scales, "height_scale": None, "width_scale": None})


_REWRITES: Mapping[str, _Rewrite] = MappingProxyType(
    {
        **dict.fromkeys(_BINARY, _broadcast),
        **dict.fromkeys(("GRU", "LSTM", "RNN"), _without_sequence),
        "BatchNormalization": _outside_of_training,
        "Cast": _element_type,
        "Concat": _joined,
        "Dropout": lambda node: node.with_attributes({"is_test": None}),
        "Gemm": lambda node: node.with_attributes({"broadcast": None}),
        "PRelu": _slopes,
        "Pad": _padding,
        "Split": _sizes,
        "Tile": _repeats,
        "Upsample": _scales,
    }
)
"""How the nodes of an operator changed up to opset 7."""
