"""The registry of translations of operations, by dialect and name."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from relay.frontend.stablehlo.node import HloNode
from relay.ir.expr import Expr

Translation: TypeAlias = Callable[[HloNode], Expr | Sequence[Expr]]
"""Returns the result of an operation, or its results in order."""

TRANSLATIONS: dict[str, Translation] = {}


def hlo_operation(
    *names: str, namespace: str = "stablehlo"
) -> Callable[[Translation], Translation]:
    """Register the translation of one or more operations."""

    def declare(translation: Translation) -> Translation:
        for name in names:
            key = f"{namespace}.{name}"
            assert key not in TRANSLATIONS, f"{key} is declared twice"
            TRANSLATIONS[key] = translation
        return translation

    return declare
