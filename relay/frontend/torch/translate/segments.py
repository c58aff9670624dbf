"""Translate reductions over groups of rows (segments, embedding bags), and repetitions."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.segment_reductions import segments
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.elementwise import truth
from relay.frontend.torch.translate.indexing import (
    REDUCTIONS,
    scattered,
    without_self,
)
from relay.frontend.torch.translate.reduction import norm
from relay.frontend.torch.translate.shapes import broadcast, reshaped
from relay.ir.expr import Call, Expr
from relay.ops.binary import Maximum, add, divide, multiply, subtract
from relay.ops.comparison import equal, less
from relay.ops.creation import Full
from relay.ops.logical import LogicalAnd
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.gather import Take
from relay.ops.tensor.scan import Cumsum
from relay.ops.tensor.scatter import ScatterElements, ScatterND
from relay.ops.tensor.search_and_unique import SearchSorted
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.tile_and_repeat import Repeat
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode


@torch_operator("index_reduce")
def index_reduce(node: TorchNode) -> Expr:
    """Translate `index_reduce`: combine whole slices along an axis."""
    x, source, index = node.tensor("self"), node.tensor("source"), node.tensor("index")
    shape = x.tensor_type.shape
    if not shape:
        x, source = reshape(x, (1,)), reshape(source, (1,))
    axis = node.integer("dim") % max(len(shape), 1)
    row = [-1 if each == axis else 1 for each in range(max(len(shape), 1))]
    places = broadcast(reshaped(index, row), source.tensor_type.shape)
    kind = REDUCTIONS[str(node.value("reduce"))]
    combine = scattered if node.flag("include_self") else without_self
    return reshaped(combine(node, x, places, source, kind), shape)


_STARTS = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf}


@torch_operator("segment_reduce")
def segment_reduce(node: TorchNode) -> Expr:
    """Translate `segment_reduce` along the first axis, by lengths or offsets of segments."""
    x, kind = node.tensor("data"), str(node.value("reduce"))
    node.ignore("unsafe")
    given = node.tensor("lengths" if "lengths" in node else "offsets")
    if node.integer("axis") or given.tensor_type.rank != 1:
        raise node.error(
            ErrorCode.F030, "segments along an axis other than the first are not supported"
        )
    ends = converted(given, int64)
    if "lengths" in node:
        ends = Call(Cumsum(axis=0), (ends,))
        lengths = converted(given, x.tensor_type.dtype)
    else:
        begins, ends = without_last(ends), without_first(ends)
        lengths = converted(subtract(ends, begins), x.tensor_type.dtype)
    (count,), (size, *rest) = ends.tensor_type.shape, x.tensor_type.shape
    start = _STARTS[kind] if "initial" not in node else node.number("initial")
    rows = Call(Full((count + 1, *rest)), (constant(start, x.tensor_type.dtype),))
    places = _range(node.as_tensor(size, "a size"))
    owners = Call(SearchSorted(right=True, dtype=int64), (ends, places))
    op = ScatterND("add" if kind == "mean" else REDUCTIONS.get(kind, kind))
    whole = Call(op, (rows, reshaped(owners, (1, size)), x), span=node.span)
    found = Call(StridedSlice((0,), (count,), axes=(0,)), (whole,))  # rows after all segments
    if kind != "mean":
        return found
    lengths, one = reshaped(lengths, (count, *(1 for _ in rest))), constant(1, x.tensor_type.dtype)
    of_none = constant(start if "initial" in node else np.nan, x.tensor_type.dtype)
    average = divide(found, Call(Maximum(), (lengths, one)))
    return where(less(lengths, one), of_none, average)


def _range(count: Expr) -> Expr:
    """Return the int64 numbers from 0 to `count`, exclusive."""
    return Call(Arange(dtype=int64), (constant(0, int64), reshape(count, ()), constant(1, int64)))


def without_last(x: Expr) -> Expr:
    """Return a vector without its last element."""
    return Call(StridedSlice((0,), (x.tensor_type.shape[0] - 1,), axes=(0,)), (x,))


def without_first(x: Expr) -> Expr:
    """Return a vector without its first element."""
    return Call(StridedSlice((1,), (x.tensor_type.shape[0],), axes=(0,)), (x,))


@torch_operator("_embedding_bag_forward_only", "_embedding_bag", "embedding_bag")
def embedding_bag(node: TorchNode) -> Sequence[Expr | None]:
    """Translate `embedding_bag`: the sum, mean or maximum of the table rows of each bag."""
    node.ignore("scale_grad_by_freq", "sparse")
    weight, indices = node.tensor("weight"), node.tensor("indices")
    begins = converted(node.tensor("offsets"), int64)
    begins = without_last(begins) if node.flag("include_last_offset") else begins
    rows: Expr = Call(Take(axis=0, mode="raise"), (weight, indices), span=node.span)
    if "per_sample_weights" in node:
        rows = multiply(rows, reshaped(node.tensor("per_sample_weights"), (-1, 1)))
    (size,), (count,) = indices.tensor_type.shape, begins.tensor_type.shape
    places = _range(node.as_tensor(size, "a size"))
    found = Call(SearchSorted(right=True, dtype=int64), (begins, places))
    owners = subtract(reshaped(found, (size,)), constant(1, int64))
    padding = node.integer("padding_idx") if "padding_idx" in node else None
    if padding is not None and (padding >= 0 or node.operator == "embedding_bag"):
        count_ = node.as_tensor(weight.tensor_type.shape[0], "a size")
        place = constant(padding, int64) if padding >= 0 else add(count_, constant(padding, int64))
        ignored = equal(indices, converted(place, indices.tensor_type.dtype))
        owners = where(ignored, constant(-1, int64), owners)
    mode = node.integer("mode")
    bags = segments(rows, owners, count, "max" if mode == _MAX else "add")
    if mode == _SUM:
        return [bags, None, None, None]
    ones = broadcast(constant(1, weight.tensor_type.dtype), (size,))
    filled = reshaped(segments(ones, owners, count, "add"), (count, 1))
    one = constant(1, weight.tensor_type.dtype)
    if mode == _MAX:
        bags = where(less(filled, one), constant(0, weight.tensor_type.dtype), bags)
    else:
        bags = divide(bags, Call(Maximum(), (filled, one)))
    return [bags, None, None, None]


_SUM, _MAX = 0, 2
"""PyTorch's numbers of modes; 1 is the mean."""


