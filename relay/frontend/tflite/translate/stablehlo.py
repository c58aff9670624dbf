"""Translate the StableHLO operators of TensorFlow Lite, and the reductions of windows."""

from collections.abc import Mapping, Sequence

import numpy as np

from relay.frontend.builders.gather_and_scatter_windows import WindowAxes, gathered, scattered
from relay.frontend.builders.interior_padding import padded
from relay.frontend.builders.run_time_slices import read_part, write_part
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.builders.window_reductions import REDUCTIONS, Windows, reduced_windows
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.frontend.tflite.values import Value
from relay.ir.expr import Call, Constant, Expr, Tuple, Var
from relay.ir.types import scalar_type
from relay.opdef.definition import OperatorDef
from relay.ops.binary import (
    Add,
    Divide,
    Maximum,
    Minimum,
    Multiply,
    Subtract,
    TruncMod,
)
from relay.ops.broadcasting import BroadcastTo
from relay.ops.cast import Cast
from relay.ops.comparison import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from relay.ops.elementwise import Abs, Floor, Negative
from relay.ops.logical import BitwiseAnd, BitwiseOr, LeftShift, LogicalAnd, LogicalOr
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Cos, Exp, Log, Power, Rsqrt, Sigmoid, Tanh
from relay.support.dtype import bool_
from relay.support.error_codes import ErrorCode

Classes = Mapping[str, type[OperatorDef]]


def _named(classes: Classes) -> Classes:
    return {f"STABLEHLO_{name}": op for name, op in classes.items()}


_SAME = _named({
    "ABS": Abs, "ADD": Add, "COSINE": Cos, "DIVIDE": Divide, "EXPONENTIAL": Exp, "FLOOR": Floor,
    "LOG": Log, "LOGISTIC": Sigmoid, "MAXIMUM": Maximum, "MINIMUM": Minimum, "MULTIPLY": Multiply,
    "NEGATE": Negative, "POWER": Power, "REMAINDER": TruncMod, "RSQRT": Rsqrt,
    "SHIFT_LEFT": LeftShift, "SUBTRACT": Subtract, "TANH": Tanh,
})  # fmt: skip
_TRUTH = _named({"ADD": LogicalOr, "AND": LogicalAnd, "MAXIMUM": LogicalOr, "MINIMUM": LogicalAnd,
                 "MULTIPLY": LogicalAnd, "OR": LogicalOr})  # fmt: skip
_BITS = _named({"AND": BitwiseAnd, "OR": BitwiseOr})

_TOTAL_ORDER = 2  # the number of this kind of comparison in the schema

_COMPARISONS: Mapping[int, type[OperatorDef]] = {
    0: Equal,
    1: NotEqual,
    2: GreaterEqual,
    3: Greater,
    4: LessEqual,
    5: Less,
}
"""The operator of a comparison, by the number of its direction in the schema."""

_WINDOWS: Mapping[int, type[OperatorDef]] = {
    1: Add,
    2: Multiply,
    3: Minimum,
    4: Maximum,
    5: LogicalAnd,
    6: LogicalOr,
}
"""The operator of a reduction of windows, by its number in the schema."""


@lite_operator(*_SAME, *_BITS)
def same(node: LiteNode) -> Expr:
    """Translate an operator to Relay's equivalent operator: the logical one for booleans."""
    node.check_not_quantised()
    of_truth = node.type(0).dtype is bool_ and node.op in _TRUTH
    op = _TRUTH[node.op] if of_truth else {**_SAME, **_BITS}[node.op]
    return Call(op(), tuple(node.exprs()), span=node.span)


@lite_operator("STABLEHLO_SELECT")
def select(node: LiteNode) -> Expr:
    """Translate `STABLEHLO_SELECT`: choose elements by a condition."""
    return where(*node.exprs())


@lite_operator("STABLEHLO_CLAMP")
def clamp(node: LiteNode) -> Expr:
    """Translate `STABLEHLO_CLAMP`: limit elements from below, then from above."""
    low, x, high = node.exprs()
    return Call(Minimum(), (Call(Maximum(), (x, low)), high), span=node.span)


@lite_operator("STABLEHLO_RESHAPE")
def reshape_node(node: LiteNode) -> Expr:
    """Translate `STABLEHLO_RESHAPE`: give a tensor the shape of the result."""
    assert node.result.shape is not None, "the shape of the result is known"
    return reshape(node.expr(0), node.result.shape)


