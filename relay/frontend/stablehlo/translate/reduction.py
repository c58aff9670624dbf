"""Translate StableHLO reductions over axes and windows, and the derivative of max pooling."""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from relay.frontend.builders.tensors import reshape
from relay.frontend.stablehlo.node import HloNode, Region
from relay.frontend.stablehlo.registry import hlo_operation
from relay.frontend.stablehlo.translate.shapes import padded
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Add, Maximum, Minimum, Multiply
from relay.ops.broadcasting import BroadcastTo
from relay.ops.comparison import GreaterEqual
from relay.ops.logical import LogicalAnd, LogicalOr
from relay.ops.max_min_reductions import All, Any, Max, Min
from relay.ops.nn.pool_grad import MaxPoolGrad
from relay.ops.nn.pool_operators import MaxPool1DGrad, MaxPool2DGrad, MaxPool3DGrad
from relay.ops.sum_and_mean_reductions import Prod, Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.scan import Cumprod, Cumsum
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Reverse, Transpose, inverted
from relay.ops.tensor.windows_and_fourier import SlidingWindow
from relay.support.error_codes import ErrorCode

_REDUCTIONS: Mapping[type[OperatorDef], tuple[type[OperatorDef], float]] = {
    Add: (Sum, 0),
    Multiply: (Prod, 1),
    Maximum: (Max, -np.inf),
    Minimum: (Min, np.inf),
    LogicalAnd: (All, 1),
    LogicalOr: (Any, 0),
}
"""For binary operators: the reduction, and the neutral element."""


def operator_of(region: Region) -> type[OperatorDef] | None:
    """Return the operator that a region applies to its two parameters; None for other regions."""
    if len(region.types) != 2:
        return None
    first, second = region.variables()
    results = region(first, second)
    match results:
        case [Call(OperatorDef() as op, (a, b))] if {a, b} == {first, second}:
            return type(op) if type(op) in _REDUCTIONS else None
        case _:
            return None


def _is_neutral(value: Expr, number: float) -> bool:
    """Return whether an initial value is the constant `number`, the neutral element."""
    if not isinstance(value, Constant) or value.data.size != 1:
        return False
    found, of = value.data.reshape(()), value.data.dtype
    if np.isinf(number) and of.kind in "iu":
        limits = np.iinfo(str(of))
        return bool(found == (limits.min if number < 0 else limits.max))
    return bool(found.astype(np.float64) == number)


@hlo_operation("reduce")
def reduce(node: HloNode) -> Sequence[Expr]:
    """Translate `reduce`: by Relay's reduction operator, or by repeated halving."""
    axes, body = node.ints("dimensions"), node.region(0)
    count = len(node.operands) // 2
    data, initial = node.operands[:count], node.operands[count:]
    op = operator_of(body)
    if op is None or count != 1:
        return _by_halves(body, data, initial, axes)
    whole, neutral = _REDUCTIONS[op]
    found = Call(whole(axis=axes), data, span=node.span) if axes else data[0]
    joined = found if _is_neutral(initial[0], neutral) else Call(op(), (found, initial[0]))
    return [joined]


def _by_halves(
    body: Region, data: Sequence[Expr], initial: Sequence[Expr], axes: Sequence[int]
) -> list[Expr]:
    """Reduce with any region: combine the first half with the second until one row is left."""
    rank = data[0].tensor_type.rank
    kept = [axis for axis in range(rank) if axis not in axes]
    sizes = data[0].tensor_type.static_shape
    rest = tuple(sizes[axis] for axis in kept)
    many = prod(sizes[axis] for axis in axes)
    rows = [reshape(Call(Transpose((*axes, *kept)), (x,)), (many, *rest)) for x in data]
    if many == 0:
        return [_repeated(each, rest) for each in initial]
    while many > 1:
        half = many // 2
        first, second = ([_rows(x, low, low + half) for x in rows] for low in (0, half))
        joined = body(*first, *second)
        if many % 2:
            last = [_rows(x, many - 1, many) for x in rows]
            ends = body(*(_rows(x, 0, 1) for x in joined), *last)
            joined = _with_first(joined, ends, half)
        rows, many = list(joined), half
    return body(*(_repeated(each, rest) for each in initial), *(reshape(x, rest) for x in rows))


def _with_first(rows: Sequence[Expr], first: Sequence[Expr], count: int) -> list[Expr]:
    """Return `rows`, of which there are `count`, with the first row replaced by `first`."""
    if count == 1:
        return list(first)
    rest = (_rows(x, 1, count) for x in rows)
    pairs = zip(first, rest, strict=True)
    return [Call(Concatenate(0), (Tuple((a, b)),)) for a, b in pairs]


def _rows(x: Expr, begin: int, end: int) -> Expr:
    return Call(StridedSlice((begin,), (end,), axes=(0,)), (x,))


def _repeated(x: Expr, shape: Sequence[int]) -> Expr:
    return Call(BroadcastTo(tuple(shape)), (x,)) if shape else x


