"""Translate ONNX slices and splits; bounds may be computed at run time."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.node_errors import static_size
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.run_time_checks import making_up, required, sized
from relay.frontend.onnx.translate.run_time_tensors import (
    as_int64,
    ceiling_divided,
    counting,
    length,
    numbers,
    part,
    placed,
    sizes_of,
)
from relay.ir.dims import ANY, Dim, lower_bound, maximum
from relay.ir.expr import Call, Constant, Expr, TupleGetItem
from relay.opdef import checks
from relay.ops.binary import Maximum, Minimum, multiply, subtract
from relay.ops.elementwise import Negative
from relay.ops.tensor.concat_and_split import Split
from relay.ops.tensor.dim_arithmetic import minimum
from relay.ops.tensor.gather import Take
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.scan import Cumsum
from relay.ops.tensor.slice import StridedSlice, clamp, wrapped
from relay.support.dtype import int64

_TO_THE_END = 10**9
_LARGEST = (2**31 - 1, 2**63 - 1)


@onnx_operator("Slice")
def slice_node(node: OnnxNode) -> Expr:
    """Translate `Slice`; an empty range gives an empty result."""
    if node.opset < 10:
        begin, end = tuple(node.required("starts")), tuple(node.required("ends"))
        axes, steps = node.attribute("axes"), None
    elif not all(node.is_known(index) for index in range(1, 5) if node.has(index)):
        return _slice_of_run_time(node)
    else:
        begin, end = node.dims(1, "the starts"), node.dims(2, "the ends")
        axes = node.ints(3, "the axes") if node.has(3) else None
        steps = node.ints(4, "the steps") if node.has(4) else None
    axes = tuple(range(len(begin))) if axes is None else tuple(axes)
    strides = (1,) * len(begin) if steps is None else steps
    shape = node.type(0).shape
    if node.opset >= 10 and any(shape[axis] is ANY for axis in axes):
        return _slice_of_run_time(node)  # the program computes its size
    ranges = [
        _range(shape[axis], b, e, s)
        for axis, b, e, s in zip(axes, begin, end, strides, strict=True)
    ]
    begins, ends, steps = zip(*ranges, strict=True) if ranges else ((), (), ())
    op = StridedSlice(begin=begins, end=ends, strides=steps, axes=axes)
    return Call(op, (node.expr(0),), span=node.span)


def _slice_of_run_time(node: OnnxNode) -> Expr:
    """Slice with run-time bounds, along known axes or along all."""
    x, rank = node.expr(0), node.rank(0)
    axes = _known_axes(node)
    steps = None
    if axes is not None:
        begin, end = (numbers(node, index, len(axes)) for index in (1, 2))
        steps = numbers(node, 4, len(axes)) if node.has(4) else None
        sizes = Call(Take(axis=0), (sizes_of(x), Constant(np.array(axes, np.int64) % max(rank, 1))))
    else:
        begin, end = (as_int64(node.expr(index)) for index in (1, 2))
        places, sizes = node.expr(3) if node.has(3) else counting(begin), sizes_of(x)
        if node.has(4):
            steps = placed(as_int64(node.expr(4)), places, Constant(np.ones(rank, np.int64)))
        begin = placed(begin, places, Constant(np.zeros(rank, np.int64)))
        end = placed(end, places, sizes)
    if steps is None:
        steps = Constant(np.ones(rank if axes is None else len(axes), np.int64))
    else:  # a backward range begins at an element
        begin = Call(Maximum(), (begin, Call(Negative(), (sizes,))))
    return Call(DynamicStridedSlice(axes=axes), (x, begin, end, steps), span=node.span)


def _known_axes(node: OnnxNode) -> tuple[int, ...] | None:
    """Return the sliced axes; None if neither the axes nor their number is known."""
    if node.has(3):
        return node.ints(3, "the axes") if node.is_known(3) else None
    lengths = [node.type(index).shape[0] for index in (1, 2, 4) if node.has(index)]
    return next((tuple(range(size)) for size in lengths if isinstance(size, int)), None)


def _range(size: Dim, begin: Dim, end: Dim, step: int) -> tuple[Dim, Dim, int]:
    """Return a range in the form of Relay's slice operator.

    A range without elements becomes an empty range instead of an error.

    Exporters write an end beyond every dimension for "to the last element"; backwards, ONNX Runtime
    takes only the largest numbers of two types as such. A start before the first is clamped to it.
    """
    if end in _LARGEST and step < 0:
        end = -(1 << 63)
    if isinstance(size, int) and isinstance(begin, int) and isinstance(end, int):
        first, last, _ = slice(max(begin, -size), end, step).indices(size)
        if not range(first, last, step):
            return 0, 0, 1
        return first, last if last >= 0 else -size - 1, step
    to_the_end = isinstance(end, int) and end >= _TO_THE_END and step > 0
    last = size if to_the_end else end
    if isinstance(begin, int) and begin < 0 and step < 0:
        begin = maximum(size + begin, 0)
    if _runs_backwards(begin, last, step):
        return 0, 0, 1
    return begin, last if size is ANY else _slice_end(begin, last, step, size), step


def _slice_end(begin: Dim, end: Dim, step: int, size: Dim) -> Dim:
    """Return the end of a range; equal to `begin` if the bounds cross."""
    low, high = (0, size) if step > 0 else (-1, size - 1)
    begin, last = wrapped(begin, size), wrapped(end, size)
    length = clamp(last, low, high) - clamp(begin, low, high)
    least = lower_bound(length if step > 0 else -length)
    if least is not None and least >= 0:
        return end
    return maximum(begin, last) if step > 0 else minimum(begin, last)


def _runs_backwards(begin: Dim, end: Dim, step: int) -> bool:
    """Whether a range is empty for every size: it ends at 0, or both bounds cross."""
    if not (isinstance(begin, int) and isinstance(end, int)):
        return False
    if (begin < 0) != (end < 0):
        return end == 0 and step > 0
    return end <= begin if step > 0 else begin <= end


@onnx_operator("Split")
def split(node: OnnxNode) -> Sequence[Expr]:
    """Translate `Split` by sizes, or into as many equal parts as there are outputs."""
    axis = checks.axis("Split", node.integer("axis", 0), node.rank(0))
    count = node.integer("num_outputs", len(node.outputs))
    whole: Dim = node.type(0).shape[axis]
    if node.has(1) and not node.is_known(1):
        given = numbers(node, 1, len(node.outputs))
        fits = making_up(given, size_of(node.expr(0), axis))
        return required(node, fits, lambda sizes: _parts(node, axis, sizes))
    sizes = node.ints(1, "the sizes") if node.has(1) else node.attribute("split")
    if sizes is None and not isinstance(whole, int):
        return _parts(node, axis, _equal_sizes(node, axis, count))
    if sizes is None:
        sizes = _equal_parts(static_size(whole), count)
    x = sized(node, node.expr(0), axis, sum(sizes))
    borders = tuple(int(border) for border in np.cumsum(sizes)[:-1])
    if not borders:
        return [x]
    parts = Call(Split(borders, axis), (x,), span=node.span)
    return [TupleGetItem(parts, index) for index in range(len(sizes))]


def _equal_parts(whole: int, count: int) -> list[int]:
    """Return the sizes of `count` equal parts; the last one is smaller if necessary."""
    each = -(-whole // count)
    return [min(each, max(0, whole - i * each)) for i in range(count)]


def _equal_sizes(node: OnnxNode, axis: int, count: int) -> Expr:
    """Return the sizes of equal parts as a vector, for a size that is known only at run time."""
    whole = size_of(node.expr(0), axis)
    each = ceiling_divided(whole, constant(count, int64))
    before = multiply(each, Constant(np.arange(count)))
    left = Call(Maximum(), (subtract(whole, before), constant(0, int64)))
    return Call(Minimum(), (left, each))


def _parts(node: OnnxNode, axis: int, sizes: Expr) -> list[Expr]:
    """Return consecutive parts of `sizes` along an axis."""
    ends = Call(Cumsum(axis=0), (sizes,))
    begins, one = subtract(ends, sizes), Constant(np.ones(1, np.int64))
    op = DynamicStridedSlice(axes=(axis,))
    bounds = [[part(each, i, i + 1) for each in (begins, ends)] for i in range(length(sizes))]
    return [Call(op, (node.expr(0), *pair, one), span=node.span) for pair in bounds]
