"""Translate `Unique`: distinct elements, or distinct slices along an axis."""

from collections.abc import Sequence

from relay.frontend.builders.run_time_slices import first_of
from relay.frontend.builders.tensor_helpers import constant, flattened, reshape
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import MICROSOFT, onnx_operator
from relay.frontend.onnx.translate.run_time_tensors import as_int64, counting
from relay.ir.dims import product
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.ops.binary import multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import equal, less
from relay.ops.max_min_reductions import ArgMax
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.gather import Gather, Take
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.scan import Cumsum
from relay.ops.tensor.search_and_unique import ArgWhere, Unique
from relay.ops.tensor.sort import Argsort
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import int64


@onnx_operator("Unique")
def unique(node: OnnxNode) -> Sequence[Expr]:
    """Translate `Unique`: distinct elements, first positions, inverse indices and counts."""
    x = node.expr(0)
    is_sorted = bool(node.attribute("sorted", 1))
    if "axis" in node and x.tensor_type.rank > 1:
        return _parts(x, node.integer("axis", 0) % x.tensor_type.rank, is_sorted)
    return _elements(x, is_sorted=is_sorted)


def _elements(x: Expr, *, is_sorted: bool) -> list[Expr]:
    """Return distinct elements, their first positions, inverse indices and counts."""
    flat = reshape(x, (product(x.tensor_type.shape),))
    found = Call(Unique(is_sorted, return_counts=True), (flat,))
    values, first, inverse, number, counts = (TupleGetItem(found, index) for index in range(5))
    cut = [first_of(each, as_int64(number)) for each in (values, first, counts)]
    return [cut[0], as_int64(cut[1]), as_int64(inverse), as_int64(cut[2])]


@onnx_operator("Unique", domain=MICROSOFT)
def unique_in_order(node: OnnxNode) -> Sequence[Expr]:
    """Translate `Unique` of ONNX Runtime: distinct elements in order, inverse indices, counts."""
    values, _, inverse, counts = _elements(node.expr(0), is_sorted=False)
    return [values, inverse, counts]


def _parts(x: Expr, axis: int, is_sorted: bool) -> list[Expr]:
    """Return the results for slices along an axis, which are compared lexicographically."""
    order = (axis, *(i for i in range(x.tensor_type.rank) if i != axis))
    rows = flattened(Call(Transpose(order), (x,)), 1)
    sign = _compared(rows)
    alike = _as_int(equal(sign, constant(0, int64)))
    first_alike = Call(Cast(int64), (Call(ArgMax(axis=(1,)), (alike,)),))
    is_first = _as_int(equal(first_alike, counting(first_alike)))
    places = Call(Take(axis=1), (Call(ArgWhere(), (is_first,)), constant(0, int64)))
    if is_sorted:  # the number of distinct slices before it
        before = _as_int(less(constant(0, int64), sign))
        numbers = Call(Sum(axis=(1,)), (multiply(before, is_first),))
        own = Call(Take(axis=0), (numbers, places))
        places = Call(Take(axis=0), (places, Call(Argsort(axis=0, dtype=int64), (own,))))
    else:
        running = subtract(Call(Cumsum(axis=0), (is_first,)), constant(1, int64))
        numbers = Call(Take(axis=0), (running, first_alike))
    counts = Call(Take(axis=0), (Call(Sum(axis=(1,)), (alike,)), places))
    return [Call(Take(axis=axis), (x, places)), as_int64(places), numbers, counts]


def _compared(rows: Expr) -> Expr:
    """Return the order of each pair of rows: -1, 0 or 1, by their first difference."""
    one, other = (Call(ExpandDims(axis), (rows,)) for axis in (1, 0))
    signs = subtract(_as_int(less(other, one)), _as_int(less(one, other)))
    differs = multiply(signs, signs)
    first = Call(Cast(int64), (Call(ArgMax(axis=(2,), keepdims=True), (differs,)),))
    found = Call(Gather(2), (signs, first))
    return Call(Sum(axis=(2,)), (found,))


def _as_int(x: Expr) -> Expr:
    return Call(Cast(int64), (x,))
