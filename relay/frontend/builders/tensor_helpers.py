"""Small helpers that build expressions: reshapes, transpositions, constants."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.node_errors import static_sizes
from relay.ir.dims import ANY, Dim, is_static, product
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import Add
from relay.ops.cast import Cast
from relay.ops.tensor.reshape import Reshape, ReshapeLike
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import DType


def add_channels(x: Expr, bias: Expr | None) -> Expr:
    """Add `bias`, one number per channel (axis 1), to a tensor; return `x` if it is None."""
    if bias is None:
        return x
    spatial = (1,) * (x.tensor_type.rank - 2)
    return Call(Add(), (x, reshape(bias, (*bias.tensor_type.shape, *spatial))), span=x.span)


def reshape(x: Expr, shape: Sequence[Dim], like: Expr | None = None) -> Expr:
    """Return `x` reshaped; a constant is reshaped during import if the sizes are static.

    Dynamic sizes in `shape` are taken from `like`, which has that shape; without it, from the sizes
    of `x` at the same positions, except for the last, which is inferred.
    """
    if isinstance(x, Constant) and is_static(tuple(shape)):
        return Constant(x.array.reshape(static_sizes(tuple(shape))), span=x.span)
    if ANY not in shape:
        return Call(Reshape(tuple(shape), allowzero=True), (x,), span=x.span)
    if like is not None:
        return Call(ReshapeLike(), (x, like), span=x.span)
    last = max(axis for axis, size in enumerate(shape) if size is ANY)
    codes = [0 if size is ANY else size for size in shape]
    codes[last] = -1
    return Call(Reshape(tuple(codes)), (x,), span=x.span)


def flattened(x: Expr, axis: int) -> Expr:
    """Reshape to a matrix: axes before `axis` become the rows, the others the columns."""
    shape = x.tensor_type.shape
    if ANY not in shape[:axis]:
        return reshape(x, (product(shape[:axis]), product(shape[axis:])))
    for _ in range(axis - 1):
        x = Call(Reshape((-3, -2)), (x,), span=x.span)  # the first two axes are merged
    return Call(Reshape((0, -1) if axis < len(shape) else (0, 1)), (x,), span=x.span)


def constant(number: float, dtype: DType) -> Constant:
    """Return a scalar constant of an element type."""
    return Constant(np.array(number, dtype.numpy))


def converted(x: Expr, dtype: DType) -> Expr:
    """Return a tensor converted to an element type; small constants are converted at import."""
    if x.tensor_type.dtype is dtype:
        return x
    if isinstance(x, Constant) and x.array.size == 1:
        return Constant(x.array.astype(dtype.numpy), span=x.span)
    return Call(Cast(dtype), (x,), span=x.span)


def with_heads(x: Expr, heads: int) -> Expr:
    """Split `(batch, sequence, hidden)` into attention heads `(batch, heads, sequence, size)`."""
    batch, sequence, hidden = x.tensor_type.shape
    split = reshape(x, (batch, sequence, heads, hidden // heads))
    return Call(Transpose((0, 2, 1, 3)), (split,))


def channels_first(x: Expr) -> Expr:
    """Return images with the channel axis moved from last to second: NHWC to NCHW."""
    rank = x.tensor_type.rank
    return Call(Transpose((0, rank - 1, *range(1, rank - 1))), (x,))


def channels_last(x: Expr) -> Expr:
    """Return images with the channel axis moved from second to last: NCHW to NHWC."""
    return Call(Transpose((0, *range(2, x.tensor_type.rank), 1)), (x,))
