"""Tensors of positions, and derivatives of operators that only move elements."""

from collections.abc import Callable

import numpy as np

from relay.ir.dims import Dim, product
from relay.ir.expr import Call, Constant, Expr
from relay.ops.creation import number
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.gather import TakeGrad
from relay.ops.tensor.one_hot_and_shape_of import NdarraySize, OneHot, ShapeOf
from relay.ops.tensor.reshape import Reshape, reshape_to
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import int64


def length(x: Expr, axis: int) -> Expr:
    """Return the size of an axis of `x` as an int64 tensor of rank 0."""
    size = x.tensor_type.shape[axis]
    if isinstance(size, int):
        return Constant(np.asarray(size))
    part = Call(StridedSlice((axis,), (axis + 1,)), (Call(ShapeOf(int64), (x,)),))
    return Call(Reshape(()), (part,))


def counting(size: Dim, value: Expr) -> Expr:
    """Return the int64 numbers from 0 to `size`, exclusive.

    `value` is the size as an expression, which is used if `size` is symbolic.
    """
    if isinstance(size, int):
        return Constant(np.arange(size))
    zero, one = (Constant(np.asarray(each, np.int64)) for each in (0, 1))
    return Call(Arange(0, size, 1), (zero, value, one))


def numbered(x: Expr, axis: int) -> Expr:
    """Return the indices along an axis of `x`, as an int64 vector."""
    return counting(x.tensor_type.shape[axis], length(x, axis))


def positions(x: Expr) -> Expr:
    """Return the row-major position of each element of `x`, an int64 tensor of its shape."""
    count = product(x.tensor_type.shape)
    return reshape_to(counting(count, Call(NdarraySize(int64), (x,))), x)


def identity(x: Expr, axis: int) -> Expr:
    """Return an identity matrix with the size of an axis of `x` and its element type."""
    size, dtype = x.tensor_type.shape[axis], x.tensor_type.dtype
    if isinstance(size, int):
        return Constant(np.eye(size, dtype=dtype.numpy))
    ends = (number(1, x), number(0, x))
    return Call(OneHot(size), (numbered(x, axis), *ends))


def gradient_of_movement(move: Callable[[Expr], Expr], d_out: Expr, x: Expr) -> Expr:
    """Return the derivative by `x` of `move(x)`, each of whose elements is an element of `x`.

    The source of each element is found by applying `move` to a tensor of positions.
    """
    return Call(TakeGrad(mode="fast"), (d_out, move(positions(x)), x))
