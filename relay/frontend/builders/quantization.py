"""Quantise floats: with known parameters, or with parameters from their range at run time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.ir.dims import product
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.binary import Maximum, Minimum, add, divide, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import Greater, equal
from relay.ops.elementwise import Clip, Rint
from relay.ops.max_min_reductions import Max, Min
from relay.ops.qnn.conv_and_matmul import QuantisedDense
from relay.ops.selection import where
from relay.support.dtype import DType, dtype, float32, int32


def nearest(real: Expr, zero: Expr | None, target: DType, *, nan_is_lowest: bool = True) -> Expr:
    """Round floats to the nearest integers (halves to even), add `zero`, and cast to `target`.

    The result saturates. NaN becomes the lowest integer, or else 0, as in ONNX Runtime: scores of
    masked tokens, minus infinity, become NaN if they are divided by an infinite scale.
    """
    whole = Call(Rint(), (real,))
    if zero is not None:
        whole = add(whole, Call(Cast(whole.tensor_type.dtype), (zero,)))
    low, high = target.limits
    if not nan_is_lowest:
        return Call(Cast(target), (Call(Clip(float(low), float(high)), (whole,)),))
    least, most = (constant(each, whole.tensor_type.dtype) for each in (low, high))
    limited = where(Call(Greater(), (whole, least)), Call(Minimum(), (whole, most)), least)
    return Call(Cast(target), (limited,))


def dynamically_quantised(x: Expr, levels: float = 255.0) -> tuple[Expr, Expr, Expr]:
    """Return `x` quantised to 8 bits, its scale and its zero point, from the range of `x`.

    The integers are 0 … `levels`. The range always includes zero; if `x` is all zeros, the scale is
    1.
    """
    target = dtype("uint8")
    zero = constant(0.0, float32)
    low = Call(Minimum(), (Call(Min(), (x,)), zero))
    high = Call(Maximum(), (Call(Max(), (x,)), zero))
    width = subtract(high, low)
    scale = where(
        equal(width, zero), constant(1.0, float32), divide(width, constant(levels, float32))
    )
    offset = Call(Clip(0.0, levels), (Call(Rint(), (divide(subtract(zero, low), scale),)),))
    point = Call(Cast(target), (offset,))
    return nearest(divide(x, scale), point, target), scale, point


@dataclass(frozen=True, eq=False)
class DynamicLinear:
    """A linear layer with a quantised weight, whose data is quantised by its range at run time.

    The rows of the weight have one scale and zero point, or one each. The data is quantised to the
    integers 0 … `levels`.
    """

    weight: Array
    scale: Array
    zero: Array
    bias: Array | None
    levels: float

    def __call__(self, x: Expr) -> Expr:
        """Return the products of the rows of `x`, which may have any number of leading axes."""
        *leading, inner = x.tensor_type.shape
        rows = reshape(x, (product(leading), inner)) if len(leading) != 1 else x
        data, step, point = dynamically_quantised(rows, self.levels)
        scale = Constant(self.scale)
        numbers = converted(point, int32), Constant(self.zero), step, scale
        sums = Call(QuantisedDense(), (data, Constant(self.weight), *numbers))
        result = multiply(converted(sums, float32), multiply(step, scale))
        if self.bias is not None:
            result = add(result, Constant(self.bias))
        return reshape(result, (*leading, len(self.weight))) if len(leading) != 1 else result

    def in_order(self, order: Sequence[int]) -> "DynamicLinear":
        """Return the layer with its rows, in as many blocks as `order` has, in another order."""

        def ordered(rows: Array) -> Array:
            blocks = np.split(rows, len(order))
            return np.concatenate([blocks[i] for i in order])

        scale, zero = (x if x.ndim == 0 else ordered(x) for x in (self.scale, self.zero))
        bias = None if self.bias is None else ordered(self.bias)
        return DynamicLinear(ordered(self.weight), scale, zero, bias, self.levels)
