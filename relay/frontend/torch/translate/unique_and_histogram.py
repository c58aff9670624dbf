"""Translate functions that count elements: `unique`, `mode`, histograms, `nonzero_static`."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.counted_loops import at
from relay.frontend.builders.run_time_slices import first_of
from relay.frontend.builders.segment_reductions import segments
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.node_errors import static_size
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.indexing import (
    places_of,
)
from relay.frontend.torch.translate.segments import without_first, without_last
from relay.frontend.torch.translate.shapes import broadcast, reshaped
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.comparison import equal, less, less_equal
from relay.ops.creation import Full
from relay.ops.elementwise import Floor, IsNan
from relay.ops.functions import core
from relay.ops.logical import LogicalAnd, LogicalNot, LogicalOr
from relay.ops.max_min_reductions import All, ArgMax, Max, Min
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.dynamic_shapes import DynamicFull
from relay.ops.tensor.gather import Gather, Take
from relay.ops.tensor.scan import Cumsum
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.search_and_unique import ArgWhere, Unique
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.sort import Sort
from relay.support.dtype import float32, float64, int64


@torch_operator("_unique2")
def unique(node: TorchNode) -> Sequence[Expr | None]:
    """Translate `unique`: sorted distinct elements, the index of each element in them, and counts.

    All NaNs are one value here; in PyTorch, they are different values.
    """
    node.ignore("sorted")
    x, wanted = node.tensor("self"), _requested_results(node)
    found = Call(Unique(sorted=True, return_counts=True), (reshaped(x, (-1,)),), span=node.span)
    values, _, inverse, count, counts = (TupleGetItem(found, index) for index in range(5))
    number = converted(count, int64)
    places = reshaped(converted(inverse, int64), x.tensor_type.shape)
    lengths = first_of(converted(counts, int64), number)
    return [first_of(values, number), places if wanted[0] else None, lengths if wanted[1] else None]


def _requested_results(node: TorchNode) -> tuple[bool, bool]:
    """Return whether a node requests inverse indices, and whether it requests counts."""
    return node.flag("return_inverse"), node.flag("return_counts")


@torch_operator("unique_consecutive")
def unique_consecutive(node: TorchNode) -> Sequence[Expr | None]:
    """Translate `unique_consecutive` without an axis: drop elements equal to the one before."""
    x, wanted = node.tensor("self"), _requested_results(node)
    flat = reshaped(x, (-1,))
    (size,) = flat.tensor_type.shape
    first = broadcast(constant(True, equal(flat, flat).tensor_type.dtype), (1,))
    same = equal(without_first(flat), without_last(flat))
    starts = Call(Concatenate(0), (Tuple((first, Call(LogicalNot(), (same,)))),))
    (places,) = places_of(starts)
    places = converted(places, int64)
    last = reshape(node.as_tensor(size, "a size"), (1,))
    ends = Call(Concatenate(0), (Tuple((places, converted(last, int64))),))
    lengths = subtract(Call(StridedSlice((1,), (2**62,), axes=(0,)), (ends,)), places)
    numbers = subtract(Call(Cumsum(axis=0), (converted(starts, int64),)), constant(1, int64))
    inverse = reshaped(numbers, x.tensor_type.shape)
    values = Call(Take(axis=0), (flat, places), span=node.span)
    return [values, inverse if wanted[0] else None, lengths if wanted[1] else None]


@torch_operator("mode")
def mode(node: TorchNode) -> Sequence[Expr]:
    """Translate `mode`: the most frequent element along an axis, and the last index of it."""
    x, keep = node.tensor("self"), node.flag("keepdim")
    rank = x.tensor_type.rank
    if not rank:
        node.ignore("dim")
        return [x, constant(0, int64)]
    axis = node.integer("dim") % rank
    ordered = Call(Sort(axis), (x,))
    shape = x.tensor_type.shape
    pairs = equal(
        reshaped(ordered, (*shape[: axis + 1], 1, *shape[axis + 1 :])),
        reshaped(ordered, (*shape[:axis], 1, *shape[axis:])),
    )
    counts = Call(Sum(axis=(axis + 1,)), (converted(pairs, int64),))
    place = Call(ArgMax(axis=(axis,), keepdims=True), (counts,))
    value = Call(Gather(axis), (ordered, converted(place, int64)))
    same = equal(x, value)
    if x.tensor_type.dtype.is_float:  # NaN is the most frequent element only if all are NaN
        same = Call(LogicalOr(), (same, Call(IsNan(), (value,))))
    same = converted(same, int64)
    last = Call(ArgMax(axis=(axis,), keepdims=True, select_last_index=True), (same,))
    place = converted(last, int64)
    found = [Call(Gather(axis), (x, place), span=node.span), place]
    rest = (*shape[:axis], *shape[axis + 1 :])
    return found if keep else [reshaped(each, rest) for each in found]


@torch_operator("nonzero_static")
def nonzero_static(node: TorchNode) -> Expr:
    """Translate `nonzero_static`: `size` coordinates of nonzero elements, then `fill_value`."""
    x, size = node.tensor("self"), node.integer("size")
    found = converted(Call(ArgWhere(), (x,), span=node.span), int64)
    fill = constant(node.integer("fill_value"), int64)
    more = Call(Full((size, x.tensor_type.rank)), (fill,))
    whole = Call(Concatenate(0), (Tuple((found, more)),))
    return Call(StridedSlice((0,), (size,), axes=(0,)), (whole,))


@torch_operator("histc")
def histogram(node: TorchNode) -> Expr:
    """Translate `histc`: count elements in equal bins from `min` to `max`, or in their range."""
    x = reshaped(node.tensor("self"), (-1,))
    dtype, bins = x.tensor_type.dtype, node.integer("bins")
    low, high = (constant(node.number(name), dtype) for name in ("min", "max"))
    if node.number("min") == node.number("max"):
        least, most = Call(Min(), (x,)), Call(Max(), (x,))
        one = constant(1, dtype)
        flat = equal(least, most)
        low, high = where(flat, subtract(least, one), least), where(flat, add(most, one), most)
    scale = divide(constant(bins, dtype), subtract(high, low))
    place = converted(Call(Floor(), (multiply(subtract(x, low), scale),)), int64)
    last = constant(bins - 1, int64)
    place = where(less(last, place), last, place)
    is_inside = Call(LogicalAnd(), (less_equal(low, x), less_equal(x, high)))
    owners = where(is_inside, place, constant(-1, int64))
    ones = broadcast(constant(1, dtype), x.tensor_type.shape)
    return segments(ones, owners, bins, "add")


@torch_operator("bincount")
def bincount(node: TorchNode) -> Expr:
    """Translate `bincount`: count each number from 0 on, or sum the weights of its occurrences."""
    x = converted(node.tensor("self"), int64)
    (size,) = x.tensor_type.shape
    node.assertions.append(
        (Call(All(), (less_equal(constant(0, int64), x),)), "bincount: an element is negative")
    )
    least = reshape(
        converted(node.as_tensor(node.value("minlength"), "the argument minlength"), int64), (1,)
    )
    lengths = Call(Concatenate(0), (Tuple((add(x, constant(1, int64)), least)),))
    weights = node.optional("weights")
    if weights is None:
        weights = broadcast(constant(1, int64), (size,))
    elif weights.tensor_type.dtype is not float32:
        weights = converted(weights, float64)
    zero = constant(0, weights.tensor_type.dtype)
    bins = Call(DynamicFull(), (zero, Call(Max(keepdims=True), (lengths,))))
    return Call(ScatterND("add"), (bins, reshaped(x, (1, size)), weights), span=node.span)


@torch_operator("histogram")
def histogram_and_edges(node: TorchNode) -> Sequence[Expr]:
    """Translate `histogram`: count or weigh the elements between edges, and return the edges."""
    x = reshaped(node.tensor("self"), (-1,))
    dtype = x.tensor_type.dtype
    edges = _edges(node, x)
    count = static_size(edges.tensor_type.shape[0]) - 1
    first, last = (at(edges, constant(index, int64)) for index in (0, count))
    place = core.searchsorted(edges, x, right=True, dtype="int64")
    place = subtract(core.minimum(place, constant(count, int64)), constant(1, int64))
    is_inside = Call(LogicalAnd(), (less_equal(first, x), less_equal(x, last)))
    owners = where(is_inside, place, constant(-1, int64))
    given = node.optional("weight")
    ones = broadcast(constant(1, dtype), x.tensor_type.shape)
    found = segments(ones if given is None else reshaped(given, (-1,)), owners, count, "add")
    if node.flag("density"):
        found = divide(
            divide(found, core.sum(found)), subtract(without_first(edges), without_last(edges))
        )
    return [found, edges]


def _edges(node: TorchNode, x: Expr) -> Expr:
    """Return the edges of bins: given, or with equal distances between the ends of a range."""
    if isinstance(node.value("bins"), Expr):
        return node.tensor("bins")
    dtype, bins = x.tensor_type.dtype, node.integer("bins")
    if node.value("range") is not None:
        ends = [constant(float(str(each)), dtype) for each in node.sequence("range")]
    else:
        ends = [Call(Min(), (x,)), Call(Max(), (x,))]
    half, flat = constant(0.5, dtype), equal(*ends)
    low = where(flat, subtract(ends[0], half), ends[0])
    high = where(flat, add(ends[1], half), ends[1])
    shares = Constant(np.linspace(0, 1, bins + 1, dtype=dtype.numpy))
    return where(
        less(shares, constant(1, dtype)), add(low, multiply(shares, subtract(high, low))), high
    )
