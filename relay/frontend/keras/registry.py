"""The registry of translations of Keras layers and operations, by name."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from relay.frontend.builders.registry import registering
from relay.frontend.keras.reader import LayerReader
from relay.ir.expr import Expr

Translation: TypeAlias = Callable[[LayerReader], "Expr | Sequence[Expr]"]
"""Returns the result of a call of a layer, or its results in order."""

TRANSLATIONS: dict[str, Translation] = {}


def keras_layer(*names: str) -> Callable[[Translation], Translation]:
    """Register the translation of one or more classes of layers."""
    return registering(TRANSLATIONS, *names)


def keras_operation(*names: str) -> Callable[[Translation], Translation]:
    """Register the translation of functions of `keras.ops`, by the names of their classes."""
    return keras_layer(*(f"ops.{name}" for name in names))
