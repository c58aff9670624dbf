"""Translate PyTorch gathers, scatters, advanced indexing, sorts and cumulative sums."""

from collections.abc import Sequence

import numpy as np
import torch

from relay.frontend.builders.run_time_slices import first_of
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.torch.dtypes import torch_dtype
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.elementwise import truth
from relay.frontend.torch.translate.shapes import (
    broadcast,
    common_shape,
    reshaped,
    to_common_shape,
    transposed,
)
from relay.frontend.torch.translate.type_promotion import operand
from relay.ir.dims import ANY, product
from relay.ir.expr import Call, Expr, Tuple, TupleGetItem
from relay.ops.binary import divide as divided
from relay.ops.binary import multiply, subtract
from relay.ops.broadcasting import BroadcastToLike
from relay.ops.comparison import Greater, equal
from relay.ops.creation import Zeros
from relay.ops.identity_operators import StopGradient, with_derivatives_of
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.dynamic_shapes import DynamicTopK
from relay.ops.tensor.gather import Gather, GatherND, Take
from relay.ops.tensor.one_hot_and_shape_of import OneHot
from relay.ops.tensor.scan import Cumprod, Cumsum
from relay.ops.tensor.scatter import ScatterElements, ScatterND
from relay.ops.tensor.search_and_unique import ArgWhere, SearchSorted
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.sort import Argsort, Sort, TopK
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import bool_, int32, int64
from relay.support.error_codes import ErrorCode


@torch_operator("embedding")
def embedding(node: TorchNode) -> Expr:
    """Translate `embedding`: rows of a table."""
    node.ignore("padding_idx", "scale_grad_by_freq", "sparse")
    op = Take(axis=0, mode="raise")
    return Call(op, (node.tensor("weight"), node.tensor("indices")), span=node.span)


@torch_operator("index_select")
def index_select(node: TorchNode) -> Expr:
    """Translate `index_select`: slices at indices of an axis."""
    x, index = node.tensor("self"), node.tensor("index")
    if not x.tensor_type.rank:
        node.ignore("dim")
        return x
    index = reshape(index, (1,)) if not index.tensor_type.rank else index
    op = Take(axis=node.integer("dim"), mode="raise")
    return Call(op, (x, index), span=node.span)


@torch_operator("take")
def take(node: TorchNode) -> Expr:
    """Translate `take`: elements of the flattened tensor."""
    flat = reshaped(node.tensor("self"), (-1,))
    return Call(Take(axis=0, mode="raise"), (flat, node.tensor("index")), span=node.span)


@torch_operator("gather", "take_along_dim")
def gather(node: TorchNode) -> Expr:
    """Translate `gather`: one element for each index."""
    node.ignore("sparse_grad")
    x, name = node.tensor("self"), "index" if "index" in node else "indices"
    index = node.tensor(name)
    if not x.tensor_type.rank:
        node.ignore("dim")
        return broadcast(x, index.tensor_type.shape)
    if 0 in index.tensor_type.shape and node.operator == "gather":  # of any rank
        node.ignore("dim")
        return Call(Zeros(index.tensor_type.shape, x.tensor_type.dtype), ())
    if node.operator == "take_along_dim":
        if node.value("dim") is None:
            flat = reshaped(x, (-1,))
            return Call(Gather(0), (flat, reshaped(index, (-1,))), span=node.span)
        axis = node.integer("dim") % x.tensor_type.rank
        shape = common_shape(
            [(*s[:axis], 1, *s[axis + 1 :]) for s in (x.tensor_type.shape, index.tensor_type.shape)]
        )
        x, index = (
            broadcast(t, (*shape[:axis], t.tensor_type.shape[axis], *shape[axis + 1 :]))
            for t in (x, index)
        )
    return Call(Gather(node.integer("dim")), (x, index), span=node.span)


@torch_operator("index", "_unsafe_index")
def index(node: TorchNode) -> Expr:
    """Translate advanced indexing by index tensors or boolean masks."""
    x, order, indices, behind = _indexed(node)
    if len(indices) == 1:
        axis = order[0]
        return Call(Take(axis=axis, mode="raise"), (x, indices[0]), span=node.span)
    tuples = Call(Stack(0), (Tuple(tuple(to_common_shape(indices))),))
    found = Call(GatherND(), (transposed(x, order), tuples), span=node.span)
    rank, inner = found.tensor_type.rank, tuples.tensor_type.rank - 1
    return transposed(
        found, [*range(inner, inner + behind), *range(inner), *range(inner + behind, rank)]
    )


