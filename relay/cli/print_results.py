"""Describe results of a program as text: tensors by type and range, data in program syntax."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeGuard, cast

import numpy as np
import numpy.typing as npt

from relay.cli.format_numbers import type_text, values_text
from relay.runtime.code.interface_types import Data

Array: TypeAlias = npt.NDArray[Any]

SHOWN = 4
"""The most items of a list, and the most levels of data, that are printed."""


def parts_of_outputs(outputs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the tensors and data in outputs by name; an item of a tuple is named `NAME.INDEX`.

    >>> [name for name, _ in parts_of_outputs({"a": np.ones(2), "b": (np.ones(3), np.ones(4))})]
    ['a', 'b.0', 'b.1']
    """
    for name, given in outputs.items():
        if isinstance(given, tuple):
            parts = cast("tuple[Any, ...]", given)
            inner = {f"{name}.{place}": part for place, part in enumerate(parts)}
            yield from parts_of_outputs(inner)
        else:
            yield name, given


def in_words(given: object) -> tuple[str, str]:
    """Return the type and the values of a tensor or data value, as text for a table.

    >>> in_words(np.float32([1, 2])), in_words(Data("Some", (np.array([3, 4]),)))
    (('float32[2]', '1 2'), ('data', '3 4'))
    """
    if is_tensor(given):
        return type_text(given), values_text(given)
    return "data", data_text(given)


def is_tensor(given: object) -> TypeGuard[Array]:
    """Whether an item of a result is a tensor."""
    return isinstance(given, np.ndarray)


def data_text(given: object, levels: int = SHOWN) -> str:
    """Return data in program syntax, abbreviated if it is long or deep.

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
            return f"[{_listed(cast('list[Any]', plain), levels)}]"
        case tuple():
            return f"({_listed(cast('tuple[Any, ...]', plain), levels)})"
        case tensor if is_tensor(tensor):
            return values_text(tensor) if tensor.size <= SHOWN else type_text(tensor)
        case _:
            return str(plain)


def _listed(items: Sequence[Any], levels: int) -> str:
    if not levels:
        return "…"
    texts = [data_text(item, levels - 1) for item in items[:SHOWN]]
    return ", ".join(texts) + (f", … {len(items)} in all" if len(items) > SHOWN else "")
