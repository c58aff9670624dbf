"""Find layer normalisations that a model spells out in small operators."""

from typing import cast

import numpy as np

from relay.ir.expr import Array, Call, Constant, Expr, Function
from relay.ir.walk import rewrite
from relay.ops.binary import Add, Divide, Multiply, Subtract
from relay.ops.nn.norm import LayerNorm
from relay.ops.reduction import Mean
from relay.ops.transcendental import Power, Rsqrt, Sqrt
from relay.support.node import replace, value
from relay.transform.pipeline import FunctionPass


@value
class RecognizeLayerNorm(FunctionPass):
    """Replace the pieces of a layer normalisation over the last axis by the operator, step by step.

    1. `c / sqrt(mean(c * c) + eps)` with `c = x - mean(x)` becomes one without scale and shift.
       The square may be written as a product or as a power of two.
    2. One without scale and shift, times a constant vector, becomes one with that scale.
    3. One without shift, plus a constant vector, becomes one with that shift.
    4. `x * f + (beta - mean(x) * f)` with `f = gamma / sqrt(mean(c * c) + eps)`, as TensorFlow
       writes it, becomes one with scale and shift.
    """

    def run(self, function: Function) -> Function:
        """Rewrite from the leaves up, so that the steps follow one another in one walk."""
        return cast("Function", rewrite(function, _step))


def _step(expr: Expr) -> Expr:
    match expr:
        case Call(Divide(), (centred, Call(Sqrt(), (Call(Add(), (variance, Constant(eps))),)))):
            x = _normalised(centred, variance)
            return expr if x is None or eps.size != 1 else _bare(x, eps.item(), expr)  # case 1
        case Call(
            Add(), (Call(Multiply(), (x, factor)), Call(Subtract(), (Constant() as beta, less)))
        ):
            return _from_factor(x, factor, beta, less, expr)  # case 4
        case Call(Multiply(), (Call(LayerNorm() as op, (x, _, beta)), Constant() as c)):  # case 2
            vector = _vector(c, x)
            if op.scale or op.center or vector is None:
                return expr
            return Call(replace(op, scale=True), (x, Constant(vector), beta), span=expr.span)
        case Call(Add(), (Call(LayerNorm() as op, (x, gamma, _)), Constant() as c)):  # case 3
            vector = _vector(c, x)
            if op.center or vector is None:
                return expr
            return Call(replace(op, center=True), (x, gamma, Constant(vector)), span=expr.span)
        case _:
            return expr


def _from_factor(x: Expr, factor: Expr, beta: Constant, less: Expr, original: Expr) -> Expr:
    """Case 4, once the outermost sum fits: `less` must be the mean times the factor."""
    match factor, less:
        case (
            Call(Multiply(), (inverse, Constant() as gamma)),
            Call(Multiply(), (Call(Mean() as mean, (averaged,)), again)),
        ) if again is factor and averaged is x and _is_last(mean, x):
            variance, eps = _inverse_deviation(inverse)
            scale, shift = _vector(gamma, x), _vector(beta, x)
            centred = _centred(variance, x)
            if centred is None or eps is None or scale is None or shift is None:
                return original
            op = LayerNorm(axis=-1, epsilon=eps)
            return Call(op, (x, Constant(scale), Constant(shift)), span=original.span)
        case _:
            return original


def _inverse_deviation(expr: Expr) -> tuple[Expr | None, float | None]:
    """Take `1 / sqrt(variance + eps)` apart, in either of its forms."""
    match expr:
        case Call(Rsqrt(), (Call(Add(), (variance, Constant(eps))),)) | Call(
            Divide(), (Constant(), Call(Sqrt(), (Call(Add(), (variance, Constant(eps))),)))
        ) if eps.size == 1 and _is_one_over(expr):
            return variance, eps.item()
        case _:
            return None, None


def _is_one_over(expr: Expr) -> bool:
    match expr:
        case Call(Divide(), (Constant(one), _)):
            return one.size == 1 and one.item() == 1
        case _:
            return True


def _centred(variance: Expr | None, x: Expr) -> Expr | None:
    """Return `x - mean(x)` if an expression is the mean of its square."""
    match variance:
        case Call(Mean(), (Call(_, (centred, *_)),)):
            return centred if _normalised(centred, variance) is x else None
        case _:
            return None


def _normalised(centred: Expr, variance: Expr) -> Expr | None:
    """Return `x` if these are `x - mean(x)` and the mean of its square, over the last axis."""
    match centred, variance:
        case (
            Call(Subtract(), (x, Call(Mean() as mean, (averaged,)))),
            Call(Mean() as square_mean, (square,)),
        ):
            same = averaged is x and _is_square_of(square, centred)
            return x if same and _is_last(mean, x) and _is_last(square_mean, x) else None
        case _:
            return None


def _is_square_of(expr: Expr, x: Expr) -> bool:
    match expr:
        case Call(Multiply(), (a, b)):
            return a is x and b is x
        case Call(Power(), (base, Constant(exponent))):
            return base is x and exponent.size == 1 and exponent.item() == 2
        case _:
            return False


def _is_last(mean: Mean, x: Expr) -> bool:
    rank = x.tensor_type.rank
    return mean.keepdims and mean.axes(rank) == (rank - 1,)


def _bare(x: Expr, epsilon: float, original: Expr) -> Expr:
    size = x.tensor_type.shape[-1]
    if not isinstance(size, int):
        return original
    element = x.tensor_type.dtype.numpy
    ones, zeros = Constant(np.ones(size, element)), Constant(np.zeros(size, element))
    op = LayerNorm(axis=-1, epsilon=epsilon, center=False, scale=False)
    return Call(op, (x, ones, zeros), span=original.span)


def _vector(constant: Constant, x: Expr) -> Array | None:
    """Return a constant as one number for each place of the last axis, if it is that."""
    size, data = x.tensor_type.shape[-1], constant.data
    along_last = data.shape[-1:] in ((), (1,), (size,))
    if data.ndim > x.tensor_type.rank or data.size not in (1, size) or not along_last:
        return None
    return np.broadcast_to(data.reshape(-1), (int(str(size)),)).copy()
