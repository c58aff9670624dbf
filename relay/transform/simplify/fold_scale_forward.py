"""The pass that folds a scale of the input of a convolution or dense layer into its weights."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dataflow import Found, operators, wildcard
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.binary import Add, Multiply, Subtract
from relay.ops.nn.bias_add import BiasAdd
from relay.ops.nn.conv import Convolution
from relay.ops.nn.matmul import Dense
from relay.ops.nn.pool_base import Pool
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule
from relay.transform.simplify.channel_scale import commutes_with_scale, scaled_inputs, vector_along

data, weight = wildcard(), wildcard()
layer = operators(Convolution, Dense)(data, weight)


@value
class FoldScaleForward(RewritePass):
    """Rewrite `conv(x * s, w)` to `conv(x, s * w)` where `s` is one number per input channel.

    The scale is a moderate constant, and the weight is a constant. Results differ by rounding only.

    1. The layers are convolutions of any rank, with any groups, and dense layers, in plain layouts.
    2. Between scale and layer there may be sums and differences with constants, and biases; these
       are divided by the scale, if none of its elements is zero.
    3. There may also be average poolings and, if the scale is positive, rectifiers and max
       poolings.

    Nodes between scale and layer have no other user. With `parameters`, weights may also be
    variables, which are then scaled where they are used.
    """

    parameters: bool = False

    def rules(self) -> tuple[Rule, ...]:
        """Return the rule that matches layers with a constant weight."""
        return (Rule(layer, self._into_weight),)

    def _into_weight(self, found: Found) -> Expr | None:
        between: list[Call] = []
        expr = found[data]
        while isinstance(expr, Call) and not _is_scaled(expr):
            side = _data_side(expr)
            if side is None or found.uses(expr) > 1:
                return None
            between.append(expr)
            expr = expr.args[side]
        if not isinstance(expr, Call):
            return None
        x, factor = _taken_apart(expr)
        if x.type is not expr.type:  # the scale broadcasts the data
            return None
        unscaled = _without_scale(x, between, factor)
        if unscaled is None:
            return None
        return scaled_inputs(found[layer], unscaled, factor, parameters=self.parameters)


def _is_scaled(call: Call) -> bool:
    return isinstance(call.op, Multiply) and any(isinstance(arg, Constant) for arg in call.args)


def _taken_apart(call: Call) -> tuple[Expr, Array]:
    """Return the operand that is not constant in a product with a constant, and the constant."""
    left, right = call.args
    if isinstance(right, Constant):
        return left, right.data
    assert isinstance(left, Constant), "one of both is a constant"
    return right, left.data


def _data_side(call: Call) -> int | None:
    """Return the index of the scaled operand of a node between scale and layer, if any."""
    match call.op, call.args:
        case Add() | Subtract() | BiasAdd(), (_, Constant()):
            return 0
        case Add() | Subtract(), (Constant(), _):
            return 1
        case _, (_,):
            return 0
        case _:
            return None


def _without_scale(x: Expr, between: Sequence[Call], factor: Array) -> Expr | None:
    """Return the nodes `between` the scale and the layer, recomputed from the unscaled `x`."""
    new: Expr | None = x
    for call in reversed(between):
        new = None if new is None else _divided(call, new, factor)
    return new


def _divided(call: Call, x: Expr, factor: Array) -> Expr | None:
    if x.type is not call.type and not isinstance(call.op, Pool):
        return None
    match call:
        case Call(BiasAdd() as op, (_, Constant() as bias)):
            vector = vector_along(factor, op.axis % x.tensor_type.rank, x.tensor_type.shape)
            new = None if vector is None else _quotient(bias, vector)
            return None if new is None else Call(op, (x, new), span=call.span)
        case Call(Add() | Subtract() as op, (Constant() as left, _)):
            new = _quotient(left, factor)
            return None if new is None else Call(op, (new, x), span=call.span)
        case Call(Add() | Subtract() as op, (_, Constant() as right)):
            new = _quotient(right, factor)
            return None if new is None else Call(op, (x, new), span=call.span)
        case Call(op, (_,)) if commutes_with_scale(op, factor, x.tensor_type.rank):
            return Call(op, (x,), span=call.span)
        case _:
            return None


def _quotient(constant: Constant, factor: Array) -> Constant | None:
    with np.errstate(all="ignore"):  # the factor may be zero
        divided = (constant.data / factor).astype(constant.data.dtype)
    return Constant(divided, span=constant.span) if np.isfinite(divided).all() else None
