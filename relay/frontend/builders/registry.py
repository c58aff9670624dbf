"""Registration of translations in the table of a frontend."""

from collections.abc import Callable
from typing import TypeVar

_Translation = TypeVar("_Translation")


def registering(
    table: dict[str, _Translation], *names: str
) -> Callable[[_Translation], _Translation]:
    """Return a decorator that puts a translation into a table, under each of the names.

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
