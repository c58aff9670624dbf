"""Dropout, as a function and as a layer."""

from dataclasses import dataclass

from relay.frontend.builders.traceable_functions import builds_expressions
from relay.ir.expr import Expr
from relay.layers.layer import Layer
from relay.layers.training_mode import INFERENCE, Mode
from relay.numpy.tensor_conversion import together
from relay.opdef import checks
from relay.ops.functions import core, random
from relay.ops.functions.variables_and_constants import const
from relay.support.dtype import float32


@builds_expressions
def dropout(x: Expr, rate: float, key: Expr) -> Expr:
    """Return `x` with a random fraction `rate` of elements set to zero, the others scaled.

    The scale is `1 / (1 - rate)`, which preserves the expectation of each element. The same key
    always drops the same elements (Srivastava et al., 2014).
    """
    checks.attribute(
        "dropout", 0 <= rate < 1, f"the dropout rate must be at least 0 and below 1, not {rate}"
    )
    (x,) = together([x])
    ty = x.tensor_type
    drawn = random.uniform(key, ty.shape, float32)[1]
    kept = core.cast(drawn >= const(rate, float32), ty.dtype)
    return x * (kept * (1.0 / (1.0 - rate)))


@dataclass(eq=False)
class Dropout(Layer):
    """A layer that sets random elements to zero during training; see `dropout`."""

    rate: float = 0.5

    @builds_expressions
    def __call__(self, x: Expr, mode: Mode = INFERENCE) -> Expr:
        """Return `x`, with dropout applied during training."""
        return dropout(x, self.rate, mode.key()) if mode.is_training else x
