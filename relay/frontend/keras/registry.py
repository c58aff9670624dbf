"""The table of translation functions of Keras layers and operations, by name."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from relay.frontend.builders.translation_registry import registering
from relay.frontend.keras.layer_reader import LayerReader
from relay.ir.expr import Expr

Translation: TypeAlias = Callable[[LayerReader], "Expr | Sequence[Expr]"]
"""Returns the result of a call of a layer, or its results in order."""

TRANSLATIONS: dict[str, Translation] = {}


def keras_layer(*names: str) -> Callable[[Translation], Translation]:
    """Return a decorator that registers the translation of layer classes."""
    return registering(TRANSLATIONS, *names)


def keras_operation(*names: str) -> Callable[[Translation], Translation]:
    """Return a decorator that registers the translation of `keras.ops` functions by class name."""
    return keras_layer(*(f"ops.{name}" for name in names))
