"""Translate ONNX gathers, scatters, top-k, selection and related operators."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.run_time_slices import first_of
from relay.frontend.builders.tensor_helpers import constant, flattened, reshape
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.run_time_checks import Requirement, required
from relay.frontend.onnx.translate.run_time_tensors import as_int64, numbers, over_axes, scalar
from relay.ir.dims import ANY, product
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ops.binary import Add, FloorMod, add, multiply, subtract
from relay.ops.broadcasting import BroadcastToLike
from relay.ops.cast import Cast
from relay.ops.comparison import GreaterEqual, Less
from relay.ops.logical import LogicalAnd
from relay.ops.max_min_reductions import ArgMax
from relay.ops.nn.pad import Pad
from relay.ops.selection import Where
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.dynamic_shapes import DynamicOneHot, DynamicTopK
from relay.ops.tensor.gather import Gather, GatherND, Take
from relay.ops.tensor.one_hot_and_shape_of import OneHot
from relay.ops.tensor.position_tensors import length, numbered
from relay.ops.tensor.reshape import ExpandDims, Reshape
from relay.ops.tensor.scan import Cumprod, Cumsum
from relay.ops.tensor.scatter import ScatterElements, ScatterND
from relay.ops.tensor.search_and_unique import ArgWhere
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.sort import TopK
from relay.ops.tensor.transpose import Reverse, Transpose
from relay.ops.vision.all_class_non_max_suppression import AllClassNonMaxSuppression
from relay.support.dtype import dtype, int64
from relay.support.error_codes import ErrorCode


@onnx_operator("Gather")
def gather(node: OnnxNode) -> Expr:
    """Translate `Gather`: slices along an axis; negative indices count from the end."""
    op = Take(axis=node.integer("axis", 0), mode="raise")
    return Call(op, (node.expr(0), node.expr(1)), span=node.span)


@onnx_operator("GatherElements")
def gather_elements(node: OnnxNode) -> Expr:
    """Translate `GatherElements`: one element for each index."""
    op = Gather(node.integer("axis", 0))
    return Call(op, (node.expr(0), node.expr(1)), span=node.span)


@onnx_operator("GatherND")
def gather_nd(node: OnnxNode) -> Expr:
    """Translate `GatherND`; ONNX has index tuples along the last axis, Relay along the first."""
    batch = node.attribute("batch_dims", 0)
    op = GatherND(batch_dims=batch)
    return Call(op, (node.expr(0), _tuples_first(node.expr(1))), span=node.span)


@onnx_operator("ScatterElements", "Scatter")
def scatter_elements(node: OnnxNode) -> Expr:
    """Translate `ScatterElements`: write or combine one element for each index."""
    op = ScatterElements(node.integer("axis", 0), _reduction(node))
    return Call(op, (node.expr(0), node.expr(1), node.expr(2)), span=node.span)


@onnx_operator("ScatterND")
def scatter_nd(node: OnnxNode) -> Expr:
    """Translate `ScatterND`: write or combine slices at index tuples."""
    data, indices, updates = (node.expr(index) for index in range(3))
    *lead, depth = indices.tensor_type.shape
    if not isinstance(depth, int):  # ranks determine it
        depth = len(lead) + data.tensor_type.rank - updates.tensor_type.rank
        indices = Call(Reshape((*(0 for _ in lead), depth)), (indices,))
    op = ScatterND(_reduction(node))
    return Call(op, (data, _tuples_first(indices), updates), span=node.span)


def _reduction(node: OnnxNode) -> str:
    kind = node.choice("reduction", ("none", "add", "mul", "max", "min"), "none")
    return "update" if kind == "none" else kind


def _is_from_front(indices: Expr) -> bool:
    """Whether indices are constant and nonnegative."""
    if not isinstance(indices, Constant):
        return False
    return indices.array.size == 0 or bool(indices.array.min() >= 0)


def _from_front(indices: Expr, size: Expr) -> Expr:
    """Return indices with `size` added to negative ones."""
    if _is_from_front(indices):
        return indices
    element = indices.tensor_type.dtype
    wrapped = Call(Add(), (indices, size))
    is_negative = Call(Less(), (indices, constant(0, element)))
    return Call(Where(), (is_negative, wrapped, indices))


def _tuples_first(indices: Expr) -> Expr:
    rank = indices.tensor_type.rank
    return Call(Transpose((rank - 1, *range(rank - 1))), (indices,)) if rank > 1 else indices


@onnx_operator("TopK")
def topk(node: OnnxNode) -> Sequence[Expr]:
    """Translate `TopK`: the largest or smallest elements, and their indices."""
    axis, ascending = node.integer("axis", -1), not node.attribute("largest", 1)
    if node.opset >= 10 and not node.is_known(1):
        return _topk_of_run_time(node, axis, ascending)
    count = node.attribute("k") if node.opset < 10 else node.dims(1, "k")[0]
    if count == 0:
        return _nothing(node)
    if isinstance(count, int) and count < 0:
        raise node.error(
            ErrorCode.F026, f"the number of elements k must not be negative, but is {count}"
        )
    op = TopK(k=count, axis=axis, is_ascend=ascending, dtype=int64)
    both = Call(op, (node.expr(0),), span=node.span)
    return [TupleGetItem(both, 0), TupleGetItem(both, 1)]


def _topk_of_run_time(node: OnnxNode, axis: int, ascending: bool) -> list[Expr]:
    """Translate `TopK` with a run-time number of elements, which may be 0."""
    count = numbers(node, 1, 1)
    op = DynamicTopK(axis=axis, is_ascend=ascending, dtype=int64)

    def found(count: Expr) -> list[Expr]:
        both = Call(op, (node.expr(0), count), span=node.span)
        return [first_of(TupleGetItem(both, index), count, axis) for index in (0, 1)]

    there_is = reshape(Call(GreaterEqual(), (count, constant(0, int64))), ())
    return required(
        node, Requirement(count, there_is, "the number of elements k is negative"), found
    )


def _nothing(node: OnnxNode) -> list[Expr]:
    """Return the results of `TopK` for 0 elements: empty slices."""
    x = node.expr(0)
    axis = node.integer("axis", -1)
    none = Call(StridedSlice(begin=(0,), end=(0,), axes=(axis,)), (x,), span=node.span)
    return [none, Call(Cast(int64), (none,))]


@onnx_operator("OneHot")
def one_hot(node: OnnxNode) -> Expr:
    """Translate `OneHot`: each index becomes a row with `on` there and `off` elsewhere."""
    depth = scalar(as_int64(node.expr(1)))
    values = node.expr(2)
    off, on = (reshape(Call(Take(axis=0), (values, constant(i, int64))), ()) for i in (0, 1))
    indices = _from_front(Call(Cast(int64), (node.expr(0),)), depth)
    axis, element = node.integer("axis", -1), values.tensor_type.dtype
    if isinstance(depth, Constant):
        op = OneHot(int(depth.array), axis, element)
        return Call(op, (indices, on, off), span=node.span)
    return Call(DynamicOneHot(axis, element), (indices, on, off, depth), span=node.span)


@onnx_operator("CumSum", "CumProd")
def cumsum(node: OnnxNode) -> Expr:
    """Translate cumulative sums and products along an axis, from either end."""
    if not node.is_known(1):
        return over_axes(node, 1, node.rank(0), lambda axes: _running(node, *axes))
    return _running(node, node.ints(1, "the axis")[0])


def _running(node: OnnxNode, axis: int) -> Expr:
    x, kind = node.expr(0), Cumsum if node.op == "CumSum" else Cumprod
    op = kind(axis=axis, exclusive=bool(node.attribute("exclusive", 0)))
    if not node.attribute("reverse", 0):
        return Call(op, (x,), span=node.span)
    turn = Reverse(axis)
    return Call(turn, (Call(op, (Call(turn, (x,)),), span=node.span),))


@onnx_operator("Where")
def where(node: OnnxNode) -> Expr:
    """Translate `Where`."""
    return Call(Where(), (node.expr(0), node.expr(1), node.expr(2)), span=node.span)


@onnx_operator("NonZero")
def nonzero(node: OnnxNode) -> Expr:
    """Translate `NonZero`: the coordinates of nonzero elements, a row for each axis."""
    rows = Call(ArgWhere(), (node.expr(0),), span=node.span)
    return Call(Cast(dtype("int64")), (Call(Transpose((1, 0)), (rows,)),))


@onnx_operator("Compress")
def compress(node: OnnxNode) -> Expr:
    """Translate `Compress`: keep slices or elements where a vector of booleans is true.

    Booleans beyond the end of the axis are ignored.
    """
    x, condition, axis = node.expr(0), node.expr(1), node.attribute("axis")
    if axis is None:
        x, axis = reshape(x, (product(x.tensor_type.shape),)), 0
    axis %= x.tensor_type.rank
    size = x.tensor_type.shape[axis]
    if size == 0:
        return x
    if isinstance(condition, Constant) and isinstance(size, int):
        places: Expr = Constant(np.flatnonzero(condition.array[:size]))
    else:
        within = Call(Less(), (numbered(condition, 0), length(x, axis)))
        places = _column(Call(ArgWhere(), (Call(LogicalAnd(), (condition, within)),)))
    return Call(Take(axis=axis), (x, places), span=node.span)


def _column(rows: Expr) -> Expr:
    """Return the only column of an `(n, 1)` matrix as a vector."""
    return Call(Take(axis=1), (rows, constant(0, int64)))


@onnx_operator("NonMaxSuppression")
def non_max_suppression(node: OnnxNode) -> Expr:
    """Translate `NonMaxSuppression`; the number of selected boxes is dynamic."""
    boxes, scores = node.expr(0), node.expr(1)
    element = boxes.tensor_type.dtype
    if node.attribute("center_point_box", 0):
        boxes = _corners(boxes)
    defaults = constant(0, int64), constant(0.0, element), constant(-np.inf, element)
    limits = [
        _first_element(node.expr(index)) if node.has(index) else default
        for index, default in enumerate(defaults, 2)
    ]
    both = Call(AllClassNonMaxSuppression(), (boxes, scores, *limits), span=node.span)
    return first_of(TupleGetItem(both, 0), TupleGetItem(both, 1))


def _first_element(x: Expr) -> Expr:
    """Return the first element as a scalar; ONNX Runtime reads no others of a limit."""
    ty = x.tensor_type
    if ty.rank != 1 or ty.shape == (1,):
        return reshape(x, ())
    return Call(Take(axis=0), (x, constant(0, int64)), span=x.span)


def _corners(boxes: Expr) -> Expr:
    """Convert boxes from centre and size to opposite corners, both with x before y."""
    axis = boxes.tensor_type.rank - 1
    x, y, width, height = (
        Call(StridedSlice((i,), (i + 1,), axes=(axis,)), (boxes,)) for i in range(4)
    )
    half = constant(0.5, boxes.tensor_type.dtype)
    across, down = multiply(width, half), multiply(height, half)
    sides = (subtract(y, down), subtract(x, across), add(y, down), add(x, across))
    return Call(Concatenate(axis), (Tuple(sides),))


@onnx_operator("Hardmax")
def hardmax(node: OnnxNode) -> Expr:
    """Translate `Hardmax`: 1 at the first maximum of each row, 0 elsewhere; rows may be empty."""
    x = node.expr(0)
    shape, element = x.tensor_type.shape, x.tensor_type.dtype
    since = node.opset >= 13
    axis = node.attribute("axis", -1 if since else 1) % max(len(shape), 1)
    rows = x if since else flattened(x, axis)
    along = axis if since else 1
    size = rows.tensor_type.shape[along]
    if not (isinstance(size, int) and size):  # a maximum needs an element: one after all others
        widths = tuple((0, int(at == along)) for at in range(rows.tensor_type.rank))
        rows = Call(Pad(widths), (rows, constant(-np.inf, element)))
    largest = Call(Cast(int64), (Call(ArgMax(axis=(along,)), (rows,)),))
    one, zero = constant(1, element), constant(0, element)
    if size is ANY:
        depth = size_of(x if since else flattened(x, axis), along)
        return reshape(
            Call(DynamicOneHot(along, element), (largest, one, zero, depth)), shape, like=x
        )
    return reshape(Call(OneHot(size, along, element), (largest, one, zero)), shape, like=x)


@onnx_operator("TensorScatter")
def tensor_scatter(node: OnnxNode) -> Expr:
    """Translate `TensorScatter`: write a slice of a cache at one index per batch entry."""
    cache, update = node.expr(0), node.expr(1)
    rank = cache.tensor_type.rank
    axis = node.integer("axis", -2) % rank
    places: Expr = Call(ExpandDims(1, rank - axis - 1), (numbered(update, axis),))
    if node.has(2):
        starts = Call(Cast(int64), (node.expr(2),))
        places = add(Call(ExpandDims(1, rank - 1), (starts,)), places)
    if node.choice("mode", ("linear", "circular"), "linear") == "circular":
        places = Call(FloorMod(), (places, size_of(cache, axis)))
    indices = Call(BroadcastToLike(), (places, update))
    return Call(ScatterElements(axis), (cache, indices, update), span=node.span)
