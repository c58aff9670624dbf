"""What a program gives, in words and as files: tensors one by one, data as a line."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from relay.cli.words import type_text, values_text
from relay.runtime.code.border import Data

SHOWN = 4
"""So many items of a list are written out, and so many levels of data."""


def parts_of_outputs(outputs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield tensors and data by name; a part of a tuple has its place behind the tuple's name.

    >>> [name for name, _ in parts_of_outputs({"a": np.ones(2), "b": (np.ones(3), np.ones(4))})]
    ['a', 'b.0', 'b.1']
    """
    for name, given in outputs.items():
        if isinstance(given, tuple):
            inner = {f"{name}.{place}": part for place, part in enumerate(given)}
            yield from parts_of_outputs(inner)
        else:
            yield name, given


def in_words(given: Any) -> tuple[str, str]:
    """Return the type and the values of a part of a result, for a table.

    >>> in_words(np.float32([1, 2])), in_words(Data("Some", (np.array([3, 4]),)))
    (('float32[2]', '1 2'), ('data', '3 4'))
    """
    if isinstance(given, np.ndarray):
        return type_text(given), values_text(given)
    return "data", data_text(given)


def data_text(given: Any, levels: int = SHOWN) -> str:
    """Return data as a program writes it, cut off where it is long or deep.

    >>> node = Data("Node", (Data("Leaf"), np.array(3)))
    >>> data_text(node), data_text(Data("Cons", (node, Data("Nil"))))
    ('Node(Leaf, 3)', '[Node(Leaf, 3)]')
    """
    plain = given.plain() if isinstance(given, Data) else given
    match plain:
        case None:
            return "None"
        case Data(name, fields):
            return f"{name}({_listed(fields, levels)})" if fields else name
        case list():
            return f"[{_listed(plain, levels)}]"
        case tuple():
            return f"({_listed(plain, levels)})"
        case np.ndarray() if plain.size <= SHOWN:
            return values_text(plain)
        case np.ndarray():
            return type_text(plain)
        case _:
            return str(plain)


def _listed(items: Any, levels: int) -> str:
    if not levels:
        return "…"
    texts = [data_text(item, levels - 1) for item in items[:SHOWN]]
    return ", ".join(texts) + (f", … {len(items)} in all" if len(items) > SHOWN else "")
