"""Translate StableHLO reductions over axes and windows, and the derivative of max pooling."""

from collections.abc import Mapping, Sequence

from relay.frontend.builders.counted_loops import at, loop
from relay.frontend.builders.size_expressions import size_number
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.builders.translation_registry import registering
from relay.frontend.builders.window_reductions import (
    REDUCTIONS,
    Windows,
    folded_windows,
    is_neutral,
    reduced_windows,
)
from relay.frontend.stablehlo.node import HloNode, Region
from relay.frontend.stablehlo.registry import TRANSLATIONS, hlo_operation
from relay.ir.dims import ANY, Shape, product
from relay.ir.expr import Call, Expr, Tuple
from relay.ir.types import TensorType
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Add
from relay.ops.broadcasting import BroadcastTo
from relay.ops.comparison import GreaterEqual, LessEqual
from relay.ops.elementwise import Negative
from relay.ops.nn.pool_grad import MaxPoolGrad
from relay.ops.nn.pool_operators import MaxPool1DGrad, MaxPool2DGrad, MaxPool3DGrad
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose, inverted
from relay.support.error_codes import ErrorCode


def operator_of(region: Region) -> type[OperatorDef] | None:
    """Return the operator that a region applies to its two parameters; None for other regions."""
    if len(region.types) != 2:
        return None
    first, second = region.variables()
    results = region(first, second)
    match results:
        case [Call(OperatorDef() as op, (a, b))] if {a, b} == {first, second}:
            return type(op) if type(op) in REDUCTIONS else None
        case _:
            return None


@hlo_operation("reduce")
def reduce(node: HloNode) -> Sequence[Expr]:
    """Translate `reduce`: by Relay's reduction operator, or by repeated halving."""
    axes, body = node.ints("dimensions"), node.region(0)
    count = len(node.operands) // 2
    data, initial = node.operands[:count], node.operands[count:]
    op = operator_of(body)
    if op is None or count != 1:
        return reduced_by_halves(node)
    whole, neutral = REDUCTIONS[op]
    found = Call(whole(axis=axes), data, span=node.span) if axes else data[0]
    joined = found if is_neutral(initial[0], neutral) else Call(op(), (found, initial[0]))
    return [joined]


def reduced_by_halves(node: HloNode) -> list[Expr]:
    """Translate `reduce` with any region, by repeated halving."""
    count = len(node.operands) // 2
    data, initial = node.operands[:count], node.operands[count:]
    return _by_halves(node.region(0), data, initial, node.ints("dimensions"))


def _by_halves(
    body: Region, data: Sequence[Expr], initial: Sequence[Expr], axes: Sequence[int]
) -> list[Expr]:
    """Reduce with any region: combine the first half with the second until one row is left."""
    sizes = data[0].tensor_type.shape
    kept = [axis for axis in range(len(sizes)) if axis not in axes]
    rest = tuple(sizes[axis] for axis in kept)
    many = product(sizes[axis] for axis in axes)
    rows = [reshape(Call(Transpose((*axes, *kept)), (x,)), (many, *rest)) for x in data]
    if not isinstance(many, int):
        return _row_by_row(body, rows, [_repeated(each, rest) for each in initial])
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


