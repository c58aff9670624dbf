"""Translate StableHLO operations of dynamic shapes, whose sizes are operands or asserted."""

from collections.abc import Sequence

from relay.frontend.builders.gather_and_scatter_windows import gathered
from relay.frontend.builders.interior_padding import padded
from relay.frontend.builders.run_time_slices import clamped
from relay.frontend.builders.size_expressions import numbers_below, size_number
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.builders.translation_registry import registering
from relay.frontend.stablehlo.node import HloNode
from relay.frontend.stablehlo.registry import TRANSLATIONS, hlo_operation
from relay.frontend.stablehlo.translate.indexing import gathered_shape, window_axes
from relay.frontend.stablehlo.translate.matrix_products import convolved
from relay.frontend.stablehlo.translate.shapes import broadcast, in_axes
from relay.ir.dims import ANY, Dim, Shape
from relay.ir.expr import Call, Expr
from relay.ops.binary import add, multiply
from relay.ops.cast import Cast
from relay.ops.tensor.gather import Take
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.symbolic_slice import Part
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode


def _sizes(node: HloNode, index: int) -> Shape:
    """Return an operand that is a vector of sizes; raises `F032` if a size depends on data."""
    found = node.sizes(index)
    if ANY in found:
        raise node.error(
            ErrorCode.F032,
            f"element {found.index(ANY)} of operand {index} is a size that depends on data",
            help="export the function with sizes that are fixed or computed from input sizes",
        )
    return found


def _numbers(node: HloNode, index: int) -> tuple[int, ...]:
    """Return an operand that is a vector of known integers; raises `F032` for others."""
    found = _sizes(node, index)
    numbers = tuple(each for each in found if isinstance(each, int))
    if len(numbers) != len(found):
        listed = ", ".join(map(str, found))
        raise node.error(
            ErrorCode.F032,
            f"operand {index} is ({listed}), but must be known when the model is imported",
            help="specify the sizes of the inputs: relay.load(path, shapes={…})",
        )
    return numbers


@hlo_operation("get_dimension_size")
def get_dimension_size(node: HloNode) -> Expr:
    """Translate `get_dimension_size`: the size of one axis."""
    size = node.type(0).shape[node.integer("dimension")]
    return Call(Cast(node.result_type.dtype), (size_number(size),))


@hlo_operation("dynamic_broadcast_in_dim")
def dynamic_broadcast_in_dim(node: HloNode) -> Expr:
    """Translate `dynamic_broadcast_in_dim`: the operand's axes become axes of the result."""
    node.ignore("known_expanding_dimensions", "known_nonexpanding_dimensions")
    shape, axes = _sizes(node, 1), node.ints("broadcast_dimensions")
    return broadcast(in_axes(node.operands[0], axes, len(shape)), shape)


@hlo_operation("dynamic_reshape")
def dynamic_reshape(node: HloNode) -> Expr:
    """Translate `dynamic_reshape`."""
    return _reshaped(node.operands[0], _sizes(node, 1))


def _reshaped(x: Expr, shape: Shape) -> Expr:
    return x if x.tensor_type.shape == shape else reshape(x, shape)


@hlo_operation("dynamic_iota")
def dynamic_iota(node: HloNode) -> Expr:
    """Translate `dynamic_iota`: each element is its index along one axis."""
    shape, axis = _sizes(node, 0), node.integer("iota_dimension")
    numbers = Call(Cast(node.result_type.dtype), (numbers_below(shape[axis]),))
    return broadcast(in_axes(numbers, (axis,), len(shape)), shape)


@hlo_operation("dynamic_pad")
def dynamic_pad(node: HloNode) -> Expr:
    """Translate `dynamic_pad`; the padding before the elements and between them must be known."""
    x, value, *_ = node.operands
    low, high, inner = _sizes(node, 2), _sizes(node, 3), _numbers(node, 4)
    return padded(x, value, low, high, inner)


@hlo_operation("real_dynamic_slice")
def real_dynamic_slice(node: HloNode) -> Expr:
    """Translate `real_dynamic_slice`: a slice whose size follows from the difference of bounds."""
    x, start, *_ = node.operands
    begins, strides = node.sizes(1), _numbers(node, 3)
    sizes = node.differences(2, 1)
    for axis, (begin, length, stride) in enumerate(zip(begins, sizes, strides, strict=True)):
        if length is ANY:
            raise node.error(
                ErrorCode.F032,
                f"the slice of axis {axis} has a size that depends on data",
                help="use jax.lax.dynamic_slice, whose result has a known size",
            )
        count = (length + (stride - 1)) // stride
        x = _range(x, axis, (begin, _element(start, axis)), count, stride)
    return x


@hlo_operation("dynamic_gather")
def dynamic_gather(node: HloNode) -> Expr:
    """Translate `dynamic_gather`: read windows, the sizes of which are an operand."""
    x, indices, _ = node.operands
    axes, sizes = window_axes(node), _sizes(node, 2)
    if indices.tensor_type.rank == 1 and axes.vector == 0 and not axes.batching:
        begins = node.clamped(1, [x.tensor_type.shape[a] - sizes[a] for a in axes.mapped])
        for place, axis in enumerate(axes.mapped):
            limit = x.tensor_type.shape[axis] - sizes[axis]
            at = clamped(_element(indices, place), limit)
            x = _range(x, axis, (begins[place], at), sizes[axis], 1)
        for axis in range(len(sizes)):
            if axis not in axes.mapped:
                x = _range(x, axis, (0, indices), sizes[axis], 1)
        kept = (size for axis, size in enumerate(sizes) if axis not in axes.dropped)
        return _reshaped(x, tuple(kept))
    shape = gathered_shape(indices, axes, sizes)
    return gathered(x, indices, axes, sizes, shape, node.error)


def _element(vector: Expr, place: int) -> Expr:
    """Return one element of a vector as an int64 scalar."""
    one = Call(StridedSlice((place,), (place + 1,), axes=(0,)), (vector,))
    return Call(Cast(int64), (reshape(one, ()),))


def _range(x: Expr, axis: int, begin: tuple[Dim, Expr], count: Dim, stride: int) -> Expr:
    """Return `count` elements along an axis; `begin` is a dimension if known, and an expression."""
    known, at_run_time = begin
    if known == 0 and stride == 1 and count == x.tensor_type.shape[axis]:
        return x
    if known is not ANY:
        return Call(Part((axis,), (known,), (count,), (stride,)), (x,))
    steps = numbers_below(count)
    steps = steps if stride == 1 else multiply(steps, size_number(stride))
    return Call(Take(axis=axis, mode="fast"), (x, add(at_run_time, steps)))


@hlo_operation("dynamic_conv")
def dynamic_conv(node: HloNode) -> Expr:
    """Translate `dynamic_conv`: a convolution with padding that is an operand."""
    pairs = _sizes(node, 2)
    return convolved(node, list(zip(pairs[::2], pairs[1::2], strict=True)))


@registering(TRANSLATIONS, "custom_call @shape_assertion")
def shape_assertion(node: HloNode) -> Sequence[Expr]:
    """Translate an assertion of JAX about the sizes of inputs: the results are checked."""
    node.ignore_all()
    node.assert_sizes(node.operands[0], node.text("error_message"))
    return []
