"""Define the base class of layers and their composition."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from relay.ir.expr import Expr
from relay.layers.mode import INFERENCE, Mode


@dataclass(eq=False)
class Layer:
    """The base class of layers: data classes that are parameter trees, called with expressions.

    Fields hold weights, other layers and fixed settings. A new layer holds `Parameter`s,
    `initialize` replaces them with arrays, and inside a program they are expressions; there is no
    other state.
    """

    @abstractmethod
    def __call__(self, x: Expr, mode: Mode = INFERENCE) -> Expr:
        """Return the result for a batch."""


@dataclass(eq=False)
class Sequential(Layer):
    """Layers and functions of one tensor, applied one after another.

    >>> from relay.layers.linear import Linear
    >>> from relay.ops.functions import nn
    >>> model = Sequential(Linear(4, 8), nn.relu, Linear(8, 2))
    """

    layers: tuple[Layer | Callable[[Expr], Expr], ...]

    def __init__(self, *layers: Layer | Callable[[Expr], Expr]) -> None:
        self.layers = layers

    def __call__(self, x: Expr, mode: Mode = INFERENCE) -> Expr:
        """Apply each layer to the result of the previous one."""
        for each in self.layers:
            x = each(x, mode) if isinstance(each, Layer) else each(x)
        return x
