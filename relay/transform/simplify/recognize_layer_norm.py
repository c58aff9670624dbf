"""The pass that recognises layer normalisations written in elementary operators."""

from typing import cast

import numpy as np

from relay.ir.dataflow import DFPattern, Found, is_constant, operators, wildcard
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.binary import Add, Divide, Multiply, Subtract
from relay.ops.nn.normalization import LayerNorm
from relay.ops.sum_and_mean_reductions import Mean
from relay.ops.transcendental import Power, Rsqrt, Sqrt
from relay.support.node import replace, value
from relay.transform.rewriting import RewritePass, Rule

x, epsilon = wildcard(), is_constant().where(lambda c: c.array.size == 1)
gamma, beta = is_constant(), is_constant()


def number(expected: float) -> DFPattern[Constant]:
    """Return a pattern that matches a scalar constant with this value."""
    return is_constant().where(lambda c: c.array.size == 1 and c.array.item() == expected)


def mean(of: DFPattern[Expr]) -> DFPattern[Call]:
    """Return a pattern that matches means along the last axis with `keepdims`."""
    return operators(Mean)(of).where(_is_along_last)


def _is_along_last(call: Call) -> bool:
    op, rank = cast("Mean", call.op), call.args[0].tensor_type.rank
    return op.keepdims and op.axes(rank) == (rank - 1,)


centred = operators(Subtract)(x, mean(x))
square = operators(Multiply)(centred, centred) | operators(Power)(centred, number(2))
variance = operators(Add)(mean(square), epsilon)
deviation = operators(Sqrt)(variance)
inverse = operators(Rsqrt)(variance) | operators(Divide)(number(1), deviation)
factor = operators(Multiply)(inverse, gamma)

normalised = operators(Divide)(centred, deviation)
by_factor = operators(Add)(
    operators(Multiply)(x, factor),
    operators(Subtract)(beta, operators(Multiply)(mean(x), factor)),
)
bare = operators(LayerNorm, scale=False, center=False)
unshifted = operators(LayerNorm, center=False)
old_gamma, old_beta = wildcard(), wildcard()
times_vector = operators(Multiply)(bare(x, old_gamma, old_beta), gamma)
plus_vector = operators(Add)(unshifted(x, old_gamma, old_beta), beta)


@value
class RecognizeLayerNorm(RewritePass):
    """Replace the elementary operators of a layer normalisation by `nn.layer_norm`, in steps.

    1. `c / sqrt(mean(c * c) + eps)` with `c = x - mean(x)` becomes a layer normalisation without
       scale and shift. The square may be written as a product or as a power of two.
    2. `x * f + (beta - mean(x) * f)` with `f = gamma / sqrt(mean(c * c) + eps)`, as TensorFlow
       writes it, becomes a layer normalisation with scale and shift.
    3. A product of a normalisation without scale and shift with a constant vector gets that scale.
    4. A sum of a normalisation without shift and a constant vector gets that shift.
    """

    def rules(self) -> tuple[Rule, ...]:
        return (
            Rule(normalised, _bare),
            Rule(by_factor, _from_factor),
            Rule(times_vector, _scaled),
            Rule(plus_vector, _shifted),
        )


def _bare(found: Found) -> Expr | None:
    data = found[x]
    size, element = data.tensor_type.shape[-1], data.tensor_type.dtype.numpy
    if not isinstance(size, int):
        return None
    ones, zeros = Constant(np.ones(size, element)), Constant(np.zeros(size, element))
    op = LayerNorm(axis=-1, epsilon=_epsilon(found), center=False, scale=False)
    return Call(op, (data, ones, zeros), span=found[normalised].span)


def _from_factor(found: Found) -> Expr | None:
    data, scale, shift = found[x], _vector(found, gamma), _vector(found, beta)
    if scale is None or shift is None:
        return None
    op = LayerNorm(axis=-1, epsilon=_epsilon(found))
    return Call(op, (data, scale, shift), span=found[by_factor].span)


def _scaled(found: Found) -> Expr | None:
    op, data, vector = found[bare], found[x], _vector(found, gamma)
    if vector is None:
        return None
    args = (data, vector, found[old_beta])
    return Call(replace(op, scale=True), args, span=found[times_vector].span)


def _shifted(found: Found) -> Expr | None:
    op, data, vector = found[unshifted], found[x], _vector(found, beta)
    if vector is None:
        return None
    args = (data, found[old_gamma], vector)
    return Call(replace(op, center=True), args, span=found[plus_vector].span)


def _epsilon(found: Found) -> float:
    return found[epsilon].array.item()


def _vector(found: Found, constant: DFPattern[Constant]) -> Constant | None:
    """Return a matched constant as a vector along the last axis of `x`; None if it is not one."""
    shape, data = found[x].tensor_type.shape, found[constant].array
    size = shape[-1]
    if not isinstance(size, int) or data.ndim > len(shape) or data.size not in (1, size):
        return None
    if data.shape[-1:] not in ((), (1,), (size,)):
        return None
    vector: Array = np.broadcast_to(data.reshape(-1), (size,)).copy()
    return Constant(vector)
