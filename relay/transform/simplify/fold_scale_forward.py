"""The pass that folds a scale of the input of a convolution or dense layer into its weights."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dataflow import Found, operators, wildcard
from relay.ir.expr import Call, Constant, Expr, Var
from relay.ir.types import TensorType
from relay.ops.binary import Add, Divide, Multiply, Subtract
from relay.ops.nn.bias_add import BiasAdd
from relay.ops.nn.conv import Convolution
from relay.ops.nn.matmul import Dense
from relay.ops.nn.pool_base import Pool
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule
from relay.transform.simplify.channel_scale import (
    Scale,
    channel_axes,
    commutes_with_scale,
    gathered,
    positions_along,
    scaled_inputs,
)

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

    Nodes between scale and layer have no other user. With `parameters`, weights, biases, terms with
    one number per channel, and scales may also be variables: they hold parameters, which are taken
    to be moderate and, since they may be zero, divide nothing. Scaled parameters are multiplied
    where they are used. Layouts may then also have blocks of channels.
    """

    parameters: bool = False

    def rules(self) -> tuple[Rule, ...]:
        """Return the rule that matches layers."""
        return (Rule(layer, self._into_weight),)

    def _into_weight(self, found: Found) -> Expr | None:
        between: list[Call] = []
        expr = found[data]
        while isinstance(expr, Call) and not self._is_scaled(expr):
            side = self._data_side(expr)
            if side is None or found.uses(expr) > 1:
                return None
            between.append(expr)
            expr = expr.args[side]
        apart = self._taken_apart(expr) if isinstance(expr, Call) else None
        axes = channel_axes(found[layer], of_result=False, parameters=self.parameters)
        if apart is None or axes is None:
            return None
        x, factor = apart
        unscaled = _without_scale(x, between, factor, axes)
        if unscaled is None:
            return None
        return scaled_inputs(found[layer], unscaled, factor, parameters=self.parameters)

    def _is_scaled(self, call: Call) -> bool:
        return isinstance(call.op, Multiply) and any(map(self._is_known, call.args))

    def _is_known(self, expr: Expr) -> bool:
        return isinstance(expr, Constant) or (self.parameters and isinstance(expr, Var))

    def _taken_apart(self, call: Call) -> tuple[Expr, Scale] | None:
        """Return the scaled operand of a product and its scale; None if that broadcasts it.

        A constant is rather the scale than a variable is, and the right operand than the left.
        """
        left, right = call.args
        pairs = sorted(
            ((left, right), (right, left)), key=lambda pair: not isinstance(pair[1], Constant)
        )
        for x, scale in pairs:
            if isinstance(scale, Constant | Var) and self._is_known(scale) and x.type is call.type:
                return x, scale
        return None

    def _data_side(self, call: Call) -> int | None:
        """Return the index of the scaled operand of a node between scale and layer, if any."""
        match call.op, call.args:
            case Add() | Subtract() | BiasAdd(), (_, other) if self._is_known(other):
                return 0
            case Add() | Subtract(), (other, _) if self._is_known(other):
                return 1
            case _, (_,):
                return 0
            case _:
                return None


def _without_scale(
    x: Expr, between: Sequence[Call], factor: Scale, axes: Sequence[int]
) -> Expr | None:
    """Return the nodes `between` the scale and the layer, recomputed from the unscaled `x`.

    `axes` are those of the channels.
    """
    new: Expr | None = x
    for call in reversed(between):
        new = None if new is None else _divided(call, new, factor, axes)
    return new


def _divided(call: Call, x: Expr, factor: Scale, axes: Sequence[int]) -> Expr | None:
    if x.type is not call.type and not isinstance(call.op, Pool):
        return None
    ty = x.tensor_type
    match call:
        case Call(BiasAdd() as op, (_, Constant() | Var() as bias)):
            at = positions_along(factor, (op.axis % ty.rank,), ty.shape)
            new = None if at is None else _quotient(bias, gathered(factor, at))
            return None if new is None else Call(op, (x, new), span=call.span)
        case Call(Add() | Subtract() as op, (_, Constant() | Var() as right)):
            new = _quotient_of_term(right, factor, axes, ty)
            return None if new is None else Call(op, (x, new), span=call.span)
        case Call(Add() | Subtract() as op, (Constant() | Var() as left, _)):
            new = _quotient_of_term(left, factor, axes, ty)
            return None if new is None else Call(op, (new, x), span=call.span)
        case Call(op, (_,)) if commutes_with_scale(op, factor, ty.rank):
            return Call(op, (x,), span=call.span)
        case _:
            return None


def _quotient_of_term(
    term: Scale, factor: Scale, axes: Sequence[int], ty: TensorType
) -> Expr | None:
    """Return a term of a sum of type `ty`, divided; a parameter must vary along `axes` only."""
    if isinstance(term, Var) and positions_along(term, axes, ty.shape) is None:
        return None
    return _quotient(term, factor)


def _quotient(term: Scale, factor: Expr) -> Expr | None:
    """Return a term divided by a factor; None if the factor may be zero, or a result infinite."""
    if not isinstance(factor, Constant):
        return None
    if isinstance(term, Var):
        return Call(Divide(), (term, factor), span=term.span) if factor.data.all() else None
    with np.errstate(all="ignore"):  # the factor may be zero
        divided = (term.data / factor.data).astype(term.data.dtype)
    return Constant(divided, span=term.span) if np.isfinite(divided).all() else None
