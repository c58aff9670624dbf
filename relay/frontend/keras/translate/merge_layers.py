"""Translate Keras layers that combine several tensors."""

from collections.abc import Callable, Mapping
from functools import reduce

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.mask_propagation import merged_mask
from relay.frontend.keras.registry import keras_layer
from relay.ir.dims import product
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import Maximum, Minimum, add, multiply, subtract
from relay.ops.logical import LogicalOr
from relay.ops.nn.matmul import BatchMatmul
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Rsqrt
from relay.support.error_codes import ErrorCode

_PAIRWISE: Mapping[str, Callable[[Expr, Expr], Expr]] = {
    "Add": add,
    "Subtract": subtract,
    "Average": add,
}


@keras_layer(*_PAIRWISE)
def merge(layer: LayerReader) -> Expr:
    """Translate elementwise merge layers; tensors of lower rank get axes after the batch axis."""
    tensors = layer.tensors()
    rank = max(each.tensor_type.rank for each in tensors)
    result = reduce(_PAIRWISE[layer.kind], [_widened(each, rank) for each in tensors])
    if layer.kind == "Average":
        return multiply(result, constant(1 / len(tensors), result.tensor_type.dtype))
    return result


@keras_layer("Multiply")
def product_of_valid_steps(layer: LayerReader) -> Expr:
    """Translate `Multiply`: a masked step of a factor counts as 1.

    The result is 0 at steps that are masked in all factors.
    """
    factors = layer.tensors()
    rank = max(each.tensor_type.rank for each in factors)
    valid = [_where_valid(layer.masks.get(each), each, 1) for each in factors]
    result = reduce(multiply, [_widened(each, rank) for each in valid])
    return _where_valid(merged_mask(layer), result, 0)


@keras_layer("Maximum", "Minimum")
def extreme_of_valid_steps(layer: LayerReader) -> Expr:
    """Translate `Maximum` and `Minimum`: a masked step of a tensor does not count.

    It counts where all tensors so far are masked.
    """
    operator = Maximum() if layer.kind == "Maximum" else Minimum()
    tensors = layer.tensors()
    rank = max(each.tensor_type.rank for each in tensors)
    result, mask = _widened(tensors[0], rank), layer.masks.get(tensors[0])
    for each in tensors[1:]:
        other = layer.masks.get(each)
        x = _either(other, _widened(each, rank), result)
        result = Call(operator, (_either(mask, result, x), x))
        mask = None if mask is None or other is None else Call(LogicalOr(), (mask, other))
    return result


def _where_valid(mask: Expr | None, x: Expr, other: float) -> Expr:
    return _either(mask, x, constant(other, x.tensor_type.dtype))


def _either(mask: Expr | None, x: Expr, other: Expr) -> Expr:
    """Return `x` at valid steps, and another tensor at masked ones."""
    return x if mask is None else where(Call(ExpandDims(-1), (mask,)), x, other)


def _widened(x: Expr, rank: int) -> Expr:
    batch, *rest = x.tensor_type.shape or (1,)
    missing = rank - x.tensor_type.rank
    return reshape(x, (batch, *(1,) * missing, *rest)) if missing else x


@keras_layer("Concatenate")
def concatenate(layer: LayerReader) -> Expr:
    """Translate `Concatenate`."""
    tensors = layer.tensors()
    op = Concatenate(layer.integer("axis", -1) % tensors[0].tensor_type.rank)
    return Call(op, (Tuple(tuple(tensors)),), span=layer.span)


@keras_layer("Dot")
def dot(layer: LayerReader) -> Expr:
    """Translate `Dot`: contract an axis of each of two tensors, for each sample."""
    x, y = layer.tensors()
    axes = layer.ints("axes", 2)
    first, second = (axis % each.tensor_type.rank for axis, each in zip(axes, (x, y), strict=True))
    if layer.flag("normalize"):
        x, y = _unit(x, first), _unit(y, second)
    ranks = x.tensor_type.rank, y.tensor_type.rank
    if min(ranks) < 2 or 0 in (first, second):
        raise layer.error(
            ErrorCode.F030,
            "the inputs must have rank 2 or more, and axes must not contain 0, the batch axis, but "
            f"the ranks are {ranks[0]} and {ranks[1]}, and the axes {first} and {second}",
        )
    left, right = _rows(x, first), _rows(y, second)
    product_ = Call(BatchMatmul(transpose_b=True), (left, right), span=layer.span)
    kept = [
        size
        for each, gone in ((x, first), (y, second))
        for axis, size in enumerate(each.tensor_type.shape)
        if axis not in (0, gone)
    ]
    return reshape(product_, (x.tensor_type.shape[0], *(kept or [1])))


def _rows(x: Expr, axis: int) -> Expr:
    """Return a tensor as `(batch, rows, size)`, with the contracted axis last."""
    shape, rank = x.tensor_type.shape, x.tensor_type.rank
    others = [each for each in range(1, rank) if each != axis]
    order = (0, *others, axis)
    turned = x if order == tuple(range(rank)) else Call(Transpose(order), (x,))
    if rank == 3:
        return turned
    return reshape(turned, (shape[0], product([shape[each] for each in others]), shape[axis]))


def _unit(x: Expr, axis: int) -> Expr:
    squares = Call(Sum(axis=(axis,), keepdims=True), (multiply(x, x),))
    smallest = constant(1e-12, x.tensor_type.dtype)
    return multiply(x, Call(Rsqrt(), (Call(Maximum(), (squares, smallest)),)))
