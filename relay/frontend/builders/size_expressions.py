"""Expressions for symbolic sizes: the value of a dimension, and the integers below it."""

import numpy as np

from relay.frontend.builders.tensor_helpers import constant
from relay.ir.dims import Dim
from relay.ir.expr import Call, Constant, Expr
from relay.ops.creation import Zeros
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.one_hot_and_shape_of import NdarraySize
from relay.support.dtype import bool_, int64


def size_number(size: Dim) -> Expr:
    """Return a dimension as an int64 scalar, which is computed at run time if symbolic."""
    if isinstance(size, int):
        return constant(size, int64)
    return Call(NdarraySize(int64), (Call(Zeros((size,), bool_), ()),))


def numbers_below(size: Dim) -> Expr:
    """Return the int64 vector of the numbers from 0 to a dimension, exclusive."""
    if isinstance(size, int):
        return Constant(np.arange(size))
    limits = constant(0, int64), size_number(size), constant(1, int64)
    return Call(Arange(0, size, 1), limits)