@hlo_operation("reduce_window")
def reduce_window(node: HloNode) -> Sequence[Expr]:
    """Translate `reduce_window`, if the region is one operator."""
    op = operator_of(node.region(0))
    if op is None or len(node.operands) != 2:
        raise node.error(
            ErrorCode.F030,
            "a reduction over windows must use a single operator, such as a sum or a maximum",
        )
    x, initial = node.operands
    window = node.ints("window_dimensions")
    ones = (1,) * len(window)
    strides, spread = node.ints_or("window_strides", ones), node.ints_or("base_dilations", ones)
    dilation = node.ints_or("window_dilations", ones)
    pairs = node.matrix("padding", len(window))
    running = _cumulative(op, x, window, strides, dilation, spread, pairs)
    if running is not None and _is_neutral(initial, _REDUCTIONS[op][1]):
        return [running]
    low, high = (tuple(pair[side] for pair in pairs) for side in (0, 1))
    x = padded(x, initial, low, high, tuple(each - 1 for each in spread))
    for axis, size in enumerate(window):
        x = _windows_of(op, x, axis, size, strides[axis], dilation[axis])
    return [x if _is_neutral(initial, _REDUCTIONS[op][1]) else Call(op(), (x, initial))]


def _cumulative(
    op: type[OperatorDef], x: Expr, window: Sequence[int], strides: Sequence[int],
    dilation: Sequence[int], spread: Sequence[int], pairs: Sequence[tuple[int, int]],
) -> Expr | None:  # fmt: skip
    """Return a cumulative sum or product if the windows describe one, else None."""
    scans: Mapping[type[OperatorDef], type[Cumsum | Cumprod]] = {Add: Cumsum, Multiply: Cumprod}
    long = [axis for axis, size in enumerate(window) if size > 1]
    if op not in scans or len(long) != 1 or {*strides, *dilation, *spread} != {1}:
        return None
    (axis,) = long
    size = x.tensor_type.static_shape[axis]
    others = [pair for n, pair in enumerate(pairs) if n != axis]
    if window[axis] != size or any(width for pair in others for width in pair):
        return None
    scan = scans[op](axis)
    if pairs[axis] == (size - 1, 0):
        return Call(scan, (x,))
    if pairs[axis] == (0, size - 1):
        return Call(Reverse(axis), (Call(scan, (Call(Reverse(axis), (x,)),)),))
    return None


def _windows_of(
    op: type[OperatorDef], x: Expr, axis: int, size: int, stride: int, dilation: int
) -> Expr:
    """Return the reduced windows along one axis."""
    if size == 1 and stride == 1:
        return x
    if dilation == 1 and size > _FEW:
        behind = x.tensor_type.rank - axis - 1
        cut = SlidingWindow(axis, (size, *(1,) * behind), (stride, *(1,) * behind))
        places = tuple(range(-1 - behind, 0))
        return Call(_REDUCTIONS[op][0](axis=places), (Call(cut, (x,)),))
    length = x.tensor_type.static_shape[axis]
    count = max((length - (size - 1) * dilation - 1) // stride + 1, 0)
    reach = (count - 1) * stride + 1
    found = None
    for begin in range(0, size * dilation, dilation):
        cut = StridedSlice((begin,), (begin + reach,), (stride,), axes=(axis,))
        part = Call(cut, (x,))
        found = part if found is None else Call(op(), (found, part))
    assert found is not None, "windows are not empty"
    return found


_FEW = 4  # the limit of window elements that are combined one by one

_GRADIENTS: Mapping[int, type[MaxPoolGrad]] = {
    1: MaxPool1DGrad,
    2: MaxPool2DGrad,
    3: MaxPool3DGrad,
}


@hlo_operation("select_and_scatter")
def select_and_scatter(node: HloNode) -> Expr:
    """Translate `select_and_scatter`, the derivative of max pooling.

    The number of each window is added at the window's first maximum.
    """
    data, source, initial = node.operands
    window = node.ints("window_dimensions")
    ones = (1,) * len(window)
    strides, pairs = node.ints_or("window_strides", ones), node.matrix("padding", len(window))
    spatial = [axis for axis, size in enumerate(window) if size > 1 or strides[axis] > 1]
    adds = operator_of(node.region(1)) is Add and _is_neutral(initial, 0)
    if not (_selects_largest(node.region(0)) and adds and 1 <= len(spatial) <= 3):
        raise node.error(
            ErrorCode.F030, "select_and_scatter is supported only as the derivative of max pooling"
        )
    others = [axis for axis in range(len(window)) if axis not in spatial]
    order = (*others, *spatial)
    sizes = [data.tensor_type.static_shape[axis] for axis in order]
    folded = (1, prod(sizes[: len(others)]), *sizes[len(others) :])
    counts = source.tensor_type.static_shape
    given = reshape(
        Call(Transpose(order), (source,)),
        (1, folded[1], *(counts[axis] for axis in spatial)),
    )
    image = reshape(Call(Transpose(order), (data,)), folded)
    op = _GRADIENTS[len(spatial)](
        pool_size=tuple(window[axis] for axis in spatial),
        strides=tuple(strides[axis] for axis in spatial),
        padding=(*(pairs[axis][0] for axis in spatial), *(pairs[axis][1] for axis in spatial)),
    )
    found = reshape(Call(op, (given, image), span=node.span), sizes)
    return Call(Transpose(inverted(order)), (found,))


def _selects_largest(region: Region) -> bool:
    """Whether a region tests that its first parameter is greater than or equal to the second."""
    first, second = region.variables()
    match region(first, second):
        case [Call(GreaterEqual(), (a, b))]:
            return a is first and b is second
        case _:
            return False
