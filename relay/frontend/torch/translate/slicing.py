"""Translate PyTorch slices, writes of slices into a copy, and diagonals."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.size_expressions import numbers_below
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.shapes import (
    broadcast,
    reshaped,
    transposed,
    without_axis,
)
from relay.ir.dims import ANY, Dim, maximum
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.binary import add, multiply
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.gather import GatherND, Take
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.triangles_masks_diagonals import Trilu
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode

_TO_THE_END = 2**62


@torch_operator("slice", "slice_copy")
def slice_node(node: TorchNode) -> Expr:
    """Translate `slice`: a range of an axis, clamped to it."""
    x, axis = node.tensor("self"), node.integer("dim")
    if node.is_run_time("start") or node.is_run_time("end"):
        return _sliced_at_run_time(node, x, axis)
    begin, end, step = _range(node, x.tensor_type.shape[axis])
    if (begin, end, step) in ((0, x.tensor_type.shape[axis], 1), (0, _TO_THE_END, 1)):
        return x
    op = StridedSlice((begin,), (end,), (step,), axes=(axis,))
    return Call(op, (x,), span=node.span)


def _sliced_at_run_time(node: TorchNode, x: Expr, axis: int) -> Expr:
    """Slice a range whose bounds are known only at run time."""
    ends = [
        node.value(name) if name in node else default
        for name, default in (("start", 0), ("end", _TO_THE_END))
    ]
    vectors = [
        converted(reshape(node.as_tensor(each, "a bound of the slice"), (1,)), int64)
        for each in (*ends, node.integer("step"))
    ]
    return Call(DynamicStridedSlice(axes=(axis,)), (x, *vectors), span=node.span)


def _range(node: TorchNode, size: Dim) -> tuple[Dim, Dim, int]:
    """Return a range in the form of Relay's slice operator.

    A range without elements becomes an empty range instead of an error.
    """
    start, end, step = node.value("start"), node.value("end"), node.integer("step")
    first = 0 if start is None else node.dim("start")
    last = size if end is None else node.dim("end")
    if isinstance(size, int) and isinstance(first, int) and isinstance(last, int):
        low, high, _ = slice(first, last).indices(size)
        return (low, max(low, high), step)
    if isinstance(last, int) and last >= _TO_THE_END:
        last = size
    if size is ANY:  # bounds below 0 count from the end at run time, and all are clamped
        return first, _TO_THE_END if last is ANY else last, step
    last = size + last if isinstance(last, int) and last < 0 else last
    first = maximum(size + first, 0) if isinstance(first, int) and first < 0 else first
    return first, last, step


@torch_operator("select", "select_copy")
def select(node: TorchNode) -> Expr:
    """Translate `select`: the slice at one index of an axis, which is removed."""
    x, axis = node.tensor("self"), node.integer("dim")
    found = node.value("index")
    if isinstance(found, Expr) and not isinstance(found, Constant):
        return Call(Take(axis=axis, mode="raise"), (x, found), span=node.span)
    index = node.dim("index")
    size = x.tensor_type.shape[axis]
    if size is ANY and isinstance(index, int):
        place = constant(index, int64)
        place = add(size_of(x, axis), place) if index < 0 else place
        return Call(Take(axis=axis, mode="raise"), (x, place), span=node.span)
    begin = index + size if isinstance(index, int) and index < 0 else index
    part = Call(StridedSlice((begin,), (begin + 1,), axes=(axis,)), (x,), span=node.span)
    return without_axis(part, axis % part.tensor_type.rank)


@torch_operator("narrow", "narrow_copy")
def narrow(node: TorchNode) -> Expr:
    """Translate `narrow`: a number of elements from a start index."""
    x, axis = node.tensor("self"), node.integer("dim")
    if node.is_run_time("start") or node.is_run_time("length"):
        return _narrowed_at_run_time(node, x, axis)
    begin, length = node.dim("start"), node.dim("length")
    size = x.tensor_type.shape[axis]
    begin = begin + size if isinstance(begin, int) and begin < 0 else begin
    op = StridedSlice((begin,), (begin + length,), axes=(axis,))
    return Call(op, (x,), span=node.span)


def _narrowed_at_run_time(node: TorchNode, x: Expr, axis: int) -> Expr:
    """Take a number of elements from a start index that are known only at run time."""
    start = converted(reshape(node.tensor("start"), (1,)), int64)
    end = add(start, converted(reshape(node.tensor("length"), (1,)), int64))
    op = DynamicStridedSlice(axes=(axis,))
    return Call(op, (x, start, end, Constant(np.ones(1, np.int64))), span=node.span)


@torch_operator("slice_scatter")
def slice_scatter(node: TorchNode) -> Expr:
    """Translate `slice_scatter`: replace a range of an axis by another tensor."""
    x, source, axis = node.tensor("self"), node.tensor("src"), node.integer("dim")
    begin, end, step = _range(node, x.tensor_type.shape[axis])
    return written(node, x, source, axis, (begin, end, step))


@torch_operator("select_scatter")
def select_scatter(node: TorchNode) -> Expr:
    """Translate `select_scatter`: replace the slice at one index of an axis."""
    x, axis, index = node.tensor("self"), node.integer("dim"), node.dim("index")
    shape = x.tensor_type.shape
    axis %= len(shape)
    begin = index + shape[axis] if isinstance(index, int) and index < 0 else index
    source = reshaped(node.tensor("src"), (*shape[:axis], 1, *shape[axis + 1 :]))
    return written(node, x, source, axis, (begin, begin + 1, 1))


def written(node: TorchNode, x: Expr, source: Expr, axis: int, part: tuple[Dim, Dim, int]) -> Expr:
    """Return `x` with the range `part` of an axis replaced by `source`.

    Contiguous ranges use concatenation, strided ranges a scatter; both need a static range, unless
    it is the whole axis.
    """
    begin, end, step = part
    size = x.tensor_type.shape[axis]
    source = converted(source, x.tensor_type.dtype)
    if (begin, end, step) == (0, size, 1):
        return source
    if step == 1:
        before = Call(StridedSlice((0,), (begin,), axes=(axis,)), (x,))
        behind = Call(StridedSlice((end,), (size,), axes=(axis,)), (x,))
        parts = [before, source, behind]
        some = [each for each in parts if each.tensor_type.shape[axis] != 0] or [x]
        return some[0] if len(some) == 1 else Call(Concatenate(axis), (Tuple(tuple(some)),))
    if not (isinstance(begin, int) and isinstance(end, int)):
        raise node.error(
            ErrorCode.F032,
            "an assigned range with a step must have bounds and a size that are known at "
            "compile time",
        )
    places = Constant(np.arange(begin, end, step).reshape(1, -1))
    order = _to_front(x.tensor_type.rank, [axis])
    moved = Call(
        ScatterND(), (transposed(x, order), places, transposed(source, order)), span=node.span
    )
    return transposed(moved, _inverse(order))


def _to_front(rank: int, axes: Sequence[int]) -> list[int]:
    """Return the permutation that moves the listed axes to the front."""
    first = [axis % rank for axis in axes]
    return [*first, *(axis for axis in range(rank) if axis not in first)]


def _inverse(order: Sequence[int]) -> list[int]:
    return [order.index(axis) for axis in range(len(order))]


@torch_operator("diagonal", "diagonal_copy")
def diagonal(node: TorchNode) -> Expr:
    """Translate `diagonal`: the diagonals over two axes become the last axis."""
    x, offset = node.tensor("self"), node.integer("offset")
    rank = x.tensor_type.rank
    axes = [node.integer("dim1") % rank, node.integer("dim2") % rank]
    moved = transposed(x, _to_front(rank, axes))
    rows, columns, *rest = moved.tensor_type.shape
    places = _diagonal(node, rows, columns, offset)
    found = Call(GatherND(), (moved, places), span=node.span)
    return transposed(found, [*range(1, len(rest) + 1), 0])


def _diagonal(node: TorchNode, rows: Dim, columns: Dim, offset: int) -> Expr:
    """Return the indices of a matrix's diagonal: row numbers, then column numbers.

    Raises `F032` for a matrix of symbolic sizes that is not square.
    """
    down, right = max(0, -offset), max(0, offset)
    if isinstance(rows, int) and isinstance(columns, int):
        count: Dim = max(0, min(rows - down, columns - right))
    elif rows == columns and rows is not ANY:
        count = maximum(rows - abs(offset), 0)
    else:
        raise node.dynamic("the sizes of the matrix", rows, columns)
    starts = Constant(np.array([[down], [right]], np.int64))
    return add(numbers_below(count), starts)


@torch_operator("diagonal_scatter")
def diagonal_scatter(node: TorchNode) -> Expr:
    """Translate `diagonal_scatter`: replace diagonals by another tensor."""
    x, source, offset = node.tensor("self"), node.tensor("src"), node.integer("offset")
    rank = x.tensor_type.rank
    order = _to_front(rank, [node.integer("dim1") % rank, node.integer("dim2") % rank])
    moved = transposed(x, order)
    rows, columns, *rest = moved.tensor_type.shape
    values = transposed(source, [len(rest), *range(len(rest))])
    places = _diagonal(node, rows, columns, offset)
    return transposed(Call(ScatterND(), (moved, places, values), span=node.span), _inverse(order))


@torch_operator("diag_embed", "diag")
def diag_embed(node: TorchNode) -> Expr:
    """Translate `diag_embed` and `diag`: a vector as the diagonal of a zero matrix.

    `diag` of a matrix returns its diagonal.
    """
    x = node.tensor("self")
    if node.operator == "diag" and x.tensor_type.rank == 2:
        places = _diagonal(node, *x.tensor_type.shape, offset=node.integer("diagonal"))
        return Call(GatherND(), (x, places), span=node.span)
    offset = node.integer("diagonal" if node.operator == "diag" else "offset")
    *rest, count = x.tensor_type.shape
    if count is ANY:
        raise node.dynamic("the size of the diagonal", count)
    size = count + abs(offset)
    zeros = broadcast(constant(0, x.tensor_type.dtype), (size, size, *rest))
    places = _diagonal(node, size, size, offset)
    values = transposed(x, [len(rest), *range(len(rest))])
    made = Call(ScatterND(), (zeros, places, values), span=node.span)
    if node.operator == "diag":
        return made
    rank = len(rest) + 2
    axes = [node.integer("dim1") % rank, node.integer("dim2") % rank]
    return transposed(made, _inverse(_to_front(rank, axes)))


@torch_operator("triu", "tril")
def triangle(node: TorchNode) -> Expr:
    """Translate `triu` and `tril`: keep one triangle of matrices."""
    offset = converted(node.tensor("diagonal"), int64)
    op = Trilu(upper=node.operator == "triu")
    return Call(op, (node.tensor("self"), offset), span=node.span)


@torch_operator("unfold")
def unfold(node: TorchNode) -> Expr:
    """Translate `unfold`: windows of an axis, whose elements become a new last axis."""
    x, axis = node.tensor("self"), node.integer("dimension")
    size, step = node.integer("size"), node.integer("step")
    rank = x.tensor_type.rank
    if not rank:
        return reshape(x, (1,)) if size else broadcast(x, (0,))
    axis %= rank
    whole = x.tensor_type.shape[axis]
    if isinstance(whole, int):
        starts = np.arange(0, whole - size + 1, step).reshape(-1, 1)
        places: Expr = Constant(starts + np.arange(size))
    elif whole is ANY:
        raise node.dynamic("the size of the axis", whole)
    else:
        count = (whole - size) // step + 1
        starts = multiply(numbers_below(count), constant(step, int64))
        places = add(reshape(starts, (count, 1)), Constant(np.arange(size)))
    found = Call(Take(axis=axis), (x, places), span=node.span)
    order = [*range(axis + 1), *range(axis + 2, rank + 1), axis + 1]
    return transposed(found, order)


@torch_operator("trace")
def trace(node: TorchNode) -> Expr:
    """Translate `trace`: the sum of the diagonal; integers become int64."""
    x = node.tensor("self")
    rows, columns = x.tensor_type.shape
    found = Call(GatherND(), (x, _diagonal(node, rows, columns, 0)), span=node.span)
    dtype = x.tensor_type.dtype
    return Call(Sum(), (converted(found, dtype if dtype.has_derivatives else int64),))