def _indexed(node: TorchNode) -> tuple[Expr, list[int], list[Expr], int]:
    """Return the tensor, a permutation of its axes, the indices, and a position.

    The permutation has the indexed axes first. The position is that of the index axes in the
    result: the position of the indexed axes if they are adjacent, otherwise 0.
    """
    x = node.tensor("self")
    given: list[Expr | None] = []
    for each in node.sequence("indices"):
        index_ = None if each is None else node.as_tensor(each, "an index")
        masked = index_ is not None and index_.tensor_type.dtype is bool_
        given += places_of(index_) if masked and index_ is not None else [index_]
    axes = [axis for axis, each in enumerate(given) if each is not None]
    indices = _of_one_type([each for each in given if each is not None])
    rank = x.tensor_type.rank
    order = [*axes, *(axis for axis in range(rank) if axis not in axes)]
    together = axes == list(range(axes[0], axes[0] + len(axes))) if axes else False
    return x, order, indices, axes[0] if together else 0


def _of_one_type(indices: list[Expr]) -> list[Expr]:
    """Return integer tensors, converted to int64 if their types differ."""
    same = len({each.tensor_type.dtype for each in indices}) < 2
    return indices if same else [converted(each, int64) for each in indices]


def places_of(mask: Expr) -> list[Expr]:
    """Return the indices at which a mask is true: one vector per axis."""
    found = Call(ArgWhere(), (mask,))
    rank = mask.tensor_type.rank
    columns = Call(Transpose((1, 0)), (found,))
    return [Call(Take(axis=0), (columns, constant(axis, int64))) for axis in range(rank)]


@torch_operator("index_put", "_unsafe_index_put")
def index_put(node: TorchNode) -> Expr:
    """Translate `index_put`: write, or add, at index tensors."""
    node.ignore("unsafe")
    (mask, *others) = node.sequence("indices")
    x, values = node.tensor("self"), node.tensor("values")
    fills = not others and not values.tensor_type.rank and not node.flag("accumulate")
    if fills and isinstance(mask, Expr) and mask.tensor_type.dtype is bool_:
        rest = (1,) * (x.tensor_type.rank - mask.tensor_type.rank)
        wide = reshaped(mask, (*mask.tensor_type.shape, *rest))
        return where(wide, converted(values, x.tensor_type.dtype), x)
    x, order, indices, behind = _indexed(node)
    tuples = Call(Stack(0), (Tuple(tuple(to_common_shape(indices))),))
    moved = transposed(x, order)
    inner = tuples.tensor_type.shape[1:]
    rest = moved.tensor_type.shape[len(indices) :]
    values = converted(values, x.tensor_type.dtype)
    front = _index_axes_to_front(len(inner), behind, len(rest))
    if ANY in inner:  # how often values are repeated is known only at run time
        read = transposed(
            Call(GatherND(), (moved, tuples)), [front.index(i) for i in range(len(front))]
        )
        full: Expr = Call(BroadcastToLike(), (values, read))
    else:
        full = broadcast(values, (*rest[:behind], *inner, *rest[behind:]))
    full = transposed(full, front)
    op = ScatterND("add" if node.flag("accumulate") else "update")
    written = Call(op, (moved, tuples, full), span=node.span)
    return transposed(written, [order.index(axis) for axis in range(len(order))])


def _index_axes_to_front(inner: int, behind: int, rest: int) -> list[int]:
    """Return the permutation that moves the `inner` index axes from position `behind` to 0."""
    return [*range(behind, behind + inner), *range(behind), *range(behind + inner, inner + rest)]


REDUCTIONS = {"add": "add", "multiply": "mul", "sum": "add", "prod": "mul", "mean": "mean",
               "amax": "max", "amin": "min"}  # fmt: skip
"""The modes of scatters by PyTorch's names of reductions."""


@torch_operator("scatter", "scatter_add", "scatter_reduce")
def scatter(node: TorchNode) -> Expr:
    """Translate scatters: write or combine one element for each index.

    Raises `F030` for reductions that exclude the original elements.
    """
    x, places = node.tensor("self"), node.tensor("index")
    name = "value" if "value" in node else "src"
    updates = operand(node, node.value(name), x.tensor_type.dtype)
    kind = (
        "add"
        if node.operator == "scatter_add"
        else REDUCTIONS.get(str(node.value("reduce")), "update")
    )
    if "include_self" in node and not node.flag("include_self"):
        return without_self(node, x, places, updates, kind)
    return scattered(node, x, places, updates, kind)


