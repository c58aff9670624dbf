"""Move the scale behind a convolution or a product into its weights."""

from collections import Counter
from typing import cast

import numpy as np

from relay.ir.expr import Array, Call, Constant, Expr, Function
from relay.ir.walk import rewrite
from relay.opdef.layout import Layout
from relay.ops.binary import Multiply
from relay.ops.nn.conv import Convolution
from relay.ops.nn.matmul import Dense
from relay.support.node import value
from relay.transform.pipeline import FunctionPass
from relay.transform.simplify.rounding import is_moderate
from relay.transform.uses import use_counts


@value
class FoldScale(FunctionPass):
    """Rewrite `conv(x, w) * s` to `conv(x, w * s)` where `s` is one number per output channel.

    The weight and the scale are constants, the scale is a moderate one, and the product has no
    other user. This is how batch normalisation disappears in inference. Results differ by rounding
    alone.

    1. Convolutions of any rank and layout, with any groups.
    2. Dense layers.
    """

    def run(self, function: Function) -> Function:
        """Rewrite from the leaves up."""
        uses = use_counts(function)
        return cast("Function", rewrite(function, lambda expr: _fold(expr, uses)))


def _fold(expr: Expr, uses: Counter[Expr]) -> Expr:
    match expr:
        case Call(Multiply(), (Call(op, (x, Constant(weight))) as inner, Constant(scale))):
            scaled = _scaled(op, inner, weight, scale) if uses[inner] <= 1 else None
            return expr if scaled is None else Call(op, (x, Constant(scaled)), span=inner.span)
        case _:
            return expr


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
    if vector is None or not is_moderate(vector):
        return None
    with np.errstate(all="ignore"):  # weights may be extreme themselves
        scaled = (weight * _spread(vector, axis, weight.ndim)).astype(weight.dtype)
    return scaled if np.array_equal(np.isfinite(scaled), np.isfinite(weight)) else None


def _along(scale: Array, axis: int, rank: int, shape: tuple[object, ...]) -> Array | None:
    """Return the scale as one number per channel, or None if it varies along another axis."""
    full = scale.reshape((1,) * (rank - scale.ndim) + scale.shape)
    if any(size != 1 for i, size in enumerate(full.shape) if i != axis):
        return None
    return np.broadcast_to(full.reshape(-1), (int(str(shape[axis])),))


def _spread(vector: Array, axis: int, rank: int) -> Array:
    return vector.reshape([-1 if i == axis else 1 for i in range(rank)])
