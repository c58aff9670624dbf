"""Translate PyTorch operators that reshape, permute, broadcast, join or split tensors."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from relay.frontend.builders.complex_tensor import conjugate
from relay.frontend.builders.size_expressions import numbers_below, size_number
from relay.frontend.builders.tensor_helpers import converted, reshape
from relay.frontend.torch.node import NOTHING, Argument, TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.type_promotion import common_dtype
from relay.ir.dims import ANY, Dim, product
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ops.binary import FloorMod, add, subtract
from relay.ops.broadcasting import BroadcastTo, BroadcastToLike
from relay.ops.cast import Reinterpret
from relay.ops.tensor.concat_and_split import Concatenate, Split, Stack
from relay.ops.tensor.dynamic_shapes import DynamicBroadcastTo, DynamicReshape
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import ExpandDims, Reshape, ReshapeLike, Squeeze
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.tile_and_repeat import Tile
from relay.ops.tensor.transpose import Reverse, Transpose
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode


@torch_operator("view", "reshape", "_unsafe_view", "view_copy", "_reshape_copy", "_reshape_alias")
def view(node: TorchNode) -> Expr:
    """Translate `view` and `reshape`; with an element type, `view` reinterprets bits."""
    x = node.tensor("self")
    dtype = node.dtype()
    if dtype is not None:
        if dtype.bits != x.tensor_type.dtype.bits:
            raise node.error(
                ErrorCode.F030,
                "a view as an element type with another number of bits is not supported",
            )
        return Call(Reinterpret(dtype), (x,), span=node.span)
    node.ignore("stride")
    name = "shape" if "shape" in node.arguments else "size"
    if node.is_run_time(name):
        return _reshaped_at_run_time(node, x, name)
    return reshaped(x, node.dims(name))


def _reshaped_at_run_time(node: TorchNode, x: Expr, name: str) -> Expr:
    """Reshape to sizes of which some are known only at run time; one may be inferred."""
    known = with_known_sizes(node, x, name)
    if known is not x:
        return known
    return Call(DynamicReshape(), (x, node.vector(name)), span=node.span)


def with_known_sizes(node: TorchNode, x: Expr, name: str) -> Expr:
    """Reshape to sizes of which one is known only at run time; the type has the others."""
    places = [node.size_or_none(each) for each in node.sequence(name)]
    if places.count(None) != 1 or -1 in places:
        return x
    codes = tuple(-1 if size is None else size for size in places)
    return Call(Reshape(codes, allowzero=True), (x,), span=node.span)


def reshaped(x: Expr, wanted: Sequence[Dim]) -> Expr:
    """Return a reshaped tensor; a size of -1 is inferred."""
    shape = x.tensor_type.shape
    if tuple(wanted) == shape:
        return x
    if list(wanted).count(ANY) == 1 and -1 not in wanted:  # the only unknown size is inferred
        wanted = tuple(-1 if dim is ANY else dim for dim in wanted)
    if ANY in shape:
        return Call(Reshape(tuple(wanted), allowzero=True), (x,), span=x.span)
    if -1 in wanted:
        rest = product(dim for dim in wanted if dim != -1)
        inferred = 0 if rest == 0 else product(shape) // rest
        wanted = tuple(inferred if dim == -1 else dim for dim in wanted)
    return reshape(x, wanted)


@torch_operator("flatten", "ravel")
def flatten(node: TorchNode) -> Expr:
    """Translate `flatten`: merge a range of axes."""
    x = node.tensor("self")
    shape = x.tensor_type.shape
    if not shape:
        node.ignore("start_dim", "end_dim")
        return reshape(x, (1,))
    given = "start_dim" in node
    first = node.integer("start_dim") % len(shape) if given else 0
    last = node.integer("end_dim") % len(shape) if given else len(shape) - 1
    if ANY in shape:
        for _ in range(first, last):  # two axes are merged, and the others stay
            x = Call(Reshape((*[0] * first, -3, -2)), (x,), span=node.span)
        return x
    return reshaped(x, (*shape[:first], product(shape[first : last + 1]), *shape[last + 1 :]))


@torch_operator("unflatten")
def unflatten(node: TorchNode) -> Expr:
    """Translate `unflatten`: split one axis into several."""
    x, sizes = node.tensor("self"), node.dims("sizes")
    node.ignore("names")
    shape = x.tensor_type.shape
    axis = node.integer("dim") % len(shape)
    if ANY in shape:
        return Call(Reshape((*[0] * axis, *sizes, -2)), (x,), span=node.span)
    if -1 in sizes:
        rest = product(dim for dim in sizes if dim != -1)
        sizes = tuple(shape[axis] // rest if dim == -1 else dim for dim in sizes)
    return reshaped(x, (*shape[:axis], *sizes, *shape[axis + 1 :]))


@torch_operator("squeeze", "squeeze_copy")
def squeeze(node: TorchNode) -> Expr:
    """Translate `squeeze`: remove axes of size 1, all or the listed ones."""
    x = node.tensor("self")
    shape = x.tensor_type.shape
    given = range(len(shape)) if node.value("dim") is None else node.ints("dim")
    dropped = [axis % len(shape) for axis in given if shape and shape[axis] == 1]
    if ANY in shape:
        return Call(Squeeze(tuple(sorted(dropped))), (x,), span=node.span) if dropped else x
    return reshaped(x, [dim for axis, dim in enumerate(shape) if axis not in dropped])


@torch_operator("unsqueeze", "unsqueeze_copy")
def unsqueeze(node: TorchNode) -> Expr:
    """Translate `unsqueeze`: insert an axis of size 1, numbered as in the result."""
    x, axis = node.tensor("self"), node.integer("dim")
    shape = list(x.tensor_type.shape)
    axis %= len(shape) + 1
    if ANY in shape:
        return Call(ExpandDims(axis), (x,), span=node.span)
    return reshape(x, (*shape[:axis], 1, *shape[axis:]))


@torch_operator("permute", "permute_copy")
def permute(node: TorchNode) -> Expr:
    """Translate `permute`."""
    x, axes = node.tensor("self"), node.ints("dims")
    return transposed(x, [axis % len(axes) for axis in axes])


@torch_operator(
    "transpose", "transpose_copy", "t", "t_copy", "numpy_T", "mT", "adjoint", "matrix_H", "swapaxes"
)
def transpose(node: TorchNode) -> Expr:
    """Translate `transpose` of two axes, `t` of a matrix, and conjugate transposes."""
    x = node.tensor("self")
    x = conjugate(x) if node.operator in ("adjoint", "matrix_H") else x
    rank = x.tensor_type.rank
    axes = list(range(rank))
    if node.operator == "numpy_T":
        return transposed(x, axes[::-1])
    if rank < 2:
        node.ignore("dim0", "dim1")
        return x
    names = ("axis0", "axis1") if "axis0" in node else ("dim0", "dim1")
    a, b = (node.integer(name) for name in names) if names[0] in node else (-2, -1)
    axes[a], axes[b] = axes[b], axes[a]
    return transposed(x, axes)


def transposed(x: Expr, axes: Sequence[int]) -> Expr:
    """Return a tensor with permuted axes; a constant is transposed without a copy."""
    if list(axes) == list(range(len(axes))):
        return x
    if isinstance(x, Constant):
        return Constant(x.array.transpose(axes), span=x.span)
    return Call(Transpose(tuple(axes)), (x,), span=x.span)


@torch_operator("movedim", "moveaxis")
def movedim(node: TorchNode) -> Expr:
    """Translate `movedim`: move axes to other positions; the others keep their order."""
    x = node.tensor("self")
    rank = x.tensor_type.rank
    source = [axis % rank for axis in node.ints("source")]
    target = [axis % rank for axis in node.ints("destination")]
    rest = iter(axis for axis in range(rank) if axis not in source)
    to = dict(zip(target, source, strict=True))
    return transposed(x, [to[i] if i in to else next(rest) for i in range(rank)])


@torch_operator("expand", "expand_copy", "broadcast_to")
def expand(node: TorchNode) -> Expr:
    """Translate `expand`: broadcast axes of size 1; -1 keeps a size."""
    x = node.tensor("self")
    if node.is_run_time("size"):
        whole = Call(DynamicBroadcastTo(), (x, node.vector("size")), span=node.span)
        return with_known_sizes(node, whole, "size")
    wanted = node.dims("size")
    own = x.tensor_type.shape
    own = (1,) * (len(wanted) - len(own)) + own
    target = tuple(a if b == -1 else b for a, b in zip(own, wanted, strict=True))
    return broadcast(x, target)


def broadcast(x: Expr, shape: Sequence[Dim]) -> Expr:
    """Return a tensor broadcast to a shape."""
    same = x.tensor_type.shape == tuple(shape)
    return x if same else Call(BroadcastTo(tuple(shape)), (x,), span=x.span)


@torch_operator("copy")
def copy(node: TorchNode) -> Expr:
    """Translate `copy`: the source in the shape and element type of the destination."""
    ty = node.type("self")
    return broadcast(converted(node.tensor("src"), ty.dtype), ty.shape)


@torch_operator("meshgrid")
def meshgrid(node: TorchNode) -> Sequence[Expr]:
    """Translate `meshgrid`: the coordinates of a grid, one tensor per vector."""
    vectors = [reshaped(x, (-1,)) for x in node.tensors("tensors")]
    swap = node.value("indexing") == "xy" and len(vectors) > 1
    order = [1, 0, *range(2, len(vectors))] if swap else list(range(len(vectors)))
    shape = [vectors[i].tensor_type.shape[0] for i in order]
    places = [order.index(i) for i in range(len(vectors))]
    ones = [[1] * place + [-1] + [1] * (len(shape) - place - 1) for place in places]
    return [broadcast(reshaped(x, one), shape) for x, one in zip(vectors, ones, strict=True)]


@torch_operator("expand_as", "view_as", "reshape_as")
def like_other(node: TorchNode) -> Expr:
    """Translate operators that change one tensor to the shape of another."""
    x, shape = node.tensor("self"), node.type("other").shape
    if ANY in shape:
        op = BroadcastToLike() if node.operator == "expand_as" else ReshapeLike()
        return Call(op, (x, node.tensor("other")), span=node.span)
    return broadcast(x, shape) if node.operator == "expand_as" else reshaped(x, shape)


@torch_operator("broadcast_tensors")
def broadcast_tensors(node: TorchNode) -> Sequence[Expr]:
    """Translate `broadcast_tensors`."""
    parts = node.tensors("tensors")
    return to_common_shape(parts)


def to_common_shape(parts: Sequence[Expr]) -> list[Expr]:
    """Return tensors broadcast to their common shape."""
    shape = common_shape([each.tensor_type.shape for each in parts])
    whole = next((each for each in parts if each.tensor_type.shape == shape), None)
    if ANY not in shape or whole is None:
        return [broadcast(each, shape) for each in parts]
    return [
        each if each.tensor_type.shape == shape else Call(BroadcastToLike(), (each, whole))
        for each in parts
    ]


def common_shape(shapes: Sequence[Sequence[Dim]]) -> tuple[Dim, ...]:
    """Return the shape to which shapes broadcast; symbolic sizes are assumed not to be 1."""
    rank = max(map(len, shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    columns = zip(*padded, strict=True)
    return tuple(next((size for size in column if size != 1), 1) for column in columns)


@torch_operator("cat", "concat", "concatenate")
def cat(node: TorchNode) -> Expr:
    """Translate `cat` in the common element type; empty vectors are ignored."""
    parts = node.tensors("tensors")
    dtype = common_dtype(parts)
    some = [x for x in parts if x.tensor_type.shape != (0,)] or parts[:1]
    axis = node.integer("dim")
    if len(some) == 1:
        return converted(some[0], dtype)
    parts = [converted(x, dtype) for x in some]
    return Call(Concatenate(axis), (Tuple(tuple(parts)),), span=node.span)


@torch_operator("stack")
def stack(node: TorchNode) -> Expr:
    """Translate `stack`: join tensors along a new axis, in the common element type."""
    parts = node.tensors("tensors")
    dtype = common_dtype(parts)
    parts = [converted(x, dtype) for x in parts]
    axis = node.integer("dim") % (parts[0].tensor_type.rank + 1)
    return Call(Stack(axis), (Tuple(tuple(parts)),), span=node.span)


@torch_operator("split", "split_with_sizes", "split_copy", "split_with_sizes_copy", "chunk",
                "unsafe_split", "unsafe_chunk", "unsafe_split_with_sizes",
                "tensor_split")  # fmt: skip
def split(node: TorchNode) -> Sequence[Expr]:
    """Translate `split` into listed sizes, parts of one size, or a number of parts."""
    node = _with_known_cuts(node)
    x, axis = node.tensor("self"), node.integer("dim")
    if "split_sizes" in node and node.is_run_time("split_sizes"):
        return _split_at_run_time(node, x, axis)
    count = _equal_parts(node, x.tensor_type.shape[axis])
    if count is not None:
        parts = Call(Split(count, axis), (x,), span=node.span)
        return [TupleGetItem(parts, index) for index in range(count)]
    cuts = _cuts(node, x.tensor_type.shape[axis])
    if not cuts:
        return [x]
    parts = Call(Split(tuple(cuts), axis), (x,), span=node.span)
    return [TupleGetItem(parts, index) for index in range(len(cuts) + 1)]


def _with_known_cuts(node: TorchNode) -> TorchNode:
    """Return a split whose cuts, or number of parts, are integers instead of a tensor.

    Raises `F022` if the tensor is not constant.
    """
    if _CUTS not in node:
        return node
    given = node.value(_CUTS)
    if not isinstance(given, Constant):
        raise node.error(ErrorCode.F022, f"{_CUTS} must be a constant, but is computed from data")
    name = "indices" if given.array.ndim else "sections"
    return replace(
        node, arguments={**node.arguments, name: Argument(given.array.tolist(), NOTHING)}
    )


_CUTS = "tensor_indices_or_sections"


def _split_at_run_time(node: TorchNode, x: Expr, axis: int) -> list[Expr]:
    """Return parts of an axis whose lengths are known only at run time."""
    parts: list[Expr] = []
    op, one = DynamicStridedSlice(axes=(axis,)), Constant(np.array([1]))
    begin: Expr = Constant(np.array([0]))
    for each in node.sequence("split_sizes"):
        size = converted(reshape(node.as_tensor(each, "each size in split_sizes"), (1,)), int64)
        end = add(begin, size)
        parts.append(Call(op, (x, begin, end, one), span=node.span))
        begin = end
    return parts


def _equal_parts(node: TorchNode, size: Dim) -> int | None:
    """Return the number of parts of a symbolic size that it divides by the type; None for others.

    For example, `2 * batch` has two equal parts for every batch size.
    """
    name = next((n for n in ("chunks", "sections") if n in node), None)
    if isinstance(size, int) or name is None:
        return None
    count = node.integer(name)
    return count if count > 0 and size is not ANY and size % count == 0 else None


def _cuts(node: TorchNode, size: Dim) -> list[int]:
    """Return the start of each part except the first; raises `F032` for dynamic sizes."""
    if "indices" in node:
        return list(node.ints("indices"))
    name = next(n for n in ("split_sizes", "split_size", "chunks", "sections") if n in node)
    sizes = node.ints(name)
    if isinstance(node.value(name), list | tuple):
        return [sum(sizes[: i + 1]) for i in range(len(sizes) - 1)]
    if not isinstance(size, int):
        raise node.dynamic("the size of the axis", size)
    (each,) = sizes
    if name == "sections":
        whole, more = divmod(size, each)
        return [i * whole + min(i, more) for i in range(1, each)]
    step = each if name != "chunks" else max(1, -(-size // each))
    return list(range(step, size, step)) if step else []


@torch_operator("unbind", "unbind_copy")
def unbind(node: TorchNode) -> Sequence[Expr]:
    """Translate `unbind`: the slices along an axis, which is removed."""
    x, axis = node.tensor("self"), node.integer("dim")
    shape = x.tensor_type.shape
    axis %= len(shape)
    size = shape[axis]
    if not isinstance(size, int):
        raise node.dynamic("the size of the axis", size)
    if size == 1:
        return [without_axis(x, axis)]
    parts = Call(Split(tuple(range(1, size)), axis), (x,), span=node.span) if size else x
    return [without_axis(TupleGetItem(parts, index), axis) for index in range(size)]


def without_axis(x: Expr, axis: int) -> Expr:
    """Return a tensor with an axis of size 1 removed."""
    shape = x.tensor_type.shape
    if ANY in shape:
        return Call(Squeeze((axis,)), (x,), span=x.span)
    return reshaped(x, (*shape[:axis], *shape[axis + 1 :]))


@torch_operator("repeat", "tile")
def repeat(node: TorchNode) -> Expr:
    """Translate `repeat`: repeat the whole tensor along each axis."""
    x = node.tensor("self")
    times = node.dims("repeats" if "repeats" in node.arguments else "dims")
    times = (1,) * (x.tensor_type.rank - len(times)) + times
    if not times:
        return x
    return Call(Tile(times), (x,), span=node.span)


@torch_operator("flip", "fliplr", "flipud")
def flip(node: TorchNode) -> Expr:
    """Translate `flip` of axes."""
    x = node.tensor("self")
    axes = {"fliplr": (1,), "flipud": (0,)}.get(node.operator) or node.ints("dims")
    for axis in axes:
        x = Call(Reverse(axis), (x,), span=node.span) if x.tensor_type.rank else x
    return x


@torch_operator("roll")
def roll(node: TorchNode) -> Expr:
    """Translate `roll`: rotate elements cyclically along axes."""
    x, shifts, axes = node.tensor("self"), node.dims("shifts"), node.ints("dims")
    shape = x.tensor_type.shape
    if not axes:
        return reshape(_rolled(node, reshaped(x, (-1,)), shifts[0], 0), shape)
    for shift, axis in zip(shifts, axes, strict=True):
        x = _rolled(node, x, shift, axis)
    return x


def _rolled(node: TorchNode, x: Expr, shift: Dim, axis: int) -> Expr:
    """Return a tensor rotated by `shift` along an axis: the last elements come first."""
    size = x.tensor_type.shape[axis]
    if size is ANY:
        raise node.dynamic("the size of the axis", size)
    if not isinstance(size, int) or not isinstance(shift, int):
        moved = subtract(numbers_below(size), size_number(shift))
        places = Call(FloorMod(), (moved, size_number(size)))
        return Call(Take(axis=axis), (x, places), span=x.span)
    shift = shift % size if size else 0
    if not shift:
        return x
    halves = Call(Split((size - shift,), axis), (x,), span=x.span)
    swapped = Tuple((TupleGetItem(halves, 1), TupleGetItem(halves, 0)))
    return Call(Concatenate(axis), (swapped,), span=x.span)


@torch_operator("pixel_shuffle", "pixel_unshuffle")
def pixel_shuffle(node: TorchNode) -> Expr:
    """Translate `pixel_shuffle` and its inverse: move channels to spatial blocks."""
    x = node.tensor("self")
    grows = node.operator == "pixel_shuffle"
    factor = node.integer("upscale_factor" if grows else "downscale_factor")
    shape = x.tensor_type.shape
    *leading, channels, height, width = shape
    square = factor * factor
    if grows:
        split_ = (*leading, channels // square, factor, factor, height, width)
        order, final = (0, 3, 1, 4, 2), (channels // square, height * factor, width * factor)
    else:
        split_ = (*leading, channels, height // factor, factor, width // factor, factor)
        order, final = (0, 2, 4, 1, 3), (channels * square, height // factor, width // factor)
    count = len(leading)
    axes = [*range(count), *(count + axis for axis in order)]
    return reshaped(transposed(reshaped(x, split_), axes), (*leading, *final))


@torch_operator("channel_shuffle", "native_channel_shuffle")
def channel_shuffle(node: TorchNode) -> Expr:
    """Translate `channel_shuffle`: interleave groups of channels."""
    x, groups = node.tensor("self"), node.integer("groups")
    batch, channels, *spatial = x.tensor_type.shape
    split_ = reshaped(x, (batch, groups, channels // groups, *spatial))
    axes = (0, 2, 1, *range(3, len(spatial) + 3))
    return reshaped(transposed(split_, axes), x.tensor_type.shape)
