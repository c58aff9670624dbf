"""The pass that folds a scale of the input of a convolution or dense layer into its weights."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from relay.ir.dataflow import Found, operators, wildcard
from relay.ir.expr import Call, Constant, Expr, Function, Var
from relay.ir.types import TensorType
from relay.ir.walk import fold, outside_kernels, post_order, with_children
from relay.ops.binary import Add, Divide, Multiply, Subtract
from relay.ops.nn.bias_add import BiasAdd
from relay.ops.nn.conv import Convolution
from relay.ops.nn.matmul import Dense
from relay.ops.nn.pool_base import Pool
from relay.support.node import node, value
from relay.transform.rewriting import RewritePass, Rule, make_normal
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


@node
class _Path:
    """A product with a scale, and the nodes between it and a layer, the layer's operand first."""

    product: Call
    between: tuple[Call, ...]


@value
class FoldScaleForward(RewritePass):
    """Rewrite `conv(x * s, w)` to `conv(x, s * w)` where `s` is one number per input channel.

    The scale is a moderate constant, and the weight is a constant. Results differ by rounding only.

    1. The layers are convolutions of any rank, with any groups, and dense layers, in plain layouts.
    2. Between scale and layer there may be sums and differences with constants, and biases; these
       are divided by the scale, if none of its elements is zero.
    3. There may also be average poolings and, if the scale is positive, rectifiers and max
       poolings.

    4. A node between scale and layers may have several users if all of them are such layers, or
       such nodes between.

    With `parameters`, weights, biases, terms with one number per channel, and scales may also be
    variables: they hold parameters, which are taken to be moderate and, since they may be zero,
    divide nothing. Scaled parameters are multiplied where they are used. Layouts may then also have
    blocks of channels.
    """

    parameters: bool = False

    def rules(self) -> tuple[Rule, ...]:
        """Return the rule that matches layers."""
        return (Rule(layer, self._into_weight),)

    def run(self, function: Function) -> Function:
        """Return the function with scales folded into weights."""
        folded: Expr = make_normal(function, self.rules())
        while (passed_on := self._passed_on(folded)) is not folded:  # one more scale is folded
            folded = make_normal(passed_on, self.rules())
        return cast("Function", folded)

    def _into_weight(self, found: Found) -> Expr | None:
        path = self._path(found[data])
        if path is None or any(found.uses(call) > 1 for call in path.between):
            return None
        return self._folded(found[layer], path)

    def _path(self, expr: Expr) -> _Path | None:
        """Return the nodes from `expr`, the data of a layer, up to a product with a scale."""
        between: list[Call] = []
        while isinstance(expr, Call) and not self._is_scaled(expr):
            side = self._data_side(expr)
            if side is None:
                return None
            between.append(expr)
            expr = expr.args[side]
        return _Path(expr, tuple(between)) if isinstance(expr, Call) else None

    def _folded(self, call: Call, path: _Path) -> Expr | None:
        """Return the layer of unscaled data, with a scaled weight; None if impossible."""
        apart = self._taken_apart(path.product)
        axes = channel_axes(call, of_result=False, parameters=self.parameters)
        if apart is None or axes is None:
            return None
        x, factor = apart
        unscaled = _without_scale(x, path.between, factor, axes)
        if unscaled is None:
            return None
        return scaled_inputs(call, unscaled, factor, parameters=self.parameters)

    def _passed_on(self, root: Expr) -> Expr:
        """Return the program with the scales of shared nodes moved after these nodes (case 4).

        The rule then folds the scale into each layer.
        """
        axes = self._shared_nodes(root)

        def visit(expr: Expr, new: list[Expr]) -> Expr:
            made = with_children(expr, new) if new else expr
            if expr not in axes or not isinstance(made, Call):
                return made
            return self._behind(made, axes[expr])

        return fold(root, visit, edges=outside_kernels) if axes else root

    def _behind(self, call: Call, axes: Sequence[int]) -> Expr:
        """Return a node of a scaled operand as a scaled node."""
        side = self._data_side(call)
        product = None if side is None else call.args[side]
        apart = self._taken_apart(product) if isinstance(product, Call) else None
        assert apart is not None, "the operand of a node between is scaled"
        x, factor = apart
        new = _divided(call, x, factor, axes)
        assert new is not None, "a layer that reads the node can be folded"
        return Call(Multiply(), (new, factor), span=call.span)

    def _shared_nodes(self, root: Expr) -> Mapping[Expr, Sequence[int]]:
        """Return the nodes of case 4 that have several users, and those between them and a scale.

        They are mapped to the axes of the channels.
        """
        order = post_order(root, edges=outside_kernels)
        layers = {each: path for each in order if (path := self._foldable(each)) is not None}
        users = defaultdict[Expr, set[Expr]](set)
        for expr in order:
            for part in outside_kernels(expr):
                users[part].add(expr)
        while True:
            inside = {*layers, *(each for path in layers.values() for each in path.between)}
            kept = {
                call: path
                for call, path in layers.items()
                if all(users[each] <= inside for each in path.between)
            }
            if len(kept) == len(layers):
                break
            layers = kept
        return {
            each: channel_axes(call, of_result=False, parameters=self.parameters) or ()
            for call, path in layers.items()
            if any(len(users[each]) > 1 for each in path.between)
            for each in path.between
        }

    def _foldable(self, expr: Expr) -> _Path | None:
        """Return the path from a scale to the layer `expr` if it can be folded, but for users."""
        if not isinstance(expr, Call) or not isinstance(expr.op, Convolution | Dense):
            return None
        path = self._path(expr.args[0])
        return None if path is None or self._folded(expr, path) is None else path

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
        return Call(Divide(), (term, factor), span=term.span) if factor.array.all() else None
    with np.errstate(all="ignore"):  # the factor may be zero
        divided = (term.array / factor.array).astype(term.array.dtype)
    return Constant(divided, span=term.span) if np.isfinite(divided).all() else None
