"""Translate TensorFlow Lite reductions, arg-reductions, and cumulative sums."""

from collections.abc import Mapping, Sequence

import numpy as np

from relay.frontend.builders.counted_loops import at, loop
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.builders.tensorflow_operators import scan
from relay.frontend.tflite.integer_arithmetic import (
    multiplier,
    scaled_wide,
    stored,
    without_zero,
)
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import add, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.fixed_point import multiply_by_fixed_point
from relay.ops.max_min_reductions import All, Any, ArgMax, ArgMin, Max, Min
from relay.ops.qnn.scale_and_zero_point import cast
from relay.ops.sum_and_mean_reductions import Mean, Prod, Sum
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import int32, int64
from relay.support.error_codes import ErrorCode

Classes = Mapping[str, type[OperatorDef]]

_SUMS: Classes = {"SUM": Sum, "MEAN": Mean}
_OTHERS: Classes = {
    "REDUCE_ALL": All,
    "REDUCE_ANY": Any,
    "REDUCE_MAX": Max,
    "REDUCE_MIN": Min,
    "REDUCE_PROD": Prod,
}
_POSITIONS: Classes = {"ARG_MAX": ArgMax, "ARG_MIN": ArgMin}


@lite_operator(*_OTHERS)
def reduce(node: LiteNode) -> Expr:
    """Translate a reduction over axes; maxima of quantised numbers keep their scale."""
    if node.result.is_quantized and node.op == "REDUCE_PROD":
        return _quantised_product(node)
    op = _OTHERS[node.op](axis=node.axes(1), keepdims=node.option("KeepDims"))
    return Call(op, (node.expr(0),), span=node.span)


def _quantised_product(node: LiteNode) -> Expr:
    """Return products of quantised numbers, each of whose steps is scaled.

    Raises `F030` for uint8, of which LiteRT has no products.
    """
    if node.result.element == "UINT8":
        raise node.error(ErrorCode.F030, "products of numbers of type uint8 are not supported")
    axes, keep = node.axes(1), node.option("KeepDims")
    count = int(np.prod([_size(node, axis) for axis in axes], dtype=np.int64))
    factor = float(node.tensor(0).scale) / float(node.result.scale) ** (1 / max(count, 1))
    x = without_zero(node, 0, int64)
    others = [axis for axis in range(x.tensor_type.rank) if axis not in axes]
    shape = x.tensor_type.shape
    rows = Call(Transpose((*axes, *others)), (x,))
    rows = reshape(rows, (count, *(shape[axis] for axis in others)))

    def step(index: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        product = multiply(state[0], at(rows, add(index, constant(1, int64))))
        return [cast(scaled_wide(product, [factor]), int64)], None

    first = at(rows, constant(0, int64))
    (product,) = loop(constant(count - 1, int64), None, [first], [first.tensor_type], step)
    found = stored(scaled_wide(product, [factor]), node.result)
    kept = [1 if axis in axes else size for axis, size in enumerate(shape)]
    return reshape(found, kept) if keep else found


@lite_operator(*_SUMS)
def sum_or_mean(node: LiteNode) -> Expr:
    """Translate `SUM` and `MEAN`; quantised numbers are summed as integers, scaled once."""
    axes, keep = node.axes(1), node.option("KeepDims")
    if not node.result.is_quantized:
        x = node.expr(0)
        return x if not axes else Call(_SUMS[node.op](axis=axes, keepdims=keep), (x,))
    total = cast(node.expr(0), int32)
    if axes:
        total = Call(Sum(axis=axes, keepdims=keep), (total,), span=node.span)
    count = int(np.prod([_size(node, axis) for axis in axes], dtype=np.int64))
    if node.tensor(0).zero:
        total = subtract(total, constant(node.tensor(0).zero * count, int32))
    number, power = multiplier(float(node.tensor(0).scale) / float(node.result.scale))
    if node.op == "MEAN":
        places = min(max(count, 1).bit_length() - 1, 32, 31 + power)
        number, power = (number << places) // max(count, 1), power - places
    return stored(multiply_by_fixed_point(total, [(number, power)], -1, "DOUBLE"), node.result)


def _size(node: LiteNode, axis: int) -> int:
    size = node.type(0).shape[axis]
    if not isinstance(size, int):
        raise node.error(
            ErrorCode.F032,
            f"the size of the reduced axis must be known at compile time, but is {size}",
        )
    return size


@lite_operator(*_POSITIONS)
def position(node: LiteNode) -> Expr:
    """Translate `ARG_MAX` and `ARG_MIN` along an axis."""
    node.ignore("OutputType")  # the result tensor has this type
    axis = node.integer(1, "the axis")
    found = Call(_POSITIONS[node.op](axis=(axis,)), (node.expr(0),), span=node.span)
    wanted = node.result.dtype
    return found if wanted in (None, int32) else Call(Cast(wanted), (found,))


@lite_operator("CUMSUM")
def cumsum(node: LiteNode) -> Expr:
    """Translate `CUMSUM` along an axis, optionally reversed or exclusive."""
    node.check_not_quantised()
    return scan(node)
