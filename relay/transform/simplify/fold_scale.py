"""The pass that folds a scale after a convolution or dense layer into its weights."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dataflow import Found, is_constant, operators, wildcard
from relay.ir.dataflow.expression_patterns import VarPattern
from relay.ir.expr import Call, Constant, Expr, Var
from relay.ir.walk import fold
from relay.ops.binary import Add, Divide, Multiply, Subtract
from relay.ops.nn.activations import LeakyRelu, Relu
from relay.ops.nn.bias_add import BiasAdd
from relay.ops.nn.conv import Convolution
from relay.ops.nn.matmul import Dense
from relay.ops.nn.pool_base import AvgPool, MaxPool
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule
from relay.transform.simplify.channel_scale import (
    Scale,
    channel_axes,
    commutes_with_scale,
    gathered,
    positions_along,
    scaled_outputs,
)
from relay.transform.simplify.rounding_conditions import is_moderate

data, scale = wildcard(), is_constant()
product, quotient = operators(Multiply)(data, scale), operators(Divide)(data, scale)
parameter: VarPattern = VarPattern()
scaled_by_parameter = operators(Multiply)(data, parameter)


@value
class FoldScale(RewritePass):
    """Rewrite `conv(x, w) * s` to `conv(x, w * s)` where `s` is one number per output channel.

    The weight and the scale are constants, the scale is moderate, and the product has no other
    user. This folds batch normalisation in inference. A quotient of floats, `conv(x, w) / s`, is a
    product with the inverse. Results differ by rounding only, integer results not at all.

    1. The layer may be a convolution of any rank and layout, with any groups.
    2. It may be a dense layer.
    3. Between layer and scale there may be sums and differences with constants, which are scaled;
       sums of several such layers; and biases.
    4. There may also be average poolings and, if the scale is positive, rectifiers and max
       poolings.

    With `parameters`, weights, biases, terms with one number per channel, and factors may also be
    variables: they hold parameters, which are taken to be moderate. Scaled parameters are
    multiplied where they are used. Layouts may then also have blocks of channels.
    """

    parameters: bool = False

    def rules(self) -> tuple[Rule, ...]:
        """Return the rules that match products with, and quotients by, a scale."""
        rules = (Rule(product, self._multiplied), Rule(quotient, self._divided))
        by_parameter = Rule(scaled_by_parameter, self._by_parameter)
        return (*rules, by_parameter) if self.parameters else rules

    def _multiplied(self, found: Found) -> Expr | None:
        return self._into_weights(found, found[product], found[scale])

    def _by_parameter(self, found: Found) -> Expr | None:
        return self._into_weights(found, found[scaled_by_parameter], found[parameter])

    def _divided(self, found: Found) -> Expr | None:
        by = found[scale].array
        if not (found[scale].tensor_type.dtype.is_float and by.all() and is_moderate(by)):
            return None
        inverse = Constant(np.asarray(by.dtype.type(1) / by))
        return self._into_weights(found, found[quotient], inverse)

    def _into_weights(self, found: Found, scaled: Expr, factor: Scale) -> Expr | None:
        root = found[data]
        region = self._region(root, found)
        same = scaled.type is root.type  # the scale does not broadcast the data
        return self._scaled(root, factor, region) if region and same else None

    def _region(self, root: Expr, found: Found) -> set[Expr]:
        """Return the nodes between layers and a scale; empty if one of them has other users."""
        region: set[Expr] = set()
        pending = [root]
        while pending:
            expr = pending.pop()
            if not self._is_known(expr):
                if found.uses(expr) > 1 or not isinstance(expr, Call):
                    return set()
                if not isinstance(expr.op, Convolution | Dense):
                    region.add(expr)
                    pending.extend(_operands(expr))
                    if not _operands(expr):
                        return set()
        return region or {root}

    def _is_known(self, expr: Expr) -> bool:
        return isinstance(expr, Constant) or (self.parameters and isinstance(expr, Var))

    def _scaled(self, root: Expr, factor: Scale, region: set[Expr]) -> Expr | None:
        """Return the expression `root` times a factor; None if a node of `region` cannot be scaled.

        The nodes of `region` are between the layers and the factor.
        """
        axes = self._channel_axes(root, region)

        def visit(expr: Expr, new: list[Expr | None]) -> Expr | None:
            scaled = [each for each in new if each is not None]
            match expr:
                case Constant() | Var():
                    return _scaled_term(expr, factor, axes, root)
                case Call(op=Convolution() | Dense()):
                    return scaled_outputs(expr, factor, parameters=self.parameters)
                case Call(BiasAdd(), (_, bias)) if not self._is_known(bias):
                    return None
                case Call() if len(scaled) == len(new):
                    return _rescaled(expr, scaled, factor)
                case _:
                    return None

        return fold(root, visit, edges=lambda expr: _operands(expr) if expr in region else ())

    def _channel_axes(self, root: Expr, region: set[Expr]) -> tuple[int, ...]:
        """Return the axes of the channels of the layers before `region`.

        The result is empty if there are no layers, or if their axes differ.
        """
        nodes = {root, *(part for each in region for part in _operands(each))}
        found = {channel_axes(each, of_result=True, parameters=self.parameters) for each in nodes}
        found.discard(None)
        return (found.pop() or ()) if len(found) == 1 else ()


def _operands(expr: Expr) -> Sequence[Expr]:
    """Return the operands of a node that must be scaled in order to scale its result."""
    match expr:
        case Call(Add() | Subtract(), args):
            return args
        case Call(BiasAdd() | Relu() | LeakyRelu() | MaxPool() | AvgPool(), args):
            return args[:1]
        case _:
            return ()


def _rescaled(call: Call, scaled: Sequence[Expr], factor: Scale) -> Expr | None:
    """Return a node after a layer, computed from operands `scaled` by a factor."""
    shape = call.tensor_type.shape
    match call:
        case Call(Add() | Subtract() as op, args):
            others = [arg for arg in args if isinstance(arg, Call)]
            spread = any(arg.type is not call.type for arg in others)
            return None if spread else Call(op, tuple(scaled), span=call.span)
        case Call(BiasAdd() as op, (_, Constant() | Var() as bias)):
            at = positions_along(factor, (op.axis % len(shape),), shape)
            new = None if at is None else _times(bias, gathered(factor, at))
            return None if new is None else Call(op, (*scaled, new), span=call.span)
        case Call(op, (_,)) if commutes_with_scale(op, factor, len(shape)):
            return Call(op, tuple(scaled), span=call.span)
        case _:
            return None


def _scaled_term(term: Scale, factor: Scale, axes: Sequence[int], root: Expr) -> Expr | None:
    """Return a term of a sum, times a factor; a parameter must vary along `axes` only."""
    if isinstance(term, Constant) and isinstance(factor, Constant):
        return _times(term, factor)
    if not axes or positions_along(term, axes, root.tensor_type.shape) is None:
        return None
    return _times(term, factor)


def _times(term: Scale, factor: Expr) -> Expr | None:
    """Return the product of a term and a factor; None if constants have no finite product."""
    if not (isinstance(term, Constant) and isinstance(factor, Constant)):
        return Call(Multiply(), (term, factor), span=term.span)
    with np.errstate(all="ignore"):
        scaled = (term.array * factor.array).astype(term.array.dtype)
    return Constant(scaled, span=term.span) if np.isfinite(scaled).all() else None