def without_self(node: TorchNode, x: Expr, places: Expr, updates: Expr, kind: str) -> Expr:
    """Return a scatter that replaces elements by the reduced updates, ignoring old values.

    An old value that equals the largest or smallest update takes a share of the derivative, which
    is lost, as in PyTorch.
    """
    dtype = x.tensor_type.dtype
    ones = broadcast(constant(1, dtype), places.tensor_type.shape)
    none = broadcast(constant(0, dtype), x.tensor_type.shape)
    count = scattered(node, none, places, ones, "add")
    changes = Call(Greater(), (count, constant(0, dtype)))
    if kind == "mean":
        total = scattered(node, none, places, updates, "add")
        safe = where(changes, count, constant(1, dtype))
        return where(changes, divided(total, safe), x)
    if kind not in ("max", "min"):
        neutral = operand(node, {"mul": 1}.get(kind, 0), dtype)
        return scattered(node, where(changes, neutral, x), places, updates, kind)
    edge = operand(node, _extreme_value(x, largest=kind == "min"), dtype)
    found = scattered(node, where(changes, edge, x), places, updates, kind)
    if not dtype.is_float:
        return found
    old = where(equal(x, Call(StopGradient(), (found,))), Call(StopGradient(), (x,)), edge)
    return with_derivatives_of(
        scattered(node, where(changes, old, x), places, updates, kind), found
    )


def _extreme_value(x: Expr, *, largest: bool) -> float:
    """Return the largest or the smallest value of a tensor's element type."""
    dtype = x.tensor_type.dtype
    if dtype.is_float:
        return np.inf if largest else -np.inf
    limits = torch.iinfo(torch_dtype(dtype))
    return limits.max if largest else limits.min


@torch_operator("put")
def put(node: TorchNode) -> Expr:
    """Translate `put`: write, or add, at indices of the flattened tensor."""
    x = node.tensor("self")
    flat, places = reshaped(x, (-1,)), reshaped(node.tensor("index"), (-1,))
    source = reshaped(node.tensor("source"), (-1,))
    op = ScatterElements(0, "add" if node.flag("accumulate") else "update")
    return reshaped(Call(op, (flat, places, source), span=node.span), x.tensor_type.shape)


def scattered(node: TorchNode, x: Expr, places: Expr, updates: Expr, kind: str) -> Expr:
    """Return `x` with updates combined at the indices `places` along the node's axis."""
    shape = places.tensor_type.shape
    if not x.tensor_type.rank:
        whole = [reshaped(each, (1,)) for each in (x, places, updates)]
        node.ignore("dim")
        return reshape(Call(ScatterElements(0, kind), tuple(whole), span=node.span), ())
    updates = broadcast(updates, shape) if not updates.tensor_type.rank else updates
    if updates.tensor_type.shape != shape:
        axes = tuple(range(len(shape)))
        op = StridedSlice((0,) * len(shape), shape, axes=axes)
        updates = Call(op, (updates,))
    op = ScatterElements(node.integer("dim"), kind)
    return Call(op, (x, places, updates), span=node.span)


@torch_operator("index_add", "index_copy", "index_fill")
def index_write(node: TorchNode) -> Expr:
    """Translate `index_add`, `index_copy` and `index_fill`, which write slices of an axis."""
    whole, axis, places = node.tensor("self"), node.integer("dim"), node.tensor("index")
    places = reshape(places, (1,)) if not places.tensor_type.rank else places
    dtype = whole.tensor_type.dtype
    x = whole if whole.tensor_type.rank else reshape(whole, (1,))
    rank = x.tensor_type.rank
    order = [axis % rank, *(each for each in range(rank) if each != axis % rank)]
    moved = transposed(x, order)
    rows = (*places.tensor_type.shape, *moved.tensor_type.shape[1:])
    if node.operator == "index_fill":
        updates = broadcast(operand(node, node.value("value"), dtype), rows)
    else:
        source = node.tensor("source")
        updates = transposed(source, order) if source.tensor_type.rank else broadcast(source, rows)
        updates = converted(updates, dtype)
    if node.value("alpha") not in (None, 1):
        updates = multiply(updates, operand(node, node.value("alpha"), dtype))
    op = ScatterND("add" if node.operator == "index_add" else "update")
    tuples = reshape(places, (1, *places.tensor_type.shape))
    written = Call(op, (moved, tuples, updates), span=node.span)
    result = transposed(written, [order.index(each) for each in range(rank)])
    return result if whole.tensor_type.rank else reshape(result, ())


@torch_operator("nonzero")
def nonzero(node: TorchNode) -> Expr:
    """Translate `nonzero`: coordinates of nonzero elements, a row for each."""
    found = Call(ArgWhere(), (node.tensor("self"),), span=node.span)
    return converted(found, int64)


@torch_operator("masked_select")
def masked_select(node: TorchNode) -> Expr:
    """Translate `masked_select`: the elements where a mask is true."""
    x, mask = to_common_shape([node.tensor("self"), node.tensor("mask")])
    (places,) = places_of(reshaped(truth(mask), (product(mask.tensor_type.shape),)))
    return Call(
        Take(axis=0), (reshaped(x, (product(x.tensor_type.shape),)), places), span=node.span
    )


