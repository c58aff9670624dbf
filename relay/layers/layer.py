"""The base of layers, and those that join others."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from relay.ir.expr import Expr
from relay.layers.mode import INFERENCE, Mode


@dataclass(eq=False)
class Layer:
    """The base of layers: data classes that are parameter trees, called with expressions.

    Fields hold weights, other layers, and what is fixed. A layer that is written down has
    `Parameter`s, `initialize` puts arrays in their places, and where it is called in a program
    expressions are there: there is no other state.
    """

    @abstractmethod
    def __call__(self, x: Expr, mode: Mode = INFERENCE) -> Expr:
        """Return the result for a batch."""


@dataclass(eq=False)
class Sequential(Layer):
    """Layers, and functions of one tensor, one after the other.

    >>> from relay.layers.linear import Linear
    >>> from relay.ops.functions import nn
    >>> model = Sequential(Linear(4, 8), nn.relu, Linear(8, 2))
    """

    layers: tuple[Layer | Callable[[Expr], Expr], ...]

    def __init__(self, *layers: Layer | Callable[[Expr], Expr]) -> None:
        self.layers = layers

    def __call__(self, x: Expr, mode: Mode = INFERENCE) -> Expr:
        """Hand the result of each on to the next."""
        for each in self.layers:
            x = each(x, mode) if isinstance(each, Layer) else each(x)
        return x
