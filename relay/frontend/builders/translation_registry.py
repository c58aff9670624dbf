"""A decorator that registers translation functions in the table of an importer."""

from collections.abc import Callable
from typing import Any, TypeVar

from relay.frontend.custom_translations import store

_Translation = TypeVar("_Translation", bound=Callable[..., Any])


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
            store(table, name, name, translation)
        return translation

    return declare
