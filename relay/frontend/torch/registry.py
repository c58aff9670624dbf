"""The table of translation functions of PyTorch operators, by name.

Names are those of TorchScript and of schemas, such as `aten::add.Tensor`. A translation registered
for `aten::add` is used for all overloads: an argument that it does not read must have its default
value.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias, TypeVar

from relay.frontend.custom_translations import store
from relay.frontend.torch.node import TorchNode

_Made = TypeVar("_Made")

Translation: TypeAlias = Callable[[TorchNode], object]
"""Returns the result of a node: an expression, a number, or a sequence of them."""

TRANSLATIONS: dict[str, Translation] = {}


def torch_operator(
    *names: str, namespace: str = "aten"
) -> Callable[[Callable[[TorchNode], _Made]], Callable[[TorchNode], _Made]]:
    """Return a decorator that registers the translation of operators or overloads."""

    def declare(translation: Callable[[TorchNode], _Made]) -> Callable[[TorchNode], _Made]:
        for name in names:
            key = f"{namespace}::{name}"
            store(TRANSLATIONS, key, key, translation)
        return translation

    return declare


def translation(name: str, table: Mapping[str, Translation] = TRANSLATIONS) -> Translation | None:
    """Return the translation of an overload, or that of all overloads, or None."""
    return table.get(name) or table.get(packet(name))


def packet(name: str) -> str:
    """Return the name of an operator without the name of the overload.

    >>> packet("aten::add.Tensor")
    'aten::add'
    """
    return name.partition(".")[0]
