"""Gathering, scattering, sorting, and masks."""

from collections.abc import Sequence

from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.common import constant, reshape
from relay.ir.dims import Dim
from relay.ir.expr import Call, Constant, Expr, TupleGetItem
from relay.ops.binary import Add
from relay.ops.cast import Cast
from relay.ops.comparison import Less
from relay.ops.selection import Where
from relay.ops.tensor.encode import OneHot
from relay.ops.tensor.gather import Gather, GatherND, Take
from relay.ops.tensor.scan import Cumsum
from relay.ops.tensor.scatter import ScatterElements, ScatterND
from relay.ops.tensor.search import ArgWhere
from relay.ops.tensor.sort import TopK
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import dtype, int64


@onnx_operator("Gather")
def gather(node: OnnxNode) -> Expr:
    """Read slices along an axis; negative indices count from the end."""
    axis = node.attribute("axis", 0)
    indices = _from_front(node.expr(1), node.type(0).shape[axis])
    return Call(Take(axis=axis), (node.expr(0), indices), span=node.span)


@onnx_operator("GatherElements")
def gather_elements(node: OnnxNode) -> Expr:
    """Read one element for each index."""
    axis = node.attribute("axis", 0)
    indices = _from_front(node.expr(1), node.type(0).shape[axis])
    return Call(Gather(axis), (node.expr(0), indices), span=node.span)


@onnx_operator("GatherND")
def gather_nd(node: OnnxNode) -> Expr:
    """Read at index tuples, which lie along the last axis of ONNX's indices and Relay's first."""
    batch = node.attribute("batch_dims", 0)
    op = GatherND(batch_dims=batch)
    return Call(op, (node.expr(0), _tuples_first(node.expr(1))), span=node.span)


@onnx_operator("ScatterElements", "Scatter")
def scatter_elements(node: OnnxNode) -> Expr:
    """Write or join one element for each index."""
    axis = node.attribute("axis", 0)
    indices = _from_front(node.expr(1), node.type(0).shape[axis])
    op = ScatterElements(axis, _reduction(node))
    return Call(op, (node.expr(0), indices, node.expr(2)), span=node.span)


@onnx_operator("ScatterND")
def scatter_nd(node: OnnxNode) -> Expr:
    """Write or join at index tuples."""
    indices = _tuples_first(node.expr(1))
    op = ScatterND(_reduction(node))
    return Call(op, (node.expr(0), indices, node.expr(2)), span=node.span)


def _reduction(node: OnnxNode) -> str:
    kind = node.attribute("reduction", "none")
    return "update" if kind == "none" else kind


def _from_front(indices: Expr, size: Dim) -> Expr:
    """Return indices that count from the front; constants that do already stay as they are."""
    if isinstance(indices, Constant) and (indices.data.size == 0 or indices.data.min() >= 0):  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        return indices
    element = indices.tensor_type.dtype
    if not isinstance(size, int):
        return indices
    wrapped = Call(Add(), (indices, constant(size, element)))
    is_negative = Call(Less(), (indices, constant(0, element)))
    return Call(Where(), (is_negative, wrapped, indices))


def _tuples_first(indices: Expr) -> Expr:
    rank = indices.tensor_type.rank
    return Call(Transpose((rank - 1, *range(rank - 1))), (indices,)) if rank > 1 else indices


@onnx_operator("TopK")
def topk(node: OnnxNode) -> Sequence[Expr]:
    """Return the largest or smallest elements and their indices."""
    count = node.attribute("k") if node.opset < 10 else node.ints(1, "k")[0]
    op = TopK(
        k=count,
        axis=node.attribute("axis", -1),
        is_ascend=not node.attribute("largest", 1),
        dtype=int64,
    )
    both = Call(op, (node.expr(0),), span=node.span)
    return [TupleGetItem(both, 0), TupleGetItem(both, 1)]


@onnx_operator("OneHot")
def one_hot(node: OnnxNode) -> Expr:
    """Expand indices to rows with one `on` element."""
    depth = node.ints(1, "the depth")[0]
    values = node.expr(2)
    off, on = (reshape(Call(Take(axis=0), (values, constant(i, int64))), ()) for i in (0, 1))
    indices = _from_front(Call(Cast(int64), (node.expr(0),)), depth)
    op = OneHot(depth, node.attribute("axis", -1), values.tensor_type.dtype)
    return Call(op, (indices, on, off), span=node.span)


@onnx_operator("CumSum")
def cumsum(node: OnnxNode) -> Expr:
    """Add up along an axis (`F035` for the reverse direction)."""
    if node.attribute("reverse", 0):
        raise node.error("F035", "cumulative sums from the end are not supported")
    op = Cumsum(axis=node.ints(1, "the axis")[0], exclusive=bool(node.attribute("exclusive", 0)))
    return Call(op, (node.expr(0),), span=node.span)


@onnx_operator("Where")
def where(node: OnnxNode) -> Expr:
    """Select elementwise."""
    return Call(Where(), (node.expr(0), node.expr(1), node.expr(2)), span=node.span)


@onnx_operator("NonZero")
def nonzero(node: OnnxNode) -> Expr:
    """Return the coordinates of the elements that are not zero, one row for each axis."""
    rows = Call(ArgWhere(), (node.expr(0),), span=node.span)
    return Call(Cast(dtype("int64")), (Call(Transpose((1, 0)), (rows,)),))