@torch_operator("embedding_renorm")
def embedding_renorm(node: TorchNode) -> Expr:
    """Translate `embedding_renorm`: scale rows that are looked up to at most `max_norm`."""
    table, dtype = node.tensor("self"), node.type("self").dtype
    rows, _ = table.tensor_type.shape
    places = reshaped(node.tensor("indices"), (-1,))
    marks = broadcast(constant(1, dtype), places.tensor_type.shape)
    none = broadcast(constant(0, dtype), (rows,))
    used = Call(ScatterElements(0), (none, places, marks))
    size = norm(node, table, node.number("norm_type"), (-1,), keep=True)
    limit = constant(node.number("max_norm"), dtype)
    factor = divide(limit, add(size, constant(1e-7, dtype)))
    is_long = Call(LogicalAnd(), (less(limit, size), truth(reshaped(used, (rows, 1)))))
    return where(is_long, multiply(table, factor), table)


@torch_operator("repeat_interleave")
def repeat_interleave(node: TorchNode) -> Expr:
    """Translate `repeat_interleave`: repeat slices, by one number or by a number for each."""
    if "self" not in node:
        return _repeated_places(node, node.tensor("repeats"))
    axis, x = node.value("dim"), node.tensor("self")
    x, axis = (reshaped(x, (-1,)), 0) if axis is None else (x, node.integer("dim"))
    repeats = node.value("repeats")
    if not isinstance(repeats, Expr):
        node.ignore("output_size")
        return Call(Repeat(node.integer("repeats"), axis), (x,), span=node.span)
    size = x.tensor_type.shape[axis]
    each = broadcast(reshaped(repeats, (-1,)), (size,))
    return Call(Take(axis=axis), (x, _repeated_places(node, each)), span=node.span)


def _repeated_places(node: TorchNode, repeats: Expr) -> Expr:
    """Return the indices 0, 1, …, each repeated as often as its number in `repeats`."""
    ends = Call(Cumsum(axis=0), (converted(repeats, int64),))
    total: Expr = Call(Sum(axis=(0,)), (converted(repeats, int64),))
    if "output_size" in node:
        total = node.tensor("output_size")
    found = Call(SearchSorted(right=True, dtype=int64), (ends, _range(total)), span=node.span)
    return converted(found, repeats.tensor_type.dtype)
