"""Linear (dense) and embedding layers."""

from dataclasses import dataclass

from relay.frontend.builders.traceable_functions import builds_expressions
from relay.ir.expr import Expr
from relay.ir.types import TensorType
from relay.layers import initializers
from relay.layers.layer import Layer
from relay.layers.parameter_tree import Initializer, Parameter, Tensor
from relay.layers.training_mode import INFERENCE, Mode
from relay.ops.functions import core, nn


@dataclass(eq=False)
class Linear(Layer):
    """A linear layer, `x @ weightᵀ + bias` over the last axis; `weight` is `(outputs, inputs)`."""

    weight: Tensor
    bias: Tensor

    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        bias: bool = True,
        initializer: Initializer = initializers.lecun_uniform,
    ) -> None:
        self.weight = Parameter(TensorType((outputs, inputs)), initializer)
        self.bias = Parameter(TensorType((outputs,)), initializers.zeros) if bias else None

    @builds_expressions
    def __call__(self, x: Expr, mode: Mode = INFERENCE) -> Expr:
        """Return the linear map of `x`: `(…, inputs)` becomes `(…, outputs)`."""
        product = nn.dense(x, self.weight)
        return product if self.bias is None else nn.bias_add(product, self.bias, axis=-1)


@dataclass(eq=False)
class Embedding(Layer):
    """An embedding layer: integers `(…)` become rows of a table, `(…, width)`."""

    weight: Tensor

    def __init__(
        self,
        count: int,
        width: int,
        *,
        initializer: Initializer = initializers.standard_normal,
    ) -> None:
        self.weight = Parameter(TensorType((count, width)), initializer)

    @builds_expressions
    def __call__(self, x: Expr, mode: Mode = INFERENCE) -> Expr:
        """Return the rows of the table at indices `x`; an index out of range traps."""
        return core.take(self.weight, x, axis=0)