@lite_operator("STABLEHLO_BROADCAST_IN_DIM")
def broadcast_in_dim(node: LiteNode) -> Expr:
    """Translate `STABLEHLO_BROADCAST_IN_DIM`: repeat a tensor along other axes."""
    assert node.result.shape is not None, "the shape of the result is known"
    sizes = [1] * len(node.result.shape)
    for axis, size in zip(
        node.vector("BroadcastDimensions"), node.type(0).static_shape, strict=True
    ):
        sizes[axis] = size
    x = reshape(node.expr(0), tuple(sizes))
    return Call(BroadcastTo(node.result.shape), (x,), span=node.span)


@lite_operator("STABLEHLO_IOTA")
def iota(node: LiteNode) -> Expr:
    """Translate `STABLEHLO_IOTA`: the position of each element along an axis."""
    shape, of = node.result.shape, node.result.dtype
    axis: int = node.option("IotaDimension")
    assert shape is not None, "the shape of the result is known"
    assert of is not None, "the elements of the result are numbers"
    numbers = np.arange(shape[axis]).astype(of.numpy)
    column = Constant(numbers.reshape((-1, *(1,) * (len(shape) - axis - 1))))
    return Call(BroadcastTo(shape), (column,), span=node.span)


@lite_operator("STABLEHLO_CONVERT")
def convert(node: LiteNode) -> Expr:
    """Translate `STABLEHLO_CONVERT`: convert elements to the type of the result."""
    node.check_not_quantised()
    assert node.result.dtype is not None, "the elements of the result are numbers"
    return Call(Cast(node.result.dtype), (node.expr(0),), span=node.span)


@lite_operator("STABLEHLO_COMPARE")
def compare(node: LiteNode) -> Expr:
    """Translate `STABLEHLO_COMPARE`; floats are compared by IEEE 754."""
    if node.option("CompareType") == _TOTAL_ORDER:
        raise node.error(
            ErrorCode.F030,
            "comparisons of floats by their total order, TOTALORDER, are not supported",
        )
    op = _COMPARISONS.get(node.option("ComparisonDirection"))
    if op is None:
        problem = f"unknown direction of comparison, number {node.option('ComparisonDirection')}"
        raise node.error(ErrorCode.F026, problem)
    return Call(op(), tuple(node.exprs()), span=node.span)


@lite_operator("STABLEHLO_DYNAMIC_SLICE")
def dynamic_slice(node: LiteNode) -> Expr:
    """Translate `STABLEHLO_DYNAMIC_SLICE`: static sizes at a run-time position."""
    x, *begins = node.exprs()
    return read_part(x, begins, node.vector("SliceSizes"))


@lite_operator("STABLEHLO_DYNAMIC_UPDATE_SLICE")
def dynamic_update_slice(node: LiteNode) -> Expr:
    """Translate `STABLEHLO_DYNAMIC_UPDATE_SLICE`: write a tensor at a run-time position."""
    x, part, *begins = node.exprs()
    return write_part(x, part, begins)


@lite_operator("STABLEHLO_TRANSPOSE")
def transpose(node: LiteNode) -> Expr:
    """Translate `STABLEHLO_TRANSPOSE`."""
    return Call(Transpose(node.vector("Permutation")), (node.expr(0),), span=node.span)


@lite_operator("STABLEHLO_CONCATENATE")
def concatenate(node: LiteNode) -> Expr:
    """Translate `STABLEHLO_CONCATENATE`."""
    op = Concatenate(node.option("Dimension"))
    return Call(op, (Tuple(tuple(node.exprs())),), span=node.span)


@lite_operator("STABLEHLO_SLICE")
def slice_node(node: LiteNode) -> Expr:
    """Translate `STABLEHLO_SLICE`, with static bounds and strides."""
    bounds = (node.vector(name) for name in ("StartIndices", "LimitIndices", "Strides"))
    return Call(StridedSlice(*bounds), (node.expr(0),), span=node.span)


@lite_operator("STABLEHLO_PAD")
def pad(node: LiteNode) -> Expr:
    """Translate `STABLEHLO_PAD`, also between elements; negative padding crops."""
    names = ("EdgePaddingLow", "EdgePaddingHigh", "InteriorPadding")
    return padded(node.expr(0), node.expr(1), *(node.vector(name) for name in names))


@lite_operator("DILATE")
def dilate(node: LiteNode) -> Expr:
    """Translate `DILATE`: insert copies of a value between the elements of a tensor."""
    inner = tuple(each - 1 for each in node.ints(1, "the distances"))
    none = (0,) * len(inner)
    return padded(node.expr(0), reshape(node.expr(2), ()), none, none, inner)


