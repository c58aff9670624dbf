"""Translate StableHLO operations that reshape, slice, join or pad tensors, and constants."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.interior_padding import padded
from relay.frontend.builders.run_time_slices import read_part, write_part
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.stablehlo.node import HloNode
from relay.frontend.stablehlo.registry import hlo_operation
from relay.ir.dims import Shape
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.broadcasting import BroadcastTo
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Reverse, Transpose


@hlo_operation("constant")
def constant_node(node: HloNode) -> Expr:
    """Translate `constant`; a splat constant becomes a broadcast scalar."""
    array, shape = node.array("value"), node.result_type.static_shape
    if array.ndim == 0 and shape:
        return Call(BroadcastTo(shape), (Constant(array, span=node.span),), span=node.span)
    return Constant(array.reshape(shape), span=node.span)


@hlo_operation("iota")
def iota(node: HloNode) -> Expr:
    """Translate `iota`: each element is its index along one axis."""
    axis, ty = node.integer("iota_dimension"), node.result_type
    shape = [1] * ty.rank
    shape[axis] = ty.static_shape[axis]
    numbers = np.arange(shape[axis]).astype(ty.dtype.numpy).reshape(shape)
    return broadcast(Constant(numbers), ty.static_shape)


def broadcast(x: Expr, shape: Shape) -> Expr:
    """Return a tensor broadcast to a shape; the tensor itself if it has that shape."""
    return x if x.tensor_type.shape == shape else Call(BroadcastTo(shape), (x,), span=x.span)


@hlo_operation("broadcast_in_dim")
def broadcast_in_dim(node: HloNode) -> Expr:
    """Translate `broadcast_in_dim`: the operand's axes become the listed axes of the result."""
    (x,), axes = node.operands, node.ints("broadcast_dimensions")
    wanted = node.result_type.static_shape
    return broadcast(in_axes(x, axes, len(wanted)), wanted)


def in_axes(x: Expr, axes: Sequence[int], rank: int) -> Expr:
    """Return `x` with its axes at the positions `axes` of `rank` axes; further axes have size 1."""
    order = sorted(range(len(axes)), key=axes.__getitem__)
    if list(order) != list(range(len(axes))):
        x = Call(Transpose(tuple(order)), (x,))
    sizes = x.tensor_type.shape
    placed = dict(zip(sorted(axes), sizes, strict=True))
    spread = tuple(placed.get(axis, 1) for axis in range(rank))
    return x if spread == sizes else reshape(x, spread)


@hlo_operation("reshape")
def reshape_node(node: HloNode) -> Expr:
    """Translate `reshape`."""
    return reshape(node.operands[0], node.result_type.static_shape)


@hlo_operation("transpose")
def transpose(node: HloNode) -> Expr:
    """Translate `transpose`."""
    return Call(Transpose(node.ints("permutation")), node.operands, span=node.span)


@hlo_operation("concatenate")
def concatenate(node: HloNode) -> Expr:
    """Translate `concatenate`."""
    op = Concatenate(node.integer("dimension"))
    return Call(op, (Tuple(node.operands),), span=node.span)


@hlo_operation("reverse")
def reverse(node: HloNode) -> Expr:
    """Translate `reverse` along axes."""
    (x,) = node.operands
    for axis in node.ints("dimensions"):
        x = Call(Reverse(axis), (x,), span=node.span)
    return x


@hlo_operation("slice")
def slice_node(node: HloNode) -> Expr:
    """Translate `slice` with static bounds and strides."""
    begin, end = node.ints("start_indices"), node.ints("limit_indices")
    return Call(StridedSlice(begin, end, node.ints("strides")), node.operands, span=node.span)


@hlo_operation("dynamic_slice")
def dynamic_slice(node: HloNode) -> Expr:
    """Translate `dynamic_slice`: static sizes at a run-time position."""
    x, *begins = node.operands
    return read_part(x, begins, node.ints("slice_sizes"))


@hlo_operation("dynamic_update_slice")
def dynamic_update_slice(node: HloNode) -> Expr:
    """Translate `dynamic_update_slice`: write a tensor at a run-time position."""
    x, part, *begins = node.operands
    return write_part(x, part, begins)


@hlo_operation("pad")
def pad(node: HloNode) -> Expr:
    """Translate `pad`, also between elements; negative padding crops."""
    x, value = node.operands
    return padded(
        x, value, node.ints("edge_padding_low"), node.ints("edge_padding_high"),
        node.ints("interior_padding"),
    )  # fmt: skip
