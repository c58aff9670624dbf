"""The table of translation functions of TensorFlow Lite operators, by name."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from relay.frontend.builders.tensorflow_operators import LITE
from relay.frontend.builders.translation_registry import registering
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.values import Value

Translation: TypeAlias = Callable[[LiteNode], Value | Sequence[Value]]
"""Returns the result of a node, or its results in order."""

TRANSLATIONS: dict[str, Translation] = {**LITE}


def lite_operator(*names: str) -> Callable[[Translation], Translation]:
    """Return a decorator that registers the translation of one or more operators."""
    return registering(TRANSLATIONS, *names)
