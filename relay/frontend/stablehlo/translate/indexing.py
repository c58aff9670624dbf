"""Translate StableHLO gathers and scatters, which address windows by index vectors."""

from relay.frontend.builders.gather_and_scatter_windows import WindowAxes, gathered, scattered
from relay.frontend.stablehlo.node import HloNode, Region
from relay.frontend.stablehlo.registry import hlo_operation
from relay.frontend.stablehlo.translate.reduction import operator_of
from relay.ir.dims import Shape
from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Add, Maximum, Minimum, Multiply, Subtract, opposite
from relay.support.error_codes import ErrorCode


@hlo_operation("gather")
def gather(node: HloNode) -> Expr:
    """Translate `gather`: read windows at index vectors, which are clamped to the operand."""
    x, indices = node.operands
    axes, sizes = window_axes(node), node.ints("slice_sizes")
    shape = gathered_shape(indices, axes, sizes)
    return gathered(x, indices, axes, sizes, shape, node.error)


def window_axes(node: HloNode) -> WindowAxes:
    """Return the axes of a gather."""
    numbers = node.attribute("dimension_numbers")
    pairs = zip(numbers.operand_batching_dims, numbers.start_indices_batching_dims, strict=True)
    return WindowAxes(
        tuple(numbers.offset_dims),
        tuple(numbers.collapsed_slice_dims),
        tuple(numbers.start_index_map),
        numbers.index_vector_dim,
        tuple(pairs),
    )


def gathered_shape(indices: Expr, axes: WindowAxes, sizes: Shape) -> Shape:
    """Return the shape of a gather: sizes of windows, and batch sizes of the indices."""
    batch = [s for a, s in enumerate(indices.tensor_type.shape) if a != axes.vector]
    gone = {*axes.dropped, *(axis for axis, _ in axes.batching)}
    windows = [size for axis, size in enumerate(sizes) if axis not in gone]
    rest, shown = iter(batch), iter(windows)
    rank = len(batch) + len(windows)
    return tuple(next(shown if axis in axes.window else rest) for axis in range(rank))


_MODES = {Add: "add", Multiply: "mul", Maximum: "max", Minimum: "min"}


@hlo_operation("scatter")
def scatter(node: HloNode) -> Expr:
    """Translate `scatter`: combine windows of updates with the operand.

    Windows that are out of range are ignored.
    """
    if len(node.operands) != 3:
        raise node.error(ErrorCode.F030, "a scatter into several tensors is not supported")
    x, indices, updates = node.operands
    numbers = node.attribute("scatter_dimension_numbers")
    batching = numbers.input_batching_dims
    pairs = zip(batching, numbers.scatter_indices_batching_dims, strict=True)
    axes = WindowAxes(
        tuple(numbers.update_window_dims),
        tuple(numbers.inserted_window_dims),
        tuple(numbers.scattered_dims_to_operand_dims),
        numbers.index_vector_dim,
        tuple(pairs),
    )
    mode = _mode(node, node.region(0))
    if mode == "sub":
        mode, updates = "add", opposite(updates)
    return scattered(x, indices, updates, axes, mode, node.error)


def _mode(node: HloNode, region: Region) -> str:
    """Return how a scatter combines elements; raises `F030` unless its region is one operator."""
    first, second = region.variables()
    match region(first, second):
        case [found] if found is second:
            return "update"
        case [Call(Subtract(), (a, b))] if a is first and b is second:
            return "sub"
        case _:
            pass
    op: type[OperatorDef] | None = operator_of(region)
    if op not in _MODES:
        raise node.error(
            ErrorCode.F030,
            "a scatter must combine elements by a single operator, such as a sum or a maximum",
        )
    return _MODES[op]