@torch_operator("cumsum", "cumprod")
def running(node: TorchNode) -> Expr:
    """Translate `cumsum` and `cumprod`; integers become int64 unless a type is given."""
    x = node.tensor("self")
    dtype = node.dtype() or (x.tensor_type.dtype if x.tensor_type.dtype.has_derivatives else int64)
    x = converted(x, dtype)
    if not x.tensor_type.rank:
        node.ignore("dim")
        return x
    op = (Cumsum if node.operator == "cumsum" else Cumprod)(axis=node.integer("dim"))
    return Call(op, (x,), span=node.span)


@torch_operator("topk")
def topk(node: TorchNode) -> Sequence[Expr]:
    """Translate `topk`: largest or smallest elements, sorted, and their indices."""
    x, axis, largest = node.tensor("self"), node.integer("dim"), node.flag("largest")
    node.ignore("sorted")
    if not x.tensor_type.rank:
        node.ignore("k")
        return [x, constant(0, int64)]
    if node.is_run_time("k"):
        op = DynamicTopK(axis=axis, is_ascend=not largest, dtype=int64)
        count = converted(reshape(node.tensor("k"), (1,)), int64)
        both = Call(op, (x, count), span=node.span)  # for a `k` of 0 it returns all
        return [first_of(TupleGetItem(both, index), count, axis) for index in (0, 1)]
    count = node.dim("k")
    if count == 0:
        none = Call(StridedSlice((0,), (0,), axes=(axis,)), (x,), span=node.span)
        return [none, converted(none, int64)]
    both = Call(TopK(count, axis, is_ascend=not largest, dtype=int64), (x,), span=node.span)
    return [TupleGetItem(both, 0), TupleGetItem(both, 1)]


@torch_operator("sort", "argsort", "msort")
def sort(node: TorchNode) -> object:
    """Translate `sort`, `argsort` and `msort`, which are stable."""
    x = node.tensor("self")
    node.ignore("stable")
    axis = 0 if node.operator == "msort" else node.integer("dim")
    rises = not node.flag("descending")
    if not x.tensor_type.rank:
        place = constant(0, int64)
        return {"sort": [x, place], "argsort": place}.get(node.operator, x)
    order = _order(x, axis, rises)
    if node.operator == "argsort":
        return order
    values = Call(Gather(axis), (x, order), span=node.span)
    return Call(Sort(axis, rises), (x,)) if node.operator == "msort" else [values, order]


def _order(x: Expr, axis: int, rises: bool) -> Expr:
    """Return the indices of the stable order along an axis."""
    if rises:
        return Call(Argsort(axis, is_ascend=True, dtype=int64), (x,))
    return Call(TopK(0, axis, "indices", is_ascend=False, dtype=int64), (x,))


@torch_operator("masked_scatter")
def masked_scatter(node: TorchNode) -> Expr:
    """Translate `masked_scatter`: write a tensor's elements, in order, where a mask is true."""
    x, mask = to_common_shape([node.tensor("self"), node.tensor("mask")])
    flat = converted(reshaped(mask, (-1,)), int64)
    number = subtract(Call(Cumsum(axis=0), (flat,)), constant(1, int64))
    source = reshaped(node.tensor("source"), (-1,))
    taken = Call(Take(axis=0), (source, reshaped(number, x.tensor_type.shape)), span=node.span)
    return where(truth(mask), taken, x)


@torch_operator("searchsorted", "bucketize")
def searchsorted(node: TorchNode) -> Expr:
    """Translate `searchsorted` and `bucketize`: insertion indices into sorted rows."""
    lines = node.tensor("sorted_sequence" if node.operator == "searchsorted" else "boundaries")
    values = node.tensor("self")
    right = node.flag("right") or node.value("side") == "right"
    if "sorter" in node:
        lines = Call(Gather(-1), (lines, node.tensor("sorter")))
    if lines.tensor_type.rank != 1 and values.tensor_type.rank == 0:
        raise node.error(
            ErrorCode.F030,
            "searching for a single number in a sequence of several axes is not supported",
        )
    dtype = int32 if node.flag("out_int32") else int64
    values = converted(values, lines.tensor_type.dtype)
    flat = reshaped(values, (1,)) if not values.tensor_type.rank else values
    found = Call(SearchSorted(right, dtype), (lines, flat), span=node.span)
    return reshaped(found, values.tensor_type.shape)


@torch_operator("one_hot")
def one_hot(node: TorchNode) -> Expr:
    """Translate `one_hot`."""
    classes = node.integer("num_classes")
    on, off = constant(1, int64), constant(0, int64)
    return Call(OneHot(classes, -1, int64), (node.tensor("self"), on, off), span=node.span)
