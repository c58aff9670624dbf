"""Operators that move, cut and join elements without computing with them."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.common import constant, reshape
from relay.ir.dims import ANY, Dim, maximum, product, variables
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ops.broadcasting import BroadcastTo
from relay.ops.nn.pad import Pad
from relay.ops.reduction import Prod
from relay.ops.selection import Where
from relay.ops.tensor.dynamic import DynamicBroadcastTo, DynamicReshape
from relay.ops.tensor.encode import ShapeOf
from relay.ops.tensor.gather import Take
from relay.ops.tensor.join import Concatenate, Split
from relay.ops.tensor.mask import Trilu
from relay.ops.tensor.repeat import Tile
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import ReverseSequence, Transpose
from relay.support.dtype import bool_, int64


@onnx_operator("Identity", "Dropout")
def identity(node: OnnxNode) -> Expr | Sequence[Expr]:
    """Pass the value on; dropout does nothing in inference, and its mask is all true."""
    x = node.expr(0)
    is_training = node.has(2) and not _is_zero(node.expr(2))
    if is_training and not (node.has(1) and _is_zero(node.expr(1))):
        raise node.error(
            "F036", "the model is in training mode", help="export it for inference (model.eval())"
        )
    if len(node.outputs) > 1 and node.outputs[1]:
        return [x, Call(BroadcastTo(x.tensor_type.shape), (constant(1, bool_),))]
    return x


def _is_zero(x: Expr) -> bool:
    return isinstance(x, Constant) and not np.any(x.data)


@onnx_operator("Constant")
def constant_node(node: OnnxNode) -> Expr:
    """Return the attribute that holds the value (`F033` for strings and sparse tensors)."""
    for name, element in (("value", None), ("value_float", "float32"), ("value_floats", "float32"),
                          ("value_int", "int64"), ("value_ints", "int64")):  # fmt: skip
        found = node.attribute(name)
        if isinstance(found, np.ndarray | float | int | list):
            return Constant(np.asarray(found, element), span=node.span)
    raise node.error("F033", "only numeric constants are supported")


@onnx_operator("ConstantOfShape")
def constant_of_shape(node: OnnxNode) -> Expr:
    """Fill a tensor with one number, float zero by default."""
    fill = np.asarray(node.attribute("value", np.zeros(1, np.float32))).reshape(())
    if not node.is_known(0):
        return Call(DynamicBroadcastTo(), (Constant(fill), node.expr(0)), span=node.span)
    shape = node.dims(0, "the shape")
    return Call(BroadcastTo(shape), (Constant(fill),), span=node.span)


@onnx_operator("Reshape")
def reshape_node(node: OnnxNode) -> Expr:
    """Reshape; 0 copies a size unless `allowzero`, -1 is what remains."""
    x = node.expr(0)
    if node.opset >= 5 and not node.is_known(1):
        op = DynamicReshape(bool(node.attribute("allowzero", 0)))
        return Call(op, (x, node.expr(1)), span=node.span)
    wanted = tuple(node.attribute("shape")) if node.opset < 5 else node.dims(1, "the shape")
    sizes = x.tensor_type.shape
    if not node.attribute("allowzero", 0):
        wanted = tuple(sizes[i] if dim == 0 else dim for i, dim in enumerate(wanted))
    if -1 in wanted:
        rest = product(dim for dim in wanted if dim != -1)
        whole = product(sizes)
        inferred = 0 if rest == 0 else ANY if whole is ANY else whole // rest
        wanted = tuple(inferred if dim == -1 else dim for dim in wanted)
    return reshape(x, wanted)


@onnx_operator("Flatten")
def flatten(node: OnnxNode) -> Expr:
    """Join the axes before `axis`, and those from it on."""
    shape = node.type(0).shape
    axis = node.attribute("axis", 1)
    axis += len(shape) if axis < 0 else 0
    return reshape(node.expr(0), (product(shape[:axis]), product(shape[axis:])))


@onnx_operator("Squeeze")
def squeeze(node: OnnxNode) -> Expr:
    """Drop axes of size 1: the given ones, or all, unless inputs leave sizes open (`F032`)."""
    shape = node.type(0).shape
    axes = _axes(node)
    if axes is None and any(map(variables, shape)):
        raise node.error(
            "F032",
            "which axes have size 1 is not known",
            help="load the model with concrete shapes: load(path, shapes={…})",
        )
    dropped = {axis % len(shape) for axis in axes} if axes is not None else None
    kept = [
        dim
        for i, dim in enumerate(shape)
        if (i not in dropped if dropped is not None else dim != 1)
    ]
    return reshape(node.expr(0), kept)


@onnx_operator("Unsqueeze")
def unsqueeze(node: OnnxNode) -> Expr:
    """Insert axes of size 1; they count in the result."""
    axes = _axes(node) or ()
    rank = node.rank(0) + len(axes)
    inserted = {axis % rank for axis in axes}
    rest = iter(node.type(0).shape)
    return reshape(node.expr(0), [1 if i in inserted else next(rest) for i in range(rank)])


def _axes(node: OnnxNode) -> Sequence[int] | None:
    if node.opset < 13:
        return node.attribute("axes")
    return node.ints(1, "the axes") if node.has(1) else None


@onnx_operator("Transpose")
def transpose(node: OnnxNode) -> Expr:
    """Permute the axes."""
    permutation = node.attribute("perm")
    axes = None if permutation is None else tuple(permutation)
    return Call(Transpose(axes), (node.expr(0),), span=node.span)


@onnx_operator("Concat")
def concat(node: OnnxNode) -> Expr:
    """Join along an axis; one tensor alone is itself."""
    parts, axis = node.exprs(), node.required("axis")
    if len(parts) == 1:
        return parts[0]
    return Call(Concatenate(axis), (Tuple(tuple(parts)),), span=node.span)


@onnx_operator("Split")
def split(node: OnnxNode) -> Sequence[Expr]:
    """Take apart: into given sizes, else into as many equal parts as there are outputs."""
    axis = node.attribute("axis", 0)
    sizes = node.ints(1, "the sizes") if node.has(1) else node.attribute("split")
    if sizes is None:
        sizes = _equal_parts(node, axis)
    borders = tuple(int(border) for border in np.cumsum(sizes)[:-1])
    if not borders:
        return [node.expr(0)]
    parts = Call(Split(borders, axis), (node.expr(0),), span=node.span)
    return [TupleGetItem(parts, index) for index in range(len(sizes))]


def _equal_parts(node: OnnxNode, axis: int) -> list[int]:
    """Return the sizes of equal parts, the last one smaller if it does not divide."""
    count = node.attribute("num_outputs", len(node.outputs))
    whole = node.type(0).shape[axis]
    if not isinstance(whole, int):
        raise node.error("F032", "splitting into equal parts needs a size that is known")
    part = -(-whole // count)
    return [min(part, max(0, whole - i * part)) for i in range(count)]


@onnx_operator("Slice")
def slice_node(node: OnnxNode) -> Expr:
    """Cut out a range on some axes; a range without elements is an empty result."""
    if node.opset < 10:
        begin, end = tuple(node.required("starts")), tuple(node.required("ends"))
        axes, steps = node.attribute("axes"), None
    elif not (node.is_known(1) and node.is_known(2)):
        return _slice_of_run_time(node)
    else:
        begin, end = node.dims(1, "the starts"), node.dims(2, "the ends")
        axes = node.ints(3, "the axes") if node.has(3) else None
        steps = node.ints(4, "the steps") if node.has(4) else None
    axes = tuple(range(len(begin))) if axes is None else tuple(axes)
    strides = (1,) * len(begin) if steps is None else steps
    shape = node.type(0).shape
    ranges = [
        _range(shape[axis], b, e, s)
        for axis, b, e, s in zip(axes, begin, end, strides, strict=True)
    ]
    begins, ends, steps = zip(*ranges, strict=True) if ranges else ((), (), ())
    op = StridedSlice(begin=begins, end=ends, strides=steps, axes=axes)
    return Call(op, (node.expr(0),), span=node.span)


def _slice_of_run_time(node: OnnxNode) -> Expr:
    """Cut out a range whose bounds are computed: a constant in each step of a loop, say."""
    x, begin, end = (node.expr(index) for index in range(3))
    count = begin.tensor_type.shape[0]
    axes = node.ints(3, "the axes") if node.has(3) else None
    steps = node.ints(4, "the steps") if node.has(4) else (1,) * int(str(count))
    op = DynamicStridedSlice(axes=axes)
    return Call(op, (x, begin, end, Constant(np.array(steps))), span=node.span)


_TO_THE_END = 10**9


def _range(size: Dim, begin: Dim, end: Dim, step: int) -> tuple[Dim, Dim, int]:
    """Return a range in Relay's terms: one without elements is empty, not an error.

    An end that no dimension reaches is how exporters write "as far as the step goes", forwards and,
    though ONNX recommends otherwise, backwards. A start before the first element is that element.
    """
    if isinstance(end, int) and end >= _TO_THE_END and step < 0:
        end = -(1 << 63)
    if isinstance(size, int) and isinstance(begin, int) and isinstance(end, int):
        first, last, _ = slice(max(begin, -size), end, step).indices(size)
        if not range(first, last, step):
            return 0, 0, 1
        return first, last if last >= 0 else -size - 1, step
    to_the_end = isinstance(end, int) and end >= _TO_THE_END and step > 0
    last = size if to_the_end else end
    if isinstance(begin, int) and begin < 0 and step < 0:
        begin = maximum(size + begin, 0)
    return (0, 0, 1) if _runs_backwards(begin, last, step) else (begin, last, step)


def _runs_backwards(begin: Dim, end: Dim, step: int) -> bool:
    """Whether a range is empty whatever the size: both bounds count from the same side."""
    if not (isinstance(begin, int) and isinstance(end, int)) or (begin < 0) != (end < 0):
        return False
    return end <= begin if step > 0 else begin <= end


@onnx_operator("Shape")
def shape(node: OnnxNode) -> Expr:
    """Return the sizes, or a range of them, as int64."""
    whole = Call(ShapeOf(int64), (node.expr(0),), span=node.span)
    rank = node.rank(0)
    first, last, _ = slice(node.attribute("start", 0), node.attribute("end")).indices(rank)
    if (first, last) == (0, rank):
        return whole
    return Call(StridedSlice(begin=(first,), end=(max(first, last),)), (whole,), span=node.span)


@onnx_operator("Size")
def size(node: OnnxNode) -> Expr:
    """Return the number of elements as int64: the product of the shape, which folds when known."""
    return Call(Prod(), (Call(ShapeOf(int64), (node.expr(0),)),), span=node.span)


@onnx_operator("Expand")
def expand(node: OnnxNode) -> Expr:
    """Broadcast both ways: a size of 1 on either side gives way."""
    x = node.expr(0)
    if not node.is_known(1):
        everywhere = Call(DynamicBroadcastTo(), (constant(1, bool_), node.expr(1)))
        return Call(Where(), (everywhere, x, x), span=node.span)
    wanted, own = node.dims(1, "the shape"), x.tensor_type.shape
    rank = max(len(wanted), len(own))
    pairs = zip((1,) * (rank - len(own)) + own, (1,) * (rank - len(wanted)) + wanted, strict=True)
    target = tuple(mine if theirs == 1 else theirs for mine, theirs in pairs)
    return x if target == own else Call(BroadcastTo(target), (x,), span=node.span)


@onnx_operator("Tile")
def tile(node: OnnxNode) -> Expr:
    """Repeat the whole tensor on each axis."""
    return Call(Tile(node.dims(1, "the repeats")), (node.expr(0),), span=node.span)


@onnx_operator("Pad")
def pad(node: OnnxNode) -> Expr:
    """Pad with a constant, the edge, or a reflection; negative widths cut."""
    x = node.expr(0)
    rank = x.tensor_type.rank
    widths = node.attribute("pads") if node.opset < 11 else node.dims(1, "the widths")
    axes = node.ints(3, "the axes") if node.has(3) else range(rank)
    pairs: list[tuple[Dim, Dim]] = [(0, 0)] * rank
    for i, axis in enumerate(axes):
        pairs[axis] = (widths[i], widths[len(widths) // 2 + i])
    mode = node.attribute("mode", "constant")
    if mode == "wrap":
        return _wrapped(node, x, pairs)
    fill = node.optional(2) if node.opset >= 11 else None
    fill = constant(node.attribute("value", 0.0), x.tensor_type.dtype) if fill is None else fill
    return Call(Pad(tuple(pairs), mode), (x, reshape(fill, ())), span=node.span)


def _wrapped(node: OnnxNode, x: Expr, pairs: Sequence[tuple[Dim, Dim]]) -> Expr:
    """Continue with the other end (`F034` unless all sizes are known)."""
    for axis, (before, after) in enumerate(pairs):
        size = x.tensor_type.shape[axis]
        if not (isinstance(size, int) and isinstance(before, int) and isinstance(after, int)):
            raise node.error("F034", "padding that wraps around needs sizes that are known")
        if before or after:
            places = np.arange(-before, size + after) % max(size, 1)
            x = Call(Take(axis=axis), (x, Constant(places)), span=node.span)
    return x


@onnx_operator("Trilu")
def trilu(node: OnnxNode) -> Expr:
    """Keep the upper or the lower triangle of matrices."""
    offset = node.expr(1) if node.has(1) else constant(0, int64)
    return Call(Trilu(bool(node.attribute("upper", 1))), (node.expr(0), offset), span=node.span)


@onnx_operator("ReverseSequence")
def reverse_sequence(node: OnnxNode) -> Expr:
    """Reverse the first elements of each sequence."""
    op = ReverseSequence(seq_axis=node.attribute("time_axis", 0),
                         batch_axis=node.attribute("batch_axis", 1))  # fmt: skip
    return Call(op, (node.expr(0), node.expr(1)), span=node.span)
