"""Folds a scale for each channel into the weights of a convolution or dense layer."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from relay.ir.dims import Shape, is_static, static
from relay.ir.expr import Array, Call, Constant, Expr, Var
from relay.opdef.layout import Layout
from relay.ops.binary import Multiply
from relay.ops.nn.activations import LeakyRelu, Relu
from relay.ops.nn.conv import Convolution
from relay.ops.nn.matmul import Dense
from relay.ops.nn.pool_base import AvgPool, MaxPool
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import Reshape
from relay.transform.simplify.rounding_conditions import is_moderate

Scale = Constant | Var
"""A scale: a constant, or a variable, which holds a parameter."""


def positions_along(scale: Scale, axes: Sequence[int], shape: Shape) -> Array | None:
    """Return the index into the flattened scale for each channel; None if impossible.

    `shape` is that of the scaled tensor, and `axes` are those of its channels: one, or the outer
    part and the blocks. The scale must not vary along other axes, and the sizes of `axes` must be
    known.
    """
    given, sizes = scale.tensor_type.shape, tuple(shape[axis] for axis in axes)
    if len(given) > len(shape) or not (is_static(given) and is_static(sizes)):
        return None
    full = (*(1,) * (len(shape) - len(given)), *static(given))
    if any(each != 1 for i, each in enumerate(full) if i not in axes):
        return None
    own = [full[axis] for axis in axes]
    if any(n not in (1, size) for n, size in zip(own, static(sizes), strict=True)):
        return None
    each = np.arange(int(np.prod(own, dtype=np.int64))).reshape(own)
    return np.broadcast_to(each, static(sizes)).reshape(-1)


def gathered(scale: Scale, positions: Array) -> Expr:
    """Return the elements of the flattened scale at `positions`, in the shape of `positions`."""
    if isinstance(scale, Constant):
        return Constant(scale.array.reshape(-1)[positions])
    shape = static(scale.tensor_type.shape)
    size = int(np.prod(shape, dtype=np.int64))
    if size == 1:
        return Call(Reshape((1,) * positions.ndim), (scale,))
    if not np.array_equal(positions.reshape(-1), np.arange(size)):
        return Call(Take(), (scale, Constant(positions)))
    return scale if shape == positions.shape else Call(Reshape(positions.shape), (scale,))


def channel_axes(layer: Expr, *, of_result: bool, parameters: bool) -> tuple[int, ...] | None:
    """Return the axes of the channels in the result of a layer or, without `of_result`, its data.

    Return None for a layer that is neither a convolution nor dense. If `parameters` is false, also
    return None for a convolution if this tensor or the weight has a blocked layout (`NCHW4c`).
    """
    match layer:
        case Call(Convolution() as op):
            layout = op.layouts[2 if of_result else 0]
            plain = layout.is_plain and op.layouts[1].is_plain
            found = tuple(i for i, axis in enumerate(layout.axes) if axis.letter == "C")
            return found if plain or parameters else None
        case Call(Dense(), (data, _)):
            return (data.tensor_type.rank - 1,)
        case _:
            return None


def commutes_with_scale(op: Expr, scale: Scale, rank: int) -> bool:
    """Whether `op(x * s)` equals `op(x) * s`, for the scale `s` and an `x` of the given rank.

    This holds for rectifiers, and for poolings over unscaled axes; rectifiers and max poolings need
    a positive constant. The result is false for integers, which wrap and are rounded.
    """
    ty = scale.tensor_type
    if ty.dtype.is_integer:
        return False
    positive = isinstance(scale, Constant) and bool((scale.array > 0).all())
    match op:
        case Relu() | LeakyRelu():
            return positive
        case MaxPool() | AvgPool():
            varies = {axis + rank - ty.rank for axis, n in enumerate(ty.shape) if n != 1}
            spatial = {
                i for i, letter in enumerate(map(str, op.layouts[0].axes)) if letter in op.spatial
            }
            fits = isinstance(op, AvgPool) or positive
            return fits and op.layouts[0] is op.layouts[1] and varies.isdisjoint(spatial)
        case _:
            return False


def scaled_outputs(call: Call, scale: Scale, *, parameters: bool) -> Expr | None:
    """Return a convolution or dense layer whose result is that of `call` times `scale`.

    The scale is folded into the weight, which is a constant or, with `parameters`, possibly a
    variable. The result is None if the scale varies along other axes than the output channels.
    """
    axes = channel_axes(call, of_result=True, parameters=parameters)
    at = None if axes is None else positions_along(scale, axes, call.tensor_type.shape)
    if at is None:
        return None
    if isinstance(call.op, Convolution):
        sizes = call.op.plain_weight(call.args[1].tensor_type)
        if sizes["O"] != at.size:
            return None
        at = _in_layout(at, "O", call.op.layouts[1])
    else:
        at = at.reshape(-1, 1)
    return _with_weight(call, call.args[0], scale, at, parameters=parameters)


def scaled_inputs(call: Call, data: Expr, scale: Scale, *, parameters: bool) -> Expr | None:
    """Return a convolution or dense layer on `data` with the result of the old one on `data * s`.

    The scale is folded into the weight as in `scaled_outputs`; it must vary along channels only.
    """
    axes = channel_axes(call, of_result=False, parameters=parameters)
    at = None if axes is None else positions_along(scale, axes, data.tensor_type.shape)
    is_exact = scale.tensor_type.dtype.is_integer
    if at is None or is_exact or not is_static(call.args[1].tensor_type.shape):
        return None
    if isinstance(call.op, Convolution):
        at = _of_inputs(call.op, call, at)
    return _with_weight(call, data, scale, at, parameters=parameters)


def _of_inputs(op: Convolution, call: Call, vector: Array) -> Array:
    """Return the positions that fold a scale of the input channels into a convolution's weight.

    `vector` has the position in the scale for each channel. Output channel `o` of group `g` reads
    the input channels of that group.
    """
    kernel = op.layouts[1]
    data, weight = (arg.tensor_type for arg in call.args)
    x, sizes = op.plain_data(data), op.plain_weight(weight)
    outputs, inputs = static((sizes["O"], sizes["I"]))
    if op.is_multiplier(x, sizes):
        return _in_layout(vector, "O", kernel)
    if op.groups == 1:
        return _in_layout(vector, "I", kernel)
    of_groups = vector.reshape(op.groups, inputs)
    return _in_layout(np.repeat(of_groups, outputs // op.groups, axis=0), "OI", kernel)


def _in_layout(plain: Array, letters: str, layout: Layout) -> Array:
    """Rearrange an array with the axes `letters` so that it broadcasts to a tensor in `layout`."""
    order = layout.letters
    own = sorted(letters, key=order.index)
    sizes = dict(zip(letters, plain.shape, strict=True))
    spread = plain.transpose([letters.index(letter) for letter in own])
    spread = spread.reshape([sizes.get(letter, 1) for letter in order])
    full = np.broadcast_to(spread, [sizes.get(each, layout.block(each)) for each in order])
    kept = (slice(None) if axis.letter in letters else slice(1) for axis in layout.axes)
    return layout.from_plain(full, order)[tuple(kept)]


def _with_weight(
    call: Call, data: Expr, scale: Scale, positions: Array, *, parameters: bool
) -> Expr | None:
    """Return the layer on `data` with a weight that is scaled by the scale at `positions`."""
    weight = call.args[1]
    if not _keeps_products(scale, weight.tensor_type.dtype.numpy):
        return None
    factor = gathered(scale, positions)
    match weight, factor:
        case Constant(array), Constant(by):
            with np.errstate(all="ignore"):  # weights may be extreme
                scaled = (array * by).astype(array.dtype)
            if not np.array_equal(np.isfinite(scaled), np.isfinite(array)):
                return None
            new: Expr = Constant(scaled, span=weight.span)
        case _ if parameters:
            scaled_weight = _scaled_parameter(weight, factor)
            if scaled_weight is None:
                return None
            new = scaled_weight
        case _:
            return None
    return Call(call.op, (data, new), span=call.span)


def _scaled_parameter(weight: Expr, factor: Expr) -> Expr | None:
    """Return the product of a weight and a factor; None if no parameter is in the weight.

    The factors of a weight that was scaled before are multiplied with one another.
    """
    if isinstance(factor, Constant):
        factor = Constant(factor.array.astype(weight.tensor_type.dtype.numpy))
    match weight:
        case Call(Multiply() as op, (Var() | Constant() as first, second)):
            return Call(op, (first, Call(op, (second, factor))), span=weight.span)
        case Var() | Constant():
            return Call(Multiply(), (weight, factor), span=weight.span)
        case _:
            return None


def _keeps_products(scale: Scale, kind: "np.dtype[Any]") -> bool:
    """Whether scaling a weight of type `kind` is as accurate as scaling the result.

    This holds for integers if sums have no wider type: then overflow wraps equally in both orders.
    Parameters are taken to be moderate.
    """
    if scale.tensor_type.dtype.is_integer or isinstance(scale, Var):
        return scale.tensor_type.dtype.numpy == kind
    return is_moderate(scale.array)
