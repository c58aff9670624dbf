"""A decorator that registers translation functions in the table of an importer."""

from collections.abc import Callable
from typing import TypeVar

_Translation = TypeVar("_Translation")


def registering(
    table: dict[str, _Translation], *names: str
) -> Callable[[_Translation], _Translation]:
    """Return a decorator that stores a translation function in `table` under each of `names`.

    >>> table = {}
    >>> _ = registering(table, "Abs", "Absolute")(abs)
    >>> sorted(table)
    ['Abs', 'Absolute']
    """

    def declare(translation: _Translation) -> _Translation:
        for name in names:
            assert name not in table, f"{name} is declared twice"
            table[name] = translation
        return translation

    return declare