@lite_operator("REDUCE_WINDOW")
def reduce_window(node: LiteNode) -> Expr:
    """Translate `REDUCE_WINDOW`: reduce windows by an operator that an option names."""
    op = _WINDOWS.get(node.option("ReduceFunction"))
    if op is None:
        raise node.error(
            ErrorCode.F026, f"unknown reduction function {node.option('ReduceFunction')}"
        )
    names = ("the sizes of windows", "the strides", "the dilations")
    sizes, strides, dilation = (node.ints(index + 2, name) for index, name in enumerate(names))
    windows = Windows(sizes, strides, dilation, (1,) * len(sizes), ((0, 0),) * len(sizes))
    return reduced_windows(op, node.expr(0), reshape(node.expr(1), ()), windows)


@lite_operator("STABLEHLO_REDUCE_WINDOW")
def stablehlo_reduce_window(node: LiteNode) -> Expr:
    """Translate `STABLEHLO_REDUCE_WINDOW`, if the graph of the reduction is one operator."""
    x, initial = node.exprs()
    sizes = node.vector("WindowDimensions")
    ones, widths = (1,) * len(sizes), node.vector("Padding") or (0,) * (2 * len(sizes))
    windows = Windows(
        sizes,
        node.vector("WindowStrides") or ones,
        node.vector("WindowDilations") or ones,
        node.vector("BaseDilations") or ones,
        tuple(zip(widths[::2], widths[1::2], strict=True)),
    )
    return reduced_windows(_operator(node), x, reshape(initial, ()), windows)


def _operator(node: LiteNode) -> type[OperatorDef]:
    """Return the operator that the graph of a reduction applies; raises `F030` for others."""
    found = _combination(node, node.option("BodySubgraphIndex"))
    if found is None:
        problem = "a reduction of windows must be one operator, such as a sum or a maximum"
        raise node.error(ErrorCode.F030, problem)
    return found


def _combination(node: LiteNode, body: int) -> type[OperatorDef] | None:
    """Return the operator that a graph applies to its two inputs; None if it returns the second.

    Raises `F030` for other graphs.
    """
    of = scalar_type(node.type(0).dtype)
    first, second = Var("a", of), Var("b", of)
    match node.subgraph(body, [first, second]):
        case [Call(OperatorDef() as op, (a, b))] if {a, b} == {first, second}:
            if type(op) in REDUCTIONS:
                return type(op)
        case [result] if result is second:
            return None
        case _:
            pass
    problem = "elements must be combined by one operator, such as a sum or a maximum"
    raise node.error(ErrorCode.F030, problem)


@lite_operator("STABLEHLO_GATHER")
def gather(node: LiteNode) -> Expr:
    """Translate `STABLEHLO_GATHER`: read windows at index vectors."""
    node.ignore("IndicesAreSorted")  # it does not change the result
    names = ("OffsetDims", "CollapsedSliceDims", "StartIndexMap")
    window, dropped, mapped = (node.vector(name) for name in names)
    axes = WindowAxes(window, dropped, mapped, node.option("IndexVectorDim"))
    assert node.result.shape is not None, "the shape of the result is known"
    sizes = node.vector("SliceSizes")
    return gathered(node.expr(0), node.expr(1), axes, sizes, node.result.shape, node.error)


_MODES: Mapping[type[OperatorDef], str] = {
    Add: "add",
    Multiply: "mul",
    Maximum: "max",
    Minimum: "min",
}


@lite_operator("STABLEHLO_SCATTER")
def scatter(node: LiteNode) -> Expr:
    """Translate `STABLEHLO_SCATTER`: combine windows of updates with a tensor."""
    node.ignore("IndicesAreSorted", "UniqueIndices")  # they do not change the result
    found = _combination(node, node.option("UpdateComputationSubgraphIndex"))
    if found is not None and found not in _MODES:
        raise node.error(ErrorCode.F030, "a scatter of booleans can only replace elements")
    mode = "update" if found is None else _MODES[found]
    names = ("UpdateWindowDims", "InsertedWindowDims", "ScatterDimsToOperandDims")
    window, dropped, mapped = (node.vector(name) for name in names)
    axes = WindowAxes(window, dropped, mapped, node.option("IndexVectorDim"))
    x, indices, updates = node.exprs()
    return scattered(x, indices, updates, axes, mode, node.error)


@lite_operator("STABLEHLO_COMPOSITE")
def composite(node: LiteNode) -> Sequence[Value]:
    """Translate `STABLEHLO_COMPOSITE` by the graph that defines the operator."""
    node.ignore("Name", "Version", "CompositeAttributesFormat")
    return node.subgraph(node.option("DecompositionSubgraphIndex"), node.values())
