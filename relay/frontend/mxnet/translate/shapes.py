"""Translate MXNet operators that reshape, slice, join, pad or reorder tensors."""

from collections.abc import Sequence

from relay.frontend.builders.tensor_helpers import constant, flattened, reshape
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.ir.dims import Dim
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ops.cast import Cast
from relay.ops.nn.pad import Pad
from relay.ops.nn.space_to_depth_and_batch import DepthToSpace, SpaceToDepth
from relay.ops.tensor.concat_and_split import Concatenate, Split, Stack
from relay.ops.tensor.one_hot_and_shape_of import OneHot
from relay.ops.tensor.reshape import ExpandDims, Reshape, ReverseReshape, Squeeze
from relay.ops.tensor.slice import SliceLike, StridedSlice
from relay.ops.tensor.tile_and_repeat import Repeat, Tile
from relay.ops.tensor.transpose import Reverse, Transpose
from relay.support.dtype import int32


@mxnet_operator("Flatten", "flatten")
def flatten(node: MxNode) -> Expr:
    """Translate `Flatten`: merge all axes except the batch."""
    return flattened(node.tensor(), 1)


@mxnet_operator("Reshape", "reshape")
def reshape_node(node: MxNode) -> Expr:
    """Translate `Reshape` with the codes 0, -1, -2, -3 and -4, optionally applied from the end."""
    node.ignore("keep_highest", "target_shape")
    codes, x = node.ints("shape"), node.tensor()
    if isinstance(x, Constant) and codes == (-1,):
        return Constant(x.array.reshape(-1), span=node.span)
    op = ReverseReshape(codes) if node.flag("reverse") else Reshape(codes)
    return Call(op, (x,), span=node.span)


@mxnet_operator("reshape_like")
def reshape_like(node: MxNode) -> Expr:
    """Translate `reshape_like`: reshape a tensor to the shape of another."""
    return reshape(node.tensor(), node.type(1).shape)


@mxnet_operator("expand_dims")
def expand_dims(node: MxNode) -> Expr:
    """Translate `expand_dims`, which adds an axis of size 1."""
    return Call(ExpandDims(node.integer("axis")), (node.tensor(),), span=node.span)


@mxnet_operator("squeeze")
def squeeze(node: MxNode) -> Expr:
    """Translate `squeeze`, which removes axes of size 1."""
    axes = node.ints("axis", ()) or None
    return Call(Squeeze(axes), (node.tensor(),), span=node.span)


@mxnet_operator("Concat", "concat")
def concatenate(node: MxNode) -> Expr:
    """Translate `Concat`."""
    op = Concatenate(node.integer("dim", 1))
    return Call(op, (Tuple(tuple(node.inputs)),), span=node.span)


@mxnet_operator("stack")
def stack(node: MxNode) -> Expr:
    """Translate `stack`: join tensors along a new axis."""
    return Call(Stack(node.integer("axis", 0)), (Tuple(tuple(node.inputs)),), span=node.span)


@mxnet_operator("SliceChannel", "split")
def split(node: MxNode) -> Sequence[Expr]:
    """Translate `SliceChannel`: split a tensor into equal parts along an axis."""
    count, axis = node.integer("num_outputs"), node.integer("axis", 1)
    parts = Call(Split(count, axis), (node.tensor(),), span=node.span)
    results: list[Expr] = [TupleGetItem(parts, index) for index in range(count)]
    if node.flag("squeeze_axis"):
        return [Call(Squeeze((axis,)), (each,)) for each in results]
    return results


@mxnet_operator("_split_v2", "_npi_hsplit", "_npi_dsplit")
def split_at(node: MxNode) -> Sequence[Expr]:
    """Translate `split` into sections of one size, or before indices, the first of which is 0."""
    default = {"_npi_hsplit": 1, "_npi_dsplit": 2}.get(node.op, 1)
    axis, count = node.integer("axis", default), node.integer("sections", 0)
    node.ignore("indices")
    cuts = count or node.ints("indices")[1:]
    if not cuts:
        return [node.tensor()]
    parts = Call(Split(cuts, axis), (node.tensor(),), span=node.span)
    results = [TupleGetItem(parts, index) for index in range(count or len(node.ints("indices")))]
    if node.flag("squeeze_axis"):
        return [Call(Squeeze((axis,)), (each,)) for each in results]
    return results


@mxnet_operator("slice_axis")
def slice_axis(node: MxNode) -> Expr:
    """Translate `slice_axis`: take a range of one axis."""
    size = node.type().shape[node.integer("axis")]
    begin, end = node.integer("begin"), size
    if "end" in node:
        end = node.integer("end")
    node.ignore("end")
    return _sliced(node, [(node.integer("axis"), begin, end, 1)])


