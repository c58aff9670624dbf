"""The table of translation functions of StableHLO operations, by dialect and name."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from relay.frontend.builders.translation_registry import registering
from relay.frontend.stablehlo.node import HloNode
from relay.ir.expr import Expr

Translation: TypeAlias = Callable[[HloNode], Expr | Sequence[Expr]]
"""Returns the result of an operation, or its results in order."""

TRANSLATIONS: dict[str, Translation] = {}


def hlo_operation(
    *names: str, namespace: str = "stablehlo"
) -> Callable[[Translation], Translation]:
    """Return a decorator that registers the translation of one or more operations."""
    return registering(TRANSLATIONS, *(f"{namespace}.{name}" for name in names))
