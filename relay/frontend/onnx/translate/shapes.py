"""Translate ONNX operators that reshape, join, repeat or reorder tensors."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.tensor_helpers import constant, flattened, reshape
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.rank_splits import Fork, decision
from relay.frontend.onnx.registry import MICROSOFT, onnx_operator
from relay.frontend.onnx.translate.run_time_tensors import joined, length, numbers, part, sizes_of
from relay.frontend.onnx.value import Known, OnnxValue, is_size
from relay.ir.dims import ANY, Dim, is_static, may_be_one, product
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.broadcasting import BroadcastTo
from relay.ops.comparison import equal
from relay.ops.selection import Where
from relay.ops.sum_and_mean_reductions import Prod
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.dynamic_shapes import (
    DynamicBroadcastTo,
    DynamicReshape,
    DynamicSqueeze,
    DynamicTile,
    shape_with_ones,
)
from relay.ops.tensor.one_hot_and_shape_of import ShapeOf
from relay.ops.tensor.reshape import ExpandDims, Reshape, Squeeze
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.tile_and_repeat import Tile
from relay.ops.tensor.transpose import ReverseSequence, Transpose
from relay.ops.tensor.triangles_masks_diagonals import Trilu
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError

MOST_UNSURE = 3
"""How many sizes of a tensor may decide whether `Squeeze` removes their axes: each is a fork."""


@onnx_operator("Identity")
def identity(node: OnnxNode) -> Expr:
    """Translate `Identity`."""
    return node.expr(0)


@onnx_operator("Constant")
def constant_node(node: OnnxNode) -> Expr:
    """Translate `Constant`; raises `F033` for strings."""
    for name, element in (("value", None), ("value_float", "float32"), ("value_floats", "float32"),
                          ("value_int", "int64"), ("value_ints", "int64")):  # fmt: skip
        found = node.attribute(name)
        if isinstance(found, np.ndarray | float | int | list):
            return Constant(np.asarray(found, element), span=node.span)
    given = ", ".join(node.unread()) or "none"
    raise node.error(
        ErrorCode.F033,
        f"the value must be a tensor of numbers, but has the attribute {given}",
    )


@onnx_operator("ConstantOfShape")
def constant_of_shape(node: OnnxNode) -> Expr:
    """Translate `ConstantOfShape`; the default value is 0 as a float."""
    fill = np.asarray(node.attribute("value", np.zeros(1, np.float32))).reshape(())
    if not node.is_known(0):
        shape = numbers(node, 0, node.declared_rank(0))
        return Call(DynamicBroadcastTo(), (Constant(fill), shape), span=node.span)
    shape = node.dims(0, "the shape")
    return Call(BroadcastTo(shape), (Constant(fill),), span=node.span)


@onnx_operator("Reshape")
def reshape_node(node: OnnxNode) -> Expr:
    """Translate `Reshape`; 0 copies a size unless `allowzero`, and -1 is inferred."""
    x = node.expr(0)
    if node.opset >= 5 and not node.is_known(1):
        op = DynamicReshape(bool(node.attribute("allowzero", 0)))
        found = Call(op, (x, numbers(node, 1, node.declared_rank(0))), span=node.span)
        return _with_known_sizes(found, node.known(1))
    wanted = tuple(node.attribute("shape")) if node.opset < 5 else node.dims(1, "the shape")
    sizes = x.tensor_type.shape
    if ANY in sizes:
        return Call(Reshape(wanted, bool(node.attribute("allowzero", 0))), (x,), span=node.span)
    if not node.attribute("allowzero", 0):
        wanted = tuple(sizes[i] if dim == 0 else dim for i, dim in enumerate(wanted))
    if -1 in wanted:
        rest = product(dim for dim in wanted if dim != -1)
        whole = product(sizes)
        inferred = 0 if rest == 0 else whole // rest
        wanted = tuple(inferred if dim == -1 else dim for dim in wanted)
    return reshape(x, wanted)


def _with_known_sizes(x: Expr, known: Known | None) -> Expr:
    """Return a tensor whose type includes the sizes that are known at import."""
    if known is None or not any(is_size(each) for each in known):
        return x
    codes = tuple(each if is_size(each) else 0 for each in known)
    return Call(Reshape(codes), (x,), span=x.span)


@onnx_operator("Flatten")
def flatten(node: OnnxNode) -> Expr:
    """Translate `Flatten`: merge the axes before `axis`, and those from it on."""
    axis, rank = node.integer("axis", 1), node.rank(0)
    return flattened(node.expr(0), axis + rank if axis < 0 else axis)


@onnx_operator("Squeeze")
def squeeze(node: OnnxNode) -> Expr | Sequence[OnnxValue] | Fork:
    """Translate `Squeeze`: remove the listed axes of size 1, or all.

    If all are requested, symbolic sizes decide at run time whether their axes are removed.
    Raises `F032` if more than `MOST_UNSURE` sizes decide.
    """
    shape = node.type(0).shape
    if node.has(1) and not _has_known_axes(node):
        axes = numbers(node, 1, _fewer(node))
        return Call(DynamicSqueeze(), (node.expr(0), axes), span=node.span)
    axes = _axes(node)
    if axes is not None:
        return _without(node, axes)
    ones = [axis for axis, dim in enumerate(shape) if dim == 1]
    unsure = [axis for axis, dim in enumerate(shape) if dim is ANY or may_be_one(dim)]
    unsure = [axis for axis in unsure if axis not in ones]
    if len(unsure) <= MOST_UNSURE or len(ones) == _fewer(node):
        return _without_ones(node, ones, unsure)
    raise node.error(
        ErrorCode.F032,
        "the axes to remove depend on sizes that are unknown at compile time",
        help="specify the input shapes: load(path, shapes={…})",
    )


def _without(node: OnnxNode, axes: Sequence[int]) -> Expr:
    """Return the first input of a node without some axes, whose sizes are 1."""
    x, shape = node.expr(0), node.type(0).shape
    dropped = {axis % len(shape) for axis in axes}
    if all(shape[axis] == 1 for axis in dropped) and ANY not in shape:
        return reshape(x, [dim for axis, dim in enumerate(shape) if axis not in dropped])
    return Call(Squeeze(tuple(sorted(dropped))), (x,), span=node.span)


def _without_ones(
    node: OnnxNode, ones: Sequence[int], unsure: Sequence[int]
) -> Sequence[OnnxValue] | Fork:
    """Return the first input of a node without the axes `ones`, and those `unsure` of size 1.

    If the rank of the result is declared, only the axes that give this rank are removed.
    """
    fewer = _fewer(node)
    if not unsure or len(ones) == fewer:
        return [OnnxValue(_without(node, ones))]
    if len(ones) + len(unsure) == fewer:
        return [OnnxValue(_without(node, [*ones, *unsure]))]
    axis, *others = unsure
    is_one = equal(size_of(node.expr(0), axis), constant(1, int64))
    without, rest = (_without_ones(node, each, others) for each in ((*ones, axis), ones))
    found = decision(is_one, without, rest, node.span)
    assert not isinstance(found, RelayTypeError), "neither side is an error"
    return found


def _fewer(node: OnnxNode) -> int | None:
    """Return the number of axes that a node removes; None if its result has no declared rank."""
    rank = node.declared_rank(0)
    return None if rank is None else node.rank(0) - rank


@onnx_operator("Unsqueeze")
def unsqueeze(node: OnnxNode) -> Expr:
    """Translate `Unsqueeze`: insert axes of size 1, which are numbered as in the result."""
    x = node.expr(0)
    if node.has(1) and not _has_known_axes(node):
        rank = node.declared_rank(0)
        axes = numbers(node, 1, None if rank is None else rank - node.rank(0))
        shape = shape_with_ones(x, axes)
        return Call(DynamicReshape(allowzero=True), (x, shape), span=node.span)
    known = _axes(node) or ()
    rank = node.rank(0) + len(known)
    inserted = sorted({axis % rank for axis in known})
    shape = x.tensor_type.shape
    if ANY in shape:
        for axis in inserted:
            x = Call(ExpandDims(axis), (x,), span=node.span)
        return x
    rest = iter(shape)
    return reshape(x, [1 if i in inserted else next(rest) for i in range(rank)])


def _has_known_axes(node: OnnxNode) -> bool:
    """Whether the axes are integers that are known at import, and not computed from sizes."""
    return node.is_known(1) and is_static(node.dims(1, "the axes"))


def _axes(node: OnnxNode) -> Sequence[int] | None:
    if node.opset < 13:
        return node.attribute("axes")
    return node.ints(1, "the axes") if node.has(1) else None


@onnx_operator("Transpose")
def transpose(node: OnnxNode) -> Expr:
    """Translate `Transpose`."""
    permutation = node.attribute("perm")
    axes = None if permutation is None else tuple(permutation)
    return Call(Transpose(axes), (node.expr(0),), span=node.span)


@onnx_operator("Concat")
def concat(node: OnnxNode) -> Expr:
    """Translate `Concat`."""
    parts, axis = node.exprs(), node.required("axis")
    if len(parts) == 1:
        return parts[0]
    return Call(Concatenate(axis), (Tuple(tuple(parts)),), span=node.span)


@onnx_operator("Shape")
def shape(node: OnnxNode) -> Expr:
    """Translate `Shape`: the sizes, or a range of them, as int64."""
    whole = Call(ShapeOf(int64), (node.expr(0),), span=node.span)
    rank = node.rank(0)
    first, last, _ = slice(node.attribute("start", 0), node.attribute("end")).indices(rank)
    if (first, last) == (0, rank):
        return whole
    return Call(StridedSlice(begin=(first,), end=(max(first, last),)), (whole,), span=node.span)


@onnx_operator("Size")
def size(node: OnnxNode) -> Expr:
    """Translate `Size`: the number of elements as int64, as the product of the shape."""
    return Call(Prod(), (Call(ShapeOf(int64), (node.expr(0),)),), span=node.span)


@onnx_operator("Expand")
def expand(node: OnnxNode) -> Expr:
    """Translate `Expand`: broadcast in both directions."""
    x = node.expr(0)
    own = x.tensor_type.shape
    if not node.is_known(1) or ANY in own:
        return _expanded_at_run_time(node, x)
    wanted = node.dims(1, "the shape")
    rank = max(len(wanted), len(own))
    mine, theirs = ((1,) * (rank - len(each)) + each for each in (own, wanted))
    if any(map(_may_broadcast, mine, theirs)):
        return _expanded_at_run_time(node, x)
    target = tuple(a if b == 1 else b for a, b in zip(mine, theirs, strict=True))
    return x if target == own else Call(BroadcastTo(target), (x,), span=node.span)


def _may_broadcast(a: Dim, b: Dim) -> bool:
    """Whether only run time decides if two sizes are equal, or one of them is 1."""
    is_known = isinstance(a, int) and isinstance(b, int)
    return not is_known and a != b and 1 not in (a, b)


def _expanded_at_run_time(node: OnnxNode, x: Expr) -> Expr:
    (count,) = node.type(1).shape
    wanted = numbers(node, 1, None if is_static((count,)) else node.declared_rank(0))
    return Call(DynamicBroadcastTo(), (x, _broadcast(x, wanted)), span=node.span)


def _broadcast(x: Expr, wanted: Expr) -> Expr:
    """Return the shape to which a tensor and the shape `wanted` broadcast, as a vector."""
    own = sizes_of(x)
    rank = max(length(own), length(wanted))
    ones = Constant(np.ones(rank, np.int64))
    own, wanted = (joined(part(ones, length(each), rank), each) for each in (own, wanted))
    return Call(Where(), (equal(wanted, constant(1, int64)), own, wanted))


@onnx_operator("Tile")
def tile(node: OnnxNode) -> Expr:
    """Translate `Tile`: repeat the whole tensor along each axis."""
    x = node.expr(0)
    if not node.is_known(1):
        return Call(DynamicTile(), (x, numbers(node, 1, node.rank(0))), span=node.span)
    return Call(Tile(node.dims(1, "the repeats")), (x,), span=node.span)


@onnx_operator("Trilu")
@onnx_operator("Trilu", domain=MICROSOFT)
def trilu(node: OnnxNode) -> Expr:
    """Translate `Trilu`: keep the upper or the lower triangle of matrices."""
    offset = node.expr(1) if node.has(1) else constant(0, int64)
    return Call(Trilu(bool(node.attribute("upper", 1))), (node.expr(0), offset), span=node.span)


@onnx_operator("ReverseSequence")
def reverse_sequence(node: OnnxNode) -> Expr:
    """Translate `ReverseSequence`: reverse the first elements of each sequence, by length."""
    op = ReverseSequence(seq_axis=node.attribute("time_axis", 0),
                         batch_axis=node.attribute("batch_axis", 1))  # fmt: skip
    return Call(op, (node.expr(0), node.expr(1)), span=node.span)