def _row_by_row(body: Region, rows: Sequence[Expr], initial: Sequence[Expr]) -> list[Expr]:
    """Reduce rows, of which the number is symbolic, by a loop."""

    def step(place: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        return body(*state, *(at(x, place) for x in rows)), None

    count = size_number(rows[0].tensor_type.shape[0])
    return loop(count, None, initial, [each.type for each in initial], step)


def _with_first(rows: Sequence[Expr], first: Sequence[Expr], count: int) -> list[Expr]:
    """Return `rows`, of which there are `count`, with the first row replaced by `first`."""
    if count == 1:
        return list(first)
    rest = (_rows(x, 1, count) for x in rows)
    pairs = zip(first, rest, strict=True)
    return [Call(Concatenate(0), (Tuple((a, b)),)) for a, b in pairs]


def _rows(x: Expr, begin: int, end: int) -> Expr:
    return Call(StridedSlice((begin,), (end,), axes=(0,)), (x,))


def _repeated(x: Expr, shape: Shape) -> Expr:
    return Call(BroadcastTo(shape), (x,)) if shape else x


@hlo_operation("reduce_window")
def reduce_window(node: HloNode) -> Sequence[Expr]:
    """Translate `reduce_window`, if the region is one operator."""
    window = node.ints("window_dimensions")
    ones = (1,) * len(window)
    windows = Windows(
        window,
        node.ints_or("window_strides", ones),
        node.ints_or("window_dilations", ones),
        node.ints_or("base_dilations", ones),
        tuple(node.matrix("padding", len(window))),
    )
    return _reduced_windows(node.operands, node.region(0), windows)


def _reduced_windows(operands: Sequence[Expr], body: Region, windows: Windows) -> list[Expr]:
    """Reduce windows by one of Relay's operators, or join the elements of windows by a region."""
    count = len(operands) // 2
    op, data, initial = operator_of(body), operands[:count], operands[count:]
    if op is not None and count == 1:
        return [reduced_windows(op, data[0], initial[0], windows)]
    return folded_windows(lambda a, b: body(*a, *b), data, initial, windows)


@registering(TRANSLATIONS, "custom_call @stablehlo.dynamic_reduce_window")
def dynamic_reduce_window(node: HloNode) -> Sequence[Expr]:
    """Translate `dynamic_reduce_window`: windows of sizes that are operands."""
    (function,) = (each.value for each in node.attribute("called_computations"))
    node.ignore_all()
    scalar = TensorType((), node.type(0).dtype)
    body = Region((scalar, scalar), lambda values: node.called(function, values))
    window, strides, base, dilation = (node.sizes(place) for place in range(2, 6))
    edges = node.sizes(6)
    padding = tuple(zip(edges[::2], edges[1::2], strict=True))
    steps = [tuple(each for each in sizes if isinstance(each, int)) for sizes in
             (strides, dilation, base)]  # fmt: skip
    if ANY in (*window, *edges) or any(len(each) != len(window) for each in steps):
        raise node.error(
            ErrorCode.F032,
            "the size or the strides of the window depend on data",
            help="export the function with windows that are fixed or computed from input sizes",
        )
    windows = Windows(window, steps[0], steps[1], steps[2], padding)
    return _reduced_windows(node.operands[:2], body, windows)


_GRADIENTS: Mapping[int, type[MaxPoolGrad]] = {
    1: MaxPool1DGrad,
    2: MaxPool2DGrad,
    3: MaxPool3DGrad,
}


@hlo_operation("select_and_scatter")
def select_and_scatter(node: HloNode) -> Expr:
    """Translate `select_and_scatter`, the derivative of max pooling.

    The source's value for each window is added at the position of the first maximum in it.
    """
    data, source, initial = node.operands
    window = node.ints("window_dimensions")
    ones = (1,) * len(window)
    strides, pairs = node.ints_or("window_strides", ones), node.matrix("padding", len(window))
    spatial = [axis for axis, size in enumerate(window) if size > 1 or strides[axis] > 1]
    adds = operator_of(node.region(1)) is Add and is_neutral(initial, 0)
    chosen = _selected(node.region(0))
    if chosen is None or not (adds and 1 <= len(spatial) <= 3):
        raise node.error(
            ErrorCode.F030,
            "select_and_scatter is supported only as the derivative of max or min pooling",
        )
    data = data if chosen is GreaterEqual else Call(Negative(), (data,))
    others = [axis for axis in range(len(window)) if axis not in spatial]
    order = (*others, *spatial)
    sizes = [data.tensor_type.shape[axis] for axis in order]
    folded = (1, product(sizes[: len(others)]), *sizes[len(others) :])
    counts = source.tensor_type.shape
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


def _selected(region: Region) -> type[GreaterEqual | LessEqual] | None:
    """Return the comparison of its first parameter with the second that a region is, or None."""
    first, second = region.variables()
    match region(first, second):
        case [Call(GreaterEqual() | LessEqual() as op, (a, b))] if a is first and b is second:
            return type(op)
        case _:
            return None
