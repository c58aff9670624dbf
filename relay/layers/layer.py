"""The base class of layers, and `Sequential`."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from relay.frontend.builders.traceable_functions import traced_inline
from relay.ir.expr import Expr
from relay.layers.training_mode import INFERENCE, Mode


@dataclass(eq=False)
class Layer:
    """The base class of layers: data classes of weights that are called with expressions.

    Fields are weights, other layers and fixed settings. In a new layer weights are `Parameter`s;
    `initialize` replaces them by arrays, and inside of a program they are expressions. A layer has
    no other state. Layers can be arguments of Python functions that `relay.grad`, `relay.jit` and
    others trace: the arrays in them are traced, numbers and functions in them are fixed.
    """

    __relay_model__ = True  # for the tracing frontend, which does not know layers

    @abstractmethod
    def __call__(self, x: Expr, mode: Mode = INFERENCE) -> Expr:
        """Return the result of the layer for a batch `x`."""


@dataclass(eq=False)
class Sequential(Layer):
    """A layer that applies layers and functions of one tensor in sequence.

    >>> from relay.layers.linear import Linear
    >>> from relay.ops.functions import nn
    >>> model = Sequential(Linear(4, 8), nn.relu, Linear(8, 2))
    """

    layers: tuple[Layer | Callable[[Expr], Expr], ...]

    def __init__(self, *layers: Layer | Callable[[Expr], Expr]) -> None:
        self.layers = layers

    @traced_inline
    def __call__(self, x: Expr, mode: Mode = INFERENCE) -> Expr:
        """Apply each layer to the result of the previous one."""
        for each in self.layers:
            x = each(x, mode) if isinstance(each, Layer) else each(x)
        return x
