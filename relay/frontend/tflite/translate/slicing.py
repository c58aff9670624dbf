"""Translate slices."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from relay.frontend.builders.part import read_part, write_part
from relay.frontend.builders.tensors import reshape
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.ir.expr import Call, Constant, Expr
from relay.ops.tensor.dynamic import Dynamic
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import ExpandDims, Squeeze
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.sizes import END
from relay.ops.tensor.slice import StridedSlice
from relay.support.error_codes import ErrorCode


@lite_operator("SLICE")
def slice_node(node: LiteNode) -> Expr:
    """Read a slice by begins and sizes; a size of -1 is inferred."""
    x = node.expr(0)
    if not isinstance(node.expr(2), Constant):
        return _at_run_time(node, DynamicStridedSlice(slice_mode="size"))
    sizes = node.ints(2, "the sizes")
    if isinstance(node.expr(1), Constant):
        begin = node.ints(1, "where it begins")
        return Call(StridedSlice(begin, sizes, slice_mode="size"), (x,), span=node.span)
    if -1 in sizes:
        return _at_run_time(node, DynamicStridedSlice(slice_mode="size"))
    return read_part(x, scalars(node.expr(1), len(sizes)), sizes)


def _at_run_time(node: LiteNode, op: Dynamic) -> Expr:
    steps = Constant(np.ones(node.type(0).rank, np.int64))
    return Call(op, (node.expr(0), node.expr(1), node.expr(2), steps), span=node.span)


def scalars(vector: Expr, count: int) -> list[Expr]:
    """Return the elements of a vector."""
    parts = [Call(StridedSlice((index,), (index + 1,)), (vector,)) for index in range(count)]
    return [reshape(part, ()) for part in parts]


@lite_operator("DYNAMIC_UPDATE_SLICE")
def dynamic_update_slice(node: LiteNode) -> Expr:
    """Write a tensor into another one."""
    begins = scalars(node.expr(2), node.type(0).rank)
    return write_part(node.expr(0), node.expr(1), begins)


@dataclass(frozen=True)
class _Bound:
    """The description of one axis of the data, or of the result, by a strided slice."""

    begin: int
    end: int
    stride: int
    is_one: bool


@lite_operator("STRIDED_SLICE")
def strided_slice(node: LiteNode) -> Expr:
    """Read a strided slice; some axes are dropped, others are new."""
    if node.option_or("Offset", default=False):
        raise node.error(
            ErrorCode.F030, "bounds that count from where a part begins are not supported"
        )
    if not isinstance(node.expr(1), Constant):
        return _one_place(node)
    x, rank = node.expr(0), node.type(0).rank
    bounds, new = list(_bounds(node, rank)), _new_axes(node)
    op = StridedSlice(
        tuple(each.begin for each in bounds),
        tuple(each.end for each in bounds),
        tuple(each.stride for each in bounds),
    )
    part = Call(op, (x,), span=node.span)
    dropped = tuple(axis for axis, each in enumerate(bounds) if each.is_one)
    if dropped:
        part = Call(Squeeze(dropped), (part,))
    for axis in new:
        part = Call(ExpandDims(axis), (part,))
    return part


def _one_place(node: LiteNode) -> Expr:
    """Return the slice at a run-time index of the first axis."""
    shrinks = node.option("ShrinkAxisMask") == 1 and node.type(1).static_shape == (1,)
    for name in ("BeginMask", "EllipsisMask", "NewAxisMask"):
        shrinks = shrinks and not node.option(name)
    node.ignore("EndMask")
    if not shrinks:
        raise node.error(ErrorCode.F022, "where the part begins is computed at run time")
    place = reshape(node.expr(1), ())
    return Call(Take(axis=0, mode="raise"), (node.expr(0), place), span=node.span)


def _masks(node: LiteNode) -> dict[str, int]:
    names = ("BeginMask", "EndMask", "EllipsisMask", "NewAxisMask", "ShrinkAxisMask")
    return {name: node.option(name) for name in names}


def _bounds(node: LiteNode, rank: int) -> Iterator[_Bound]:
    """List the bounds of each axis of the data."""
    masks, shape = _masks(node), node.type(0).shape
    begins, ends = node.ints(1, "the begin"), node.ints(2, "the end")
    strides = node.ints(3, "the strides")
    whole = _Bound(0, END, 1, is_one=False)
    named = [n for n in range(len(begins)) if not masks["NewAxisMask"] >> n & 1]
    ellipsis_ = [n for n in named if masks["EllipsisMask"] >> n & 1]
    missing = rank - len(named) + len(ellipsis_)
    axis = 0
    for n in named:
        if n in ellipsis_:
            yield from [whole] * missing
            axis += missing
            continue
        is_one = bool(masks["ShrinkAxisMask"] >> n & 1)
        begin = None if masks["BeginMask"] >> n & 1 and not is_one else begins[n]
        end = None if masks["EndMask"] >> n & 1 else ends[n]
        yield _bound(shape[axis], begin, end, strides[n], is_one=is_one)
        axis += 1
    if not ellipsis_:
        yield from [whole] * missing


def _bound(
    size: object, begin: int | None, end: int | None, stride: int, *, is_one: bool
) -> _Bound:
    """Return the bounds of one axis, clamped if its size is known."""
    if is_one:
        first = begin or 0
        return _Bound(first, END if first == -1 else first + 1, 1, is_one=True)
    if isinstance(size, int):
        low, high, step = slice(begin, end, stride).indices(size)
        high = max(high, low) if step > 0 else min(high, low)
        return _Bound(low, -END if high < 0 else high, step, is_one=False)
    far = END if stride > 0 else -END
    first = begin if begin is not None else (0 if stride > 0 else END)
    return _Bound(first, far if end is None else end, stride, is_one=False)


def _new_axes(node: LiteNode) -> Sequence[int]:
    """Return the positions of new axes in the result."""
    masks, count = _masks(node), len(node.ints(1, "the begin"))
    if not masks["NewAxisMask"]:
        return ()
    if masks["EllipsisMask"]:
        raise node.error(ErrorCode.F030, "new axes beside an ellipsis are not supported")
    kept = [n for n in range(count) if not masks["ShrinkAxisMask"] >> n & 1]
    return [place for place, n in enumerate(kept) if masks["NewAxisMask"] >> n & 1]
