"""Move the scale behind a convolution or a product into its weights."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from relay.ir.dataflow.expressions import is_constant
from relay.ir.dataflow.matching import Found
from relay.ir.dataflow.patterns import operators, wildcard
from relay.ir.expr import Array, Call, Constant, Expr
from relay.opdef.layout import Layout
from relay.ops.binary import Multiply
from relay.ops.nn.conv import Convolution
from relay.ops.nn.matmul import Dense
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule
from relay.transform.simplify.rounding import is_moderate

x, weight, scale = wildcard(), is_constant(), is_constant()
layer = operators(Convolution, Dense)
result = layer(x, weight)
product = operators(Multiply)(result.used_once(), scale)


@value
class FoldScale(RewritePass):
    """Rewrite `conv(x, w) * s` to `conv(x, w * s)` where `s` is one number per output channel.

    The weight and the scale are constants, the scale is a moderate one, and the product has no
    other user. This is how batch normalisation disappears in inference. Results differ by rounding
    alone, those of integers not at all.

    1. Convolutions of any rank and layout, with any groups.
    2. Dense layers.
    """

    def rules(self) -> Sequence[Rule]:
        """Return the table."""
        return (Rule(product, _into_weight),)


def _into_weight(found: Found) -> Expr | None:
    op, span = found[layer], found[result].span
    scaled = _scaled(op, found[result], found[weight].data, found[scale].data)
    return None if scaled is None else Call(op, (found[x], Constant(scaled)), span=span)


def _scaled(op: Expr, inner: Call, weight: Array, scale: Array) -> Array | None:
    shape = inner.tensor_type.shape
    match op:
        case Convolution() if Layout.parse(op.out_layout or op.data_layout).is_plain:  # case 1
            layout = Layout.parse(op.out_layout or op.data_layout)
            vector = _along(scale, layout.position("C"), len(shape), shape)
            kernel = Layout.parse(op.kernel_layout)
            axis = kernel.position("O")
            if vector is None or not kernel.is_plain or weight.shape[axis] != vector.size:
                return None
        case Dense():  # case 2
            vector, axis = _along(scale, len(shape) - 1, len(shape), shape), 0
        case _:
            return None
    if vector is None or not _keeps_products(vector, weight.dtype):
        return None
    with np.errstate(all="ignore"):  # weights may be extreme themselves
        scaled = (weight * _spread(vector, axis, weight.ndim)).astype(weight.dtype)
    return scaled if np.array_equal(np.isfinite(scaled), np.isfinite(weight)) else None


def _keeps_products(scale: Array, kind: np.dtype[Any]) -> bool:
    """Whether scaled elements of that type are as good as scaled results.

    Integers wrap, with the same remainder in any order, if sums are not of a wider type.
    """
    if scale.dtype.kind in "iu":
        return scale.dtype == kind
    return is_moderate(scale)


def _along(scale: Array, axis: int, rank: int, shape: tuple[object, ...]) -> Array | None:
    """Return the scale as one number per channel, or None if it varies along another axis."""
    full = scale.reshape((1,) * (rank - scale.ndim) + scale.shape)
    if any(size != 1 for i, size in enumerate(full.shape) if i != axis):
        return None
    return np.broadcast_to(full.reshape(-1), (int(str(shape[axis])),))


def _spread(vector: Array, axis: int, rank: int) -> Array:
    return vector.reshape([-1 if i == axis else 1 for i in range(rank)])
