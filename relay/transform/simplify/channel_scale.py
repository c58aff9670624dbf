"""Folds a scale for each channel into the weights of a convolution or dense layer."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from relay.ir.dims import is_static, static
from relay.ir.expr import Array, Call, Constant, Expr, Var
from relay.ops.binary import Multiply
from relay.ops.nn.activations import LeakyRelu, Relu
from relay.ops.nn.conv import Convolution
from relay.ops.nn.matmul import Dense
from relay.ops.nn.pool_base import AvgPool, MaxPool
from relay.transform.simplify.rounding_conditions import is_moderate


def vector_along(scale: Array, axis: int, shape: Sequence[object]) -> Array | None:
    """Return a scale as a vector with one number for each element of `axis`; None if impossible.

    `shape` is that of the scaled tensor. The scale must not vary along other axes, and the size of
    the axis must be known.
    """
    if scale.ndim > len(shape) or not isinstance(size := shape[axis], int):
        return None
    full = scale.reshape((1,) * (len(shape) - scale.ndim) + scale.shape)
    if any(each != 1 for i, each in enumerate(full.shape) if i != axis):
        return None
    return np.broadcast_to(full.reshape(-1), (size,)) if full.size in (1, size) else None


def commutes_with_scale(op: Expr, scale: Array, rank: int) -> bool:
    """Whether `op(x * s)` equals `op(x) * s`, for the scale `s` and an `x` of the given rank.

    This holds for rectifiers, and for poolings over unscaled axes; rectifiers and max poolings need
    a positive scale. The result is false for integers, which wrap and are rounded.
    """
    if scale.dtype.kind in "iu":
        return False
    match op:
        case Relu() | LeakyRelu():
            return bool((scale > 0).all())
        case MaxPool() | AvgPool():
            varies = {axis + rank - scale.ndim for axis, n in enumerate(scale.shape) if n != 1}
            spatial = {
                i for i, letter in enumerate(map(str, op.layouts[0].axes)) if letter in op.spatial
            }
            positive = isinstance(op, AvgPool) or bool((scale > 0).all())
            return positive and op.layouts[0] is op.layouts[1] and varies.isdisjoint(spatial)
        case _:
            return False


def scaled_outputs(call: Call, scale: Array, *, parameters: bool) -> Expr | None:
    """Return a convolution or dense layer whose result is that of `call` times `scale`.

    The scale is folded into the weight, which is a constant or, with `parameters`, possibly a
    variable. The result is None if the scale varies along other axes than the output channels.
    """
    weight, shape = call.args[1], call.tensor_type.shape
    match call.op:
        case Convolution() as op if op.layouts[1].is_plain and op.layouts[2].is_plain:
            vector = vector_along(scale, op.layouts[2].position("C"), shape)
            axis = op.layouts[1].position("O")
        case Dense():
            vector, axis = vector_along(scale, len(shape) - 1, shape), 0
        case _:
            return None
    if vector is None or weight.tensor_type.shape[axis] != vector.size:
        return None
    factor = vector.reshape([-1 if i == axis else 1 for i in range(weight.tensor_type.rank)])
    return _with_weight(call, call.args[0], factor, parameters=parameters)


def scaled_inputs(call: Call, data: Expr, scale: Array, *, parameters: bool) -> Expr | None:
    """Return a convolution or dense layer on `data` with the result of the old one on `data * s`.

    The scale is folded into the weight as in `scaled_outputs`; it must vary along channels only.
    """
    shape, weight = data.tensor_type.shape, call.args[1]
    match call.op:
        case Convolution() as op if op.layouts[0].is_plain and op.layouts[1].is_plain:
            vector = vector_along(scale, op.layouts[0].position("C"), shape)
            factor = None if vector is None else _of_inputs(op, call, vector)
        case Dense():
            factor = vector_along(scale, len(shape) - 1, shape)
        case _:
            return None
    if factor is None or factor.dtype.kind in "iu" or not is_static(weight.tensor_type.shape):
        return None
    return _with_weight(call, data, factor, parameters=parameters)


def _of_inputs(op: Convolution, call: Call, vector: Array) -> Array | None:
    """Return the factor that folds a scale of the input channels into a convolution's weight.

    `vector` is the scale. Output channel `o` of group `g` reads the input channels of that group.
    """
    kernel = op.layouts[1]
    data, weight = (arg.tensor_type for arg in call.args)
    x, sizes = op.plain_data(data), op.plain_weight(weight)
    outputs, inputs = static((sizes["O"], sizes["I"]))
    shape = [1] * kernel.rank
    if op.is_multiplier(x, sizes):
        shape[kernel.position("O")] = outputs
        return vector.reshape(shape)
    of_groups = vector.reshape(op.groups, inputs)
    matrix = np.repeat(of_groups, outputs // op.groups, axis=0)
    first, second = kernel.position("O"), kernel.position("I")
    shape[first], shape[second] = outputs, inputs
    return (matrix if first < second else matrix.T).reshape(shape)


def _with_weight(call: Call, data: Expr, factor: Array, *, parameters: bool) -> Expr | None:
    weight = call.args[1]
    if not _keeps_products(factor, weight.tensor_type.dtype.numpy):
        return None
    match weight:
        case Constant(array):
            with np.errstate(all="ignore"):  # weights may be extreme
                scaled = (array * factor).astype(array.dtype)
            if not np.array_equal(np.isfinite(scaled), np.isfinite(array)):
                return None
            weight = Constant(scaled, span=weight.span)
        case Var() if parameters:
            by = Constant(np.array(factor).astype(weight.tensor_type.dtype.numpy))
            weight = Call(Multiply(), (weight, by), span=weight.span)
        case _:
            return None
    return Call(call.op, (data, weight), span=call.span)


def _keeps_products(scale: Array, kind: "np.dtype[Any]") -> bool:
    """Whether scaling a weight of type `kind` is as accurate as scaling the result.

    This holds for integers if sums have no wider type: then overflow wraps equally in both orders.
    """
    if scale.dtype.kind in "iu":
        return scale.dtype == kind
    return is_moderate(scale)
