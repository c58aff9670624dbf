"""The table of translation functions of MXNet operators, by name."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from relay.frontend.builders.translation_registry import registering
from relay.frontend.mxnet.node import MxNode
from relay.ir.expr import Expr

Translation: TypeAlias = Callable[[MxNode], "Expr | Sequence[Expr]"]
"""Returns the result of a node, or its results in order."""

TRANSLATIONS: dict[str, Translation] = {}


def mxnet_operator(*names: str) -> Callable[[Translation], Translation]:
    """Return a decorator that registers the translation of one or more operators."""
    return registering(TRANSLATIONS, *names)
