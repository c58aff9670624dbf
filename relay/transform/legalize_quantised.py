"""The pass that gives operands of quantised products the types that the target multiplies fast."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from relay.ir.dataflow import Found, operators, wildcard
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import add
from relay.ops.cast import Cast
from relay.ops.logical import BitwiseXor
from relay.ops.qnn.conv_and_matmul import QuantisedBatchMatmul, QuantisedConv2D, QuantisedDense
from relay.ops.qnn.scale_and_zero_point import is_zero
from relay.support.dtype import DType, int8, uint8
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule

Kinds: TypeAlias = tuple[DType, DType]

data, weight, zero, weight_zero = wildcard(), wildcard(), wildcard(), wildcard()
scale, weight_scale = wildcard(), wildcard()
product = operators(QuantisedConv2D, QuantisedDense, QuantisedBatchMatmul)
call = product(data, weight, zero, weight_zero, scale, weight_scale)

_OFFSET = 128
"""The difference between the uint8 and the int8 that represent the same quantised number."""


@value
class LegalizeQuantised(RewritePass):
    """Convert operands of quantised products between int8 and uint8, with their zero points.

    Numbers and zero points are offset by 128, so that the product keeps its value.

    1. Operands get types for which the target has an instruction (`products`). If there are several
       choices, the one that needs the fewest additional kernels is taken.
    2. A depthwise convolution does not sum over channels, so its types do not matter. Its data
       becomes the type in which the zero point is 0, if there is one: its padding is then 0, too.
    """

    products: tuple[Kinds, ...]

    def rules(self) -> tuple[Rule, ...]:
        """Return the single rule, which matches products of quantised numbers."""
        return (Rule(call, self._legal),)

    def _legal(self, found: Found) -> Expr | None:
        operands, zeros = (found[data], found[weight]), (found[zero], found[weight_zero])
        wanted = self._wanted(found, operands)
        moved = [_as_type(*each) for each in zip(operands, zeros, wanted, strict=True)]
        if all(new is old for (new, _), old in zip(moved, operands, strict=True)):
            return None
        (x, w), points = zip(*moved, strict=True)
        args = (x, w, *points, found[scale], found[weight_scale])
        return Call(found[product], args, span=found[call].span)

    def _wanted(self, found: Found, operands: Sequence[Expr]) -> Kinds:
        kinds = operands[0].tensor_type.dtype, operands[1].tensor_type.dtype
        if not set(kinds) <= {int8, uint8}:
            return kinds
        op = found[product]
        if isinstance(op, QuantisedConv2D) and op.is_depthwise(*(x.tensor_type for x in operands)):
            return _with_zero(kinds[0], found[zero]), kinds[1]  # case 2
        points = found[zero], found[weight_zero]
        return min(self.products, key=lambda each: _cost(operands, points, each), default=kinds)


def _cost(operands: Sequence[Expr], points: Sequence[Expr], wanted: Kinds) -> int:
    """Return how many more kernels a product needs if its operands have the types `wanted`.

    `points` are their zero points. Data must be offset at run time. Unless the zero point of one
    operand is 0, the other operand must be summed: the weight usually at compile time, the data in
    each window.
    """
    total = 0
    for operand, point, kind, sums in zip(operands, points, wanted, (1, 4), strict=True):
        moved = operand.tensor_type.dtype is not kind
        total += moved and not isinstance(operand, Constant)
        total += 0 if is_zero(_as_type(operand, point, kind)[1]) else sums
    return total


def _with_zero(kind: DType, point: Expr) -> DType:
    """Return the type, int8 or uint8, in which the zero point is 0 after conversion.

    `point` is the zero point of numbers of type `kind`; if no type qualifies, `kind` is returned.
    """
    other, offset = (uint8, _OFFSET) if kind is int8 else (int8, -_OFFSET)
    known = isinstance(point, Constant) and bool((point.array + offset == 0).all())
    return other if known else kind


def _as_type(x: Expr, point: Expr, wanted: DType) -> tuple[Expr, Expr]:
    """Return quantised numbers `x` as the type `wanted`, int8 or uint8, with a new zero point."""
    if x.tensor_type.dtype is wanted:
        return x, point
    sign = np.asarray(_OFFSET if wanted is int8 else -_OFFSET, x.tensor_type.dtype.numpy)
    bits = Call(BitwiseXor(), (x, Constant(sign)))
    return Call(Cast(wanted), (bits,)), _moved(point, _OFFSET if wanted is uint8 else -_OFFSET)


def _moved(point: Expr, offset: int) -> Expr:
    if isinstance(point, Constant):
        return Constant(point.array + np.int32(offset))
    return add(point, Constant(np.asarray(offset, np.int32)))
