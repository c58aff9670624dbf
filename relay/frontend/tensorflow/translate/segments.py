"""Translate TensorFlow segment reductions, which combine rows with the same segment number."""

import numpy as np

from relay.frontend.builders.run_time_slices import first_of
from relay.frontend.builders.segment_reductions import neutral, segments
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.dims import is_static
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import divide
from relay.ops.comparison import equal, less
from relay.ops.functions import core
from relay.ops.selection import where
from relay.ops.tensor.dynamic_shapes import DynamicFull
from relay.ops.tensor.scatter import ScatterND
from relay.support.dtype import int64

_MODES = {"Sum": "add", "Prod": "mul", "Max": "max", "Min": "min"}


@tf_operator(*(f"UnsortedSegment{name}" for name in _MODES))
def unsorted_segments(node: TfNode) -> Expr:
    """Translate reductions of segments in any order; negative segment numbers are ignored."""
    mode = _MODES[node.op.removeprefix("UnsortedSegment")]
    count = node.sizes(2)
    if count is None or not is_static(count):
        return _at_run_time(node.expr(0), node.expr(1), node.expr(2), mode)
    return segments(node.expr(0), node.expr(1), node.integer(2, "the number of segments"), mode)


@tf_operator(*(f"Segment{name}" for name in (*_MODES, "Mean")))
def sorted_segments(node: TfNode) -> Expr:
    """Translate reductions of segments whose numbers are sorted; the last one is the largest."""
    return _sorted(node, node.expr(0), node.expr(1), None)


@tf_operator(*(f"Segment{name}V2" for name in _MODES))
def sorted_segments_v2(node: TfNode) -> Expr:
    """Translate reductions of a number of segments whose numbers are sorted."""
    mode = _MODES[node.op.removeprefix("Segment").removesuffix("V2")]
    return _reduced(node.expr(0), node.expr(1), node.expr(2), mode)


@tf_operator("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN")
def sparse_segments(node: TfNode) -> Expr:
    """Translate reductions of rows at indices, in segments whose numbers are sorted."""
    rows = core.take(node.expr(0), node.expr(1), axis=0, mode="raise")
    return _sorted(node, rows, node.expr(2), None)


@tf_operator(*(f"SparseSegment{name}WithNumSegments" for name in ("Sum", "Mean", "SqrtN")))
def sparse_segments_of_number(node: TfNode) -> Expr:
    """Translate reductions of rows at indices, in a number of segments."""
    rows = core.take(node.expr(0), node.expr(1), axis=0, mode="raise")
    return _sorted(node, rows, node.expr(2), node.expr(3))


def _sorted(node: TfNode, x: Expr, ids: Expr, count: Expr | None) -> Expr:
    """Return reductions by the operator of a node; segments without rows are 0, products are 1."""
    node.ignore("sparse_gradient")
    kind = node.op.removeprefix("Sparse").removeprefix("Segment").removesuffix("WithNumSegments")
    count = _count(ids) if count is None else count
    total = _reduced(x, ids, count, _MODES.get(kind, "add"))
    if kind in ("Sum", "Prod"):
        return total
    of = x.tensor_type.dtype
    ones = core.full_like(core.cast(ids, str(of)), constant(1, of))
    rows = _reduced(ones, ids, count, "add")
    rows = reshape(rows, (*rows.tensor_type.shape, *(1,) * (x.tensor_type.rank - 1)))
    zero, one = constant(0, of), constant(1, of)
    if kind in ("Max", "Min"):
        return where(equal(rows, zero), zero, total)
    some = where(equal(rows, zero), one, rows)
    return divide(total, core.sqrt(some) if kind == "SqrtN" else some)


def _count(ids: Expr) -> Expr:
    """Return the number of sorted segments: the last segment number, plus one."""
    if isinstance(ids, Constant):
        last = int(ids.array[-1]) if ids.array.size else -1
        return constant(last + 1, int64)
    last = core.take(core.cast(ids, "int64"), constant(-1, int64), axis=0, mode="wrap")
    return core.add(last, constant(1, int64))


def _reduced(x: Expr, ids: Expr, count: Expr, mode: str) -> Expr:
    if isinstance(count, Constant):
        return segments(x, ids, int(count.array.item()), mode)
    return _at_run_time(x, ids, count, mode)


def _at_run_time(x: Expr, ids: Expr, count: Expr, mode: str) -> Expr:
    """Return the reductions of segments whose number is known only at run time.

    Rows with negative segment numbers go to a segment after the last one, which is cut off.
    """
    ty, dtype = ids.tensor_type, x.tensor_type.dtype
    number = reshape(core.cast(count, "int64"), (1,))
    rest = x.tensor_type.shape[ty.rank :]
    shape = core.strided_slice(core.shape_of(x, "int64"), (ty.rank,), (x.tensor_type.rank,))
    sizes = Constant(np.array(rest, np.int64)) if is_static(rest) else shape
    first = Constant(np.asarray(neutral(mode, dtype), dtype.numpy))
    whole = core.concatenate([core.add(number, constant(1, int64)), sizes], 0)
    rows = Call(DynamicFull(), (first, whole))
    wide = core.cast(ids, "int64")
    places = where(less(wide, constant(0, int64)), reshape(number, ()), wide)
    found = Call(ScatterND(mode), (rows, reshape(places, (1, *ty.shape)), x), span=x.span)
    return first_of(found, number)
