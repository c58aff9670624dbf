"""The pass that folds a scale after a convolution or dense layer into its weights."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dataflow import Found, is_constant, operators, wildcard
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.walk import fold
from relay.ops.binary import Add, Divide, Multiply, Subtract
from relay.ops.nn.activations import LeakyRelu, Relu
from relay.ops.nn.bias_add import BiasAdd
from relay.ops.nn.conv import Convolution
from relay.ops.nn.matmul import Dense
from relay.ops.nn.pool_base import AvgPool, MaxPool
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule
from relay.transform.simplify.channel_scale import commutes_with_scale, scaled_outputs, vector_along
from relay.transform.simplify.rounding_conditions import is_moderate

data, scale = wildcard(), is_constant()
product, quotient = operators(Multiply)(data, scale), operators(Divide)(data, scale)


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

    With `parameters`, weights may also be variables, which are then scaled where they are used.
    """

    parameters: bool = False

    def rules(self) -> tuple[Rule, ...]:
        """Return the rules that match products with, and quotients by, a constant scale."""
        return (Rule(product, self._multiplied), Rule(quotient, self._divided))

    def _multiplied(self, found: Found) -> Expr | None:
        return self._into_weights(found, found[product], found[scale].data)

    def _divided(self, found: Found) -> Expr | None:
        by = found[scale].data
        if not (found[scale].tensor_type.dtype.is_float and by.all() and is_moderate(by)):
            return None
        return self._into_weights(found, found[quotient], np.asarray(by.dtype.type(1) / by))

    def _into_weights(self, found: Found, scaled: Expr, factor: Array) -> Expr | None:
        root = found[data]
        region = _region(root, found)
        same = scaled.type is root.type  # the scale does not broadcast the data
        return self._scaled(root, factor, region) if region and same else None

    def _scaled(self, root: Expr, factor: Array, region: set[Expr]) -> Expr | None:
        """Return the expression `root` times a factor; None if a node of `region` cannot be scaled.

        The nodes of `region` are between the layers and the factor.
        """

        def visit(expr: Expr, new: list[Expr | None]) -> Expr | None:
            scaled = [each for each in new if each is not None]
            match expr:
                case Constant():
                    return _scaled_constant(expr, factor)
                case Call(op=Convolution() | Dense()):
                    return scaled_outputs(expr, factor, parameters=self.parameters)
                case Call() if len(scaled) == len(new):
                    return _rescaled(expr, scaled, factor)
                case _:
                    return None

        return fold(root, visit, edges=lambda expr: _operands(expr) if expr in region else ())


def _region(root: Expr, found: Found) -> set[Expr]:
    """Return the nodes between layers and a scale; empty if one of them has other users."""
    region: set[Expr] = set()
    pending = [root]
    while pending:
        expr = pending.pop()
        if not isinstance(expr, Constant):
            if found.uses(expr) > 1 or not isinstance(expr, Call):
                return set()
            if not isinstance(expr.op, Convolution | Dense):
                region.add(expr)
                pending.extend(_operands(expr))
                if not _operands(expr):
                    return set()
    return region or {root}


def _operands(expr: Expr) -> Sequence[Expr]:
    """Return the operands of a node that must be scaled in order to scale its result."""
    match expr:
        case Call(Add() | Subtract(), args):
            return args
        case Call(BiasAdd() | Relu() | LeakyRelu() | MaxPool() | AvgPool(), args):
            return args[:1]
        case _:
            return ()


def _rescaled(call: Call, scaled: Sequence[Expr], factor: Array) -> Expr | None:
    """Return a node after a layer, computed from operands `scaled` by a factor."""
    shape = call.tensor_type.shape
    match call:
        case Call(Add() | Subtract() as op, args):
            others = [arg for arg in args if not isinstance(arg, Constant)]
            spread = any(arg.type is not call.type for arg in others)
            return None if spread else Call(op, tuple(scaled), span=call.span)
        case Call(BiasAdd() as op, (_, Constant() as bias)):
            vector = vector_along(factor, op.axis % len(shape), shape)
            new = None if vector is None else _scaled_constant(bias, vector)
            return None if new is None else Call(op, (*scaled, new), span=call.span)
        case Call(op, (_,)) if commutes_with_scale(op, factor, len(shape)):
            return Call(op, tuple(scaled), span=call.span)
        case _:
            return None


def _scaled_constant(constant: Constant, factor: Array) -> Constant | None:
    with np.errstate(all="ignore"):
        scaled = (constant.data * factor).astype(constant.data.dtype)
    finite = np.isfinite(scaled).all()
    return Constant(scaled, span=constant.span) if finite else None
