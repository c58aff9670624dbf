"""Convolution layers."""

from dataclasses import dataclass

from relay.frontend.builders.traceable_functions import builds_expressions
from relay.ir.expr import Expr
from relay.ir.types import TensorType
from relay.layers import initializers
from relay.layers.layer import Layer
from relay.layers.parameter_tree import Initializer, Parameter, Tensor
from relay.layers.training_mode import INFERENCE, Mode
from relay.ops.functions import nn


@dataclass(eq=False)
class Conv2D(Layer):
    """A 2D convolution layer in NCHW; the default padding keeps spatial sizes at stride 1."""

    weight: Tensor
    bias: Tensor
    strides: int
    padding: int
    groups: int

    def __init__(
        self,
        inputs: int,
        outputs: int,
        kernel: int,
        *,
        strides: int = 1,
        padding: int | None = None,
        groups: int = 1,
        bias: bool = True,
        initializer: Initializer = initializers.lecun_uniform,
    ) -> None:
        shape = (outputs, inputs // groups, kernel, kernel)
        self.weight = Parameter(TensorType(shape), initializer)
        self.bias = Parameter(TensorType((outputs,)), initializers.zeros) if bias else None
        self.strides, self.groups = strides, groups
        self.padding = kernel // 2 if padding is None else padding

    @builds_expressions
    def __call__(self, x: Expr, mode: Mode = INFERENCE) -> Expr:
        """Return the convolution of `x`: `(n, inputs, …)` becomes `(n, outputs, …)`."""
        found = nn.conv2d(
            x, self.weight, strides=self.strides, padding=self.padding, groups=self.groups
        )
        return found if self.bias is None else nn.bias_add(found, self.bias)
