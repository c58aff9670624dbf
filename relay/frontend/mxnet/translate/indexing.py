"""Translate MXNet operators that sort, select or scatter elements by indices."""

import math
from collections.abc import Sequence

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.frontend.mxnet.translate.shapes import slices_of
from relay.ir.expr import Call, Constant, Expr, TupleGetItem
from relay.numpy import not_equal
from relay.ops.binary import FloorMod
from relay.ops.cast import Cast
from relay.ops.creation import Zeros
from relay.ops.elementwise import Clip
from relay.ops.tensor.gather import Gather, GatherND, Take
from relay.ops.tensor.one_hot_and_shape_of import UnravelIndex
from relay.ops.tensor.scatter import ScatterElements, ScatterND
from relay.ops.tensor.search_and_unique import ArgWhere
from relay.ops.tensor.sort import Argsort, Sort, TopK
from relay.support.dtype import int32, int64


def whole(x: Expr, dtype: type = np.int32) -> Expr:
    """Return indices as integers, which MXNet often stores as floats."""
    to = int64 if dtype is np.int64 else int32
    return Call(Cast(to), (x,)) if x.tensor_type.dtype.is_float else x


def _along(node: MxNode) -> tuple[Expr, int]:
    """Return the data and the axis; without an axis, the data are flattened."""
    node.ignore("axis")
    if node.text("axis", "-1") == "None":
        return reshape(node.tensor(), (-1,)), 0
    return node.tensor(), node.integer("axis", -1)


@mxnet_operator("topk")
def topk(node: MxNode) -> Sequence[Expr]:
    """Translate `topk`: the largest or smallest elements, their indices, or a mask of them."""
    x, axis = _along(node)
    kind, dtype = node.text("ret_typ", "indices"), node.dtype()
    count = max(node.integer("k", 1), 0)
    op = TopK(count, axis, "both", node.flag("is_ascend"), int64)
    both = Call(op, (x,), span=node.span)
    values, places = TupleGetItem(both, 0), TupleGetItem(both, 1)
    indices = Call(Cast(dtype), (places,))
    match kind:
        case "value":
            return [values]
        case "indices":
            return [indices]
        case "both":
            return [values, indices]
        case "mask":
            one = Call(Cast(x.tensor_type.dtype), (not_equal(places, constant(-1, int64)),))
            zeros = Call(Zeros(x.tensor_type.shape, x.tensor_type.dtype), ())
            found = Call(ScatterElements(axis % x.tensor_type.rank), (zeros, places, one))
            return [reshape(found, node.type().shape)]
        case _:
            raise node.wrong("ret_typ")


@mxnet_operator("sort")
def sort(node: MxNode) -> Expr:
    """Translate `sort`."""
    x, axis = _along(node)
    return Call(Sort(axis, node.flag("is_ascend", default=True)), (x,), span=node.span)


@mxnet_operator("argsort")
def argsort(node: MxNode) -> Expr:
    """Translate `argsort`: the indices that sort the elements."""
    x, axis = _along(node)
    op = Argsort(axis, node.flag("is_ascend", default=True), node.dtype())
    return Call(op, (x,), span=node.span)


@mxnet_operator("pick", "choose_element_0index")
def pick(node: MxNode) -> Expr:
    """Translate `pick`: one element of each row along an axis."""
    x, index = node.tensor(), whole(node.tensor(1))
    node.ignore("axis")
    if node.text("axis", "-1") == "None":
        x, index, axis = reshape(x, (-1,)), reshape(index, (-1,)), 0
    else:
        axis = node.integer("axis", -1) % x.tensor_type.rank
    shape, keep = x.tensor_type.shape, node.flag("keepdims")
    ones = (*shape[:axis], 1, *shape[axis + 1 :])
    index = _in_range(node, reshape(index, ones if len(shape) > 1 else (-1,)), shape[axis])
    found = Call(Gather(axis), (x, Call(Cast(int64), (index,))), span=node.span)
    return found if keep else reshape(found, (*shape[:axis], *shape[axis + 1 :]))


def _in_range(node: MxNode, index: Expr, size: object, default: str = "clip") -> Expr:
    """Return indices that are clamped to an axis, or counted around it, as `mode` says."""
    mode, dtype = node.text("mode", default), index.tensor_type.dtype
    if not isinstance(size, int) or mode not in ("clip", "wrap"):
        raise node.wrong("mode")
    if mode == "wrap":
        return Call(FloorMod(), (index, constant(size, dtype)))
    return Call(Clip(0, size - 1), (index,))


@mxnet_operator("batch_take")
def batch_take(node: MxNode) -> Expr:
    """Translate `batch_take`: the element of each row of a matrix at its index."""
    x, index = node.tensor(), whole(node.tensor(1))
    rows, columns = x.tensor_type.shape
    places = reshape(_in_range(node, index, columns), (rows, 1))
    found = Call(Gather(1), (x, Call(Cast(int64), (places,))), span=node.span)
    return reshape(found, (rows,))