@mxnet_operator("slice", "crop")
def slice_node(node: MxNode) -> Expr:
    """Translate `slice` with begin, end and stride for each axis."""
    ranges: list[tuple[int, Dim, Dim, int]] = []
    for axis, each in enumerate(slices_of(node)):
        size, step = node.type().shape[axis], each.step or 1
        if step > 0:
            ranges.append((axis, each.start or 0, size if each.stop is None else each.stop, step))
        elif isinstance(size, int):
            begin, end, _ = each.indices(size)
            ranges.append((axis, begin, end if end >= 0 else -size - 1, step))
        else:
            raise node.wrong("step")
    return _sliced(node, ranges)


def slices_of(node: MxNode) -> list[slice]:
    """Return the attributes begin, end and step as a slice of each axis; axes may be missing."""
    begins, ends = node.optional_ints("begin"), node.optional_ints("end")
    steps = node.optional_ints("step") or (None,) * len(begins)
    return [slice(*each) for each in zip(begins, ends, steps, strict=True)]


def _sliced(node: MxNode, ranges: Sequence[tuple[int, Dim, Dim, int]]) -> Expr:
    axes, begins, ends, steps = zip(*ranges, strict=True)
    op = StridedSlice(begins, ends, steps, axes=axes)
    return Call(op, (node.tensor(),), span=node.span)


@mxnet_operator("slice_like")
def slice_like(node: MxNode) -> Expr:
    """Translate `slice_like`: cut a tensor to the sizes of another, along some axes or all."""
    axes = node.ints("axes", ()) or None
    return Call(SliceLike(axes=axes), (node.tensor(), node.tensor(1)), span=node.span)


@mxnet_operator("Crop")
def crop(node: MxNode) -> Expr:
    """Translate `Crop`: crop images to a size or to that of another tensor.

    The crop is centred, or at an offset.
    """
    node.ignore("num_args")
    size: tuple[Dim, ...] = node.ints("h_w", (0, 0))
    if len(node.inputs) == 2:
        size = node.type(1).shape[2:]
    offset: Sequence[Dim] = node.ints("offset", (0, 0))
    if node.flag("center_crop"):
        old = node.type().shape[2:]
        offset = [(a - b) // 2 for a, b in zip(old, size, strict=True)]
    return _sliced(
        node, [(2 + i, b, b + s, 1) for i, (b, s) in enumerate(zip(offset, size, strict=True))]
    )


@mxnet_operator("Pad", "pad")
def pad(node: MxNode) -> Expr:
    """Translate `Pad`: with a constant, the edge elements, or a reflection at the edge."""
    widths, mode = node.ints("pad_width"), node.text("mode")
    if mode not in ("constant", "edge", "reflect"):
        raise node.wrong("mode")
    pairs = tuple(zip(widths[::2], widths[1::2], strict=True))
    fill = constant(node.number("constant_value", 0.0), node.type().dtype)
    return Call(Pad(pairs, mode), (node.tensor(), fill), span=node.span)


@mxnet_operator("SwapAxis", "swapaxes")
def swap_axes(node: MxNode) -> Expr:
    """Translate `SwapAxis`."""
    axes = list(range(node.type().rank))
    first, second = node.integer("dim1", 0), node.integer("dim2", 0)
    axes[first], axes[second] = axes[second], axes[first]
    return Call(Transpose(tuple(axes)), (node.tensor(),), span=node.span)


@mxnet_operator("tile")
def tile(node: MxNode) -> Expr:
    """Translate `tile`: repeat the whole tensor along its axes."""
    return Call(Tile(node.ints("reps")), (node.tensor(),), span=node.span)


@mxnet_operator("repeat")
def repeat(node: MxNode) -> Expr:
    """Translate `repeat`: repeat each element along an axis, or in the flattened tensor."""
    count = node.integer("repeats")
    if "axis" not in node:
        node.ignore("axis")
        return Call(Repeat(count, 0), (reshape(node.tensor(), (-1,)),), span=node.span)
    return Call(Repeat(count, node.integer("axis")), (node.tensor(),), span=node.span)


@mxnet_operator("reverse", "flip")
def reverse(node: MxNode) -> Expr:
    """Translate `reverse`: reverse the order of elements along axes."""
    result = node.tensor()
    for axis in node.ints("axis"):
        result = Call(Reverse(axis), (result,), span=node.span)
    return result


@mxnet_operator("one_hot")
def one_hot(node: MxNode) -> Expr:
    """Translate `one_hot` with the numbers `on_value` and `off_value`."""
    element = node.dtype()
    on, off = (
        constant(node.number(name, default), element)
        for name, default in (("on_value", 1.0), ("off_value", 0.0))
    )
    index = Call(Cast(int32), (node.tensor(),))
    op = OneHot(node.integer("depth"), -1, element)
    return Call(op, (index, on, off), span=node.span)


@mxnet_operator("depth_to_space", "space_to_depth")
def shuffle(node: MxNode) -> Expr:
    """Translate `depth_to_space` and `space_to_depth`."""
    cls = DepthToSpace if node.op == "depth_to_space" else SpaceToDepth
    return Call(cls(node.integer("block_size")), (node.tensor(),), span=node.span)
