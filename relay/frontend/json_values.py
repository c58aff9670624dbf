"""Helpers for JSON values of unknown structure: type guards, and iteration over leaves."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Whether a JSON value is a list."""
    return isinstance(value, list | tuple)


def is_fields(value: object) -> TypeGuard[Mapping[str, object]]:
    """Whether a JSON value is an object, represented as a dictionary."""
    return isinstance(value, dict)


def leaves(value: object) -> Iterator[object]:
    """Yield the leaves of nested lists and dictionaries, in order.

    >>> list(leaves([1, {"a": [2, 3]}, []]))
    [1, 2, 3]
    """
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if is_list(found):
            waiting.extend(reversed(found))
        elif is_fields(found):
            waiting.extend(reversed([*found.values()]))
        else:
            yield found