@mxnet_operator("take")
def take(node: MxNode) -> Expr:
    """Translate `take`: elements of an axis at indices, which are clamped or counted around it."""
    x, index = node.tensor(), whole(node.tensor(1))
    axis, mode = node.integer("axis", 0), node.text("mode", "clip")
    if mode not in ("clip", "wrap"):
        raise node.wrong("mode")
    return Call(Take(axis=axis, mode=mode), (x, index), span=node.span)


@mxnet_operator("gather_nd")
def gather_nd(node: MxNode) -> Expr:
    """Translate `gather_nd`: elements or slices at the coordinates in the columns of `indices`."""
    return Call(GatherND(), (node.tensor(), whole(node.tensor(1))), span=node.span)


@mxnet_operator("scatter_nd")
def scatter_nd(node: MxNode) -> Expr:
    """Translate `scatter_nd`: zeros with elements or slices at the coordinates in `indices`."""
    zeros = Call(Zeros(node.ints("shape"), node.type().dtype), ())
    return Call(ScatterND(), (zeros, whole(node.tensor(1)), node.tensor()), span=node.span)


@mxnet_operator("_scatter_set_nd")
def scatter_set_nd(node: MxNode) -> Expr:
    """Translate the assignment of elements or slices at coordinates: `x[indices] = y`."""
    node.ignore("shape")
    x, y, index = node.tensor(), node.tensor(1), whole(node.tensor(2))
    return Call(ScatterND(), (x, index, y), span=node.span)


@mxnet_operator("_slice_assign", "_slice_assign_scalar")
def slice_assign(node: MxNode) -> Expr:
    """Translate the assignment to a part of a tensor: `x[begin:end:step] = y`."""
    x = node.tensor()
    if node.op == "_slice_assign":
        new = node.tensor(1)
    else:
        new = constant(node.number("scalar", 0.0), x.tensor_type.dtype)
    shape = x.tensor_type.static_shape
    places = np.arange(math.prod(shape)).reshape(shape)[tuple(slices_of(node))]
    values = rnp.broadcast_to(new, places.shape)
    flat, rows = reshape(x, (-1,)), Constant(places.reshape(1, -1).astype(np.int64))
    written = Call(ScatterND(), (flat, rows, reshape(values, (-1,))), span=node.span)
    return reshape(written, shape)


@mxnet_operator("_contrib_index_copy")
def index_copy(node: MxNode) -> Expr:
    """Translate `index_copy`: replace the rows at the indices."""
    x, index, new = node.tensor(), whole(node.tensor(1)), node.tensor(2)
    places = reshape(index, (1, *index.tensor_type.shape))
    return Call(ScatterND(), (x, places, new), span=node.span)


@mxnet_operator("_contrib_index_array")
def index_array(node: MxNode) -> Expr:
    """Translate `index_array`: the coordinates of each element, along a new last axis."""
    shape = node.type().static_shape
    axes = node.ints("axes", tuple(range(len(shape))))
    grid = np.indices(shape)[list(axes)]
    return Constant(np.moveaxis(grid, 0, -1).astype(np.int64), span=node.span)


@mxnet_operator("_contrib_boolean_mask")
def boolean_mask(node: MxNode) -> Expr:
    """Translate `boolean_mask`: the slices along an axis at which `index` is not zero."""
    x, mask = node.tensor(), node.tensor(1)
    places = Call(ArgWhere(), (not_equal(mask, constant(0, mask.tensor_type.dtype)),))
    flat = reshape(places, (-1,))
    return Call(Take(axis=node.integer("axis", 0)), (x, flat), span=node.span)


@mxnet_operator("_ravel_multi_index", "ravel_multi_index")
def ravel(node: MxNode) -> Expr:
    """Translate `ravel_multi_index`: coordinates, in columns, become places in a flat tensor."""
    x, shape = node.tensor(), node.ints("shape")
    steps = np.cumprod((1, *shape[:0:-1]))[::-1].reshape(-1, *[1] * (x.tensor_type.rank - 1))
    factors = Constant(steps.astype(x.tensor_type.dtype.numpy))
    return rnp.sum(rnp.multiply(x, factors), axis=0, dtype=x.tensor_type.dtype.numpy)


@mxnet_operator("_unravel_index", "unravel_index")
def unravel(node: MxNode) -> Expr:
    """Translate `unravel_index`: places in a flat tensor become coordinates, in columns."""
    shape = node.ints("shape")
    dtype = node.type().dtype
    places = whole(node.tensor(), np.int64)
    sizes = Constant(np.array(shape, places.tensor_type.dtype.numpy))
    return Call(Cast(dtype), (Call(UnravelIndex(), (places, sizes), span=node.span),))


@mxnet_operator("diag")
def diag(node: MxNode) -> Expr:
    """Translate `diag`: a matrix with a vector on its diagonal, or the diagonal of a tensor."""
    x, offset = node.tensor(), node.integer("k", 0)
    axes = node.integer("axis1", 0), node.integer("axis2", 1)
    if x.tensor_type.rank == 1:
        return rnp.diag(x, offset)
    return rnp.diagonal(x, offset, *axes)
