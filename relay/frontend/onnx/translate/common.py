"""What several translations need."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import Add
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import DType


def add_channels(x: Expr, bias: Expr | None) -> Expr:
    """Add one number per channel (axis 1) to a tensor."""
    if bias is None:
        return x
    spatial = (1,) * (x.tensor_type.rank - 2)
    return Call(Add(), (x, reshape(bias, (*bias.tensor_type.shape, *spatial))), span=x.span)


def reshape(x: Expr, shape: Sequence[Dim]) -> Expr:
    """Give a tensor another shape; a constant is reshaped here and now."""
    if isinstance(x, Constant):
        return Constant(x.data.reshape([int(str(dim)) for dim in shape]), span=x.span)
    return Call(Reshape(tuple(shape), allowzero=True), (x,), span=x.span)


def constant(number: float, dtype: DType) -> Constant:
    """Return a scalar constant."""
    return Constant(np.array(number, dtype.numpy))


def with_heads(x: Expr, heads: int) -> Expr:
    """Turn `(batch, sequence, hidden)` into `(batch, heads, sequence, size)`."""
    batch, sequence, hidden = x.tensor_type.shape
    split = reshape(x, (batch, sequence, heads, hidden // heads))
    return Call(Transpose((0, 2, 1, 3)), (split,))
