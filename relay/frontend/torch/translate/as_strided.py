"""Translate `as_strided`: views that address the memory of a tensor by strides."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.node_errors import static_size, static_sizes
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.shapes import reshaped, transposed
from relay.ir.dims import Dim, is_static, product
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.tensor.gather import Take
from relay.ops.tensor.scatter import ScatterElements
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError


@torch_operator("as_strided", "as_strided_copy")
def as_strided(node: TorchNode) -> Expr:
    """Translate `as_strided`: read the memory of a tensor with other sizes and strides.

    1. The tensor is permuted into the order of its memory.
    2. If the result contains each element once, it is a reshape and a permutation of that.
    3. Otherwise rows are looked up by indices; leading axes that tensor and result share are kept,
       such as a batch of symbolic size.

    Raises `F030` unless the tensor fills a contiguous part of PyTorch's memory that contains all
    elements that are read, and `F032` for sizes that must be static.
    """
    x, begin = _in_memory_order(node)
    sizes, strides = node.dims("size"), node.ints("stride")
    offset = node.integer("storage_offset") - begin if "storage_offset" in node else 0
    order = sorted(range(len(sizes)), key=lambda axis: -strides[axis])
    ordered = [sizes[axis] for axis in order]
    is_whole = product(sizes) == product(x.tensor_type.shape) and not offset
    if is_whole and _is_dense(ordered, [strides[axis] for axis in order]):
        return transposed(reshaped(x, ordered), [order.index(i) for i in range(len(order))])
    return _looked_up(node, x, sizes, strides, offset)


@torch_operator("as_strided_scatter")
@torch_operator("as_strided_scatter", namespace="prims")
def as_strided_scatter(node: TorchNode) -> Expr:
    """Write to the memory of a tensor, with the sizes and strides of another view of it."""
    x, begin = _in_memory_order(node)
    sizes, strides = node.ints("size"), node.ints("stride")
    offset = node.integer("storage_offset") - begin if "storage_offset" in node else 0
    count = product(x.tensor_type.shape)
    if offset < 0 or not isinstance(count, int) or _last(sizes, strides, offset) >= count:
        raise _unsupported(node, "as_strided_scatter would write outside of the tensor's memory")
    places = _places(list(zip(sizes, strides, strict=True)), offset)
    flat = reshaped(x, (count,))
    values = reshaped(node.tensor("src"), (places.size,))
    written = Call(ScatterElements(0), (flat, Constant(places.reshape(-1)), values), span=node.span)
    memory = node.memory()
    assert memory is not None, "the order of memory was found"
    axes = static_sizes(memory.strides)
    order = sorted(range(len(axes)), key=lambda axis: -axes[axis])
    whole = reshaped(written, x.tensor_type.shape)
    return transposed(whole, [order.index(i) for i in range(len(order))])


def _in_memory_order(node: TorchNode) -> tuple[Expr, int]:
    """Return a tensor permuted into memory order, and the offset of its first element."""
    x, memory = node.tensor("self"), node.memory()
    if memory is None:
        raise _unsupported(node, "the strides of the tensor are not known at compile time")
    strides = memory.strides
    if not is_static((*strides, memory.offset)):
        raise node.dynamic("the strides", *strides)
    order = sorted(range(len(strides)), key=lambda axis: -static_sizes(strides)[axis])
    moved = transposed(x, order)
    if not _is_dense(moved.tensor_type.shape, [static_sizes(strides)[axis] for axis in order]):
        raise _unsupported(node, f"the tensor, with the strides {strides}, has gaps in memory")
    return moved, static_size(memory.offset)


def _looked_up(
    node: TorchNode, x: Expr, sizes: Sequence[Dim], strides: Sequence[int], offset: int
) -> Expr:
    """Return the result by looking up rows of the tensor by their indices."""
    shape = x.tensor_type.shape
    kept = _common_axes(shape, sizes, strides, offset)
    rest, block = tuple(sizes[kept:]), product(shape[kept:])
    if not is_static((*rest, block)):
        raise node.dynamic("the sizes of the view and of its tensor", *rest, block)
    size, *lengths = static_sizes((block, *rest))
    if offset < 0 or _last(lengths, strides[kept:], offset) >= size:
        raise _unsupported(node, "the view would read outside of the tensor's memory")
    inner = _row(lengths, strides[kept:], (offset, size))
    outer = [(s, t) for s, t in zip(lengths, strides[kept:], strict=True) if t % inner == 0]
    rows = reshaped(x, (*shape[:kept], size // inner, inner))
    places = _places([(s, t // inner) for s, t in outer], offset // inner)
    return reshaped(Call(Take(axis=kept), (rows, Constant(places)), span=node.span), sizes)


def _common_axes(
    shape: Sequence[Dim], sizes: Sequence[Dim], strides: Sequence[int], offset: int
) -> int:
    """Return the number of leading axes that the result shares with the tensor's memory."""
    own, count = _contiguous(shape), 0
    for axis, (old, new) in enumerate(zip(shape, sizes, strict=False)):
        if old != new or own[axis] != strides[axis]:
            break
        rest = tuple(sizes[axis + 1 :])
        if not is_static((*rest, own[axis])):
            continue
        (row,) = static_sizes((own[axis],))
        if _last(static_sizes(rest), strides[axis + 1 :], offset) < row:
            count = axis + 1
    return count


def _row(sizes: Sequence[int], strides: Sequence[int], others: Sequence[int]) -> int:
    """Return the length of the longest contiguous rows that the result consists of."""
    best = 1
    for count in range(1, len(sizes) + 1):
        length = product(sizes[-count:])
        if not _is_dense(sizes[-count:], strides[-count:]):
            break
        apart = (*strides[:-count], *others)
        if isinstance(length, int) and length > 0 and all(each % length == 0 for each in apart):
            best = length
    return best


def _last(sizes: Sequence[int], strides: Sequence[int], offset: int) -> int:
    """Return the last offset in memory that is read."""
    return offset + sum((size - 1) * step for size, step in zip(sizes, strides, strict=True))


def _places(axes: Sequence[tuple[int, int]], first: int) -> Array:
    """Return the memory offsets that `axes`, pairs of size and stride, address from `first` on."""
    found = np.asarray(first, np.int64)
    for size, stride in axes:
        found = found[..., None] + np.arange(size, dtype=np.int64) * stride
    return found


def _contiguous(shape: Sequence[Dim]) -> list[Dim]:
    return [product(shape[axis + 1 :]) for axis in range(len(shape))]


def _is_dense(shape: Sequence[Dim], strides: Sequence[int]) -> bool:
    """Whether strides are contiguous, apart from the strides of axes of size 1."""
    triples = zip(shape, _contiguous(shape), strides, strict=True)
    return all(wanted == found for size, wanted, found in triples if size != 1)


def _unsupported(node: TorchNode, problem: str) -> RelayImportError:
    help_ = "use unfold, transpose or expand instead, or export the model with torch.export"
    return node.error(ErrorCode.F030, problem, help=help_)
