"""Snapshots of values from outside a function, to detect later changes of their contents."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import BuiltinMethodType, MethodType
from typing import Any, cast

import numpy as np

from relay.ir.expr import Array

_COPIED = (list, tuple, dict, set, np.ndarray)


class Held:
    """A snapshot of an array.

    The contents of an array for which `is_input` returns true are not compared, only its identity:
    the program reads such an array anew in each call.
    """

    __slots__ = ("array", "copy", "is_input")

    def __init__(self, array: Array, is_input: Callable[[object], bool]) -> None:
        self.array, self.is_input = array, is_input
        self.copy = array.copy() if array.flags.writeable else array


def frozen(content: object, is_input: Callable[[object], bool]) -> object:
    """Return a snapshot of a value, including the contents of containers and arrays at any depth.

    Recursion follows their nesting; a container that contains itself is compared by identity.
    """
    return _frozen(content, is_input, ())


def _frozen(content: object, is_input: Callable[[object], bool], around: tuple[int, ...]) -> object:
    if not isinstance(content, _COPIED) or id(cast("object", content)) in around:
        return cast("object", content)
    inside = (*around, id(cast("object", content)))
    if isinstance(content, np.ndarray):
        return Held(cast("Array", content), is_input)
    if isinstance(content, dict):
        entries = cast("Mapping[object, object]", content)
        return {key: _frozen(each, is_input, inside) for key, each in entries.items()}
    if isinstance(content, set):
        return {*cast("set[object]", content)}
    items = [_frozen(each, is_input, inside) for each in cast("Sequence[object]", content)]
    return items if isinstance(content, list) else tuple(items)


def unchanged(now: object, before: object) -> bool:
    """Whether a value equals a snapshot: the same object, or equal contents."""
    if now is before:
        return True
    if isinstance(before, Held):
        if before.is_input(before.array):
            return now is before.array
        return isinstance(now, np.ndarray) and _same_array(cast("Array", now), before.copy)
    if type(now) is not type(before):
        pair = isinstance(now, tuple) and isinstance(before, tuple)  # a named one was copied
        return pair and _items(cast("Sequence[object]", now), cast("Sequence[object]", before))
    match now:
        case dict():
            old = cast("dict[object, object]", before)
            new = cast("dict[object, object]", now)
            return list(new) == list(old) and all(unchanged(new[key], old[key]) for key in new)
        case list() | tuple():
            return _items(cast("Sequence[object]", now), cast("Sequence[object]", before))
        case MethodType() | BuiltinMethodType() | partial():
            return bool(cast("Any", now) == before)
        case set() | int() | float() | str():
            return bool(cast("Any", now) == before)
        case _:
            return False


def _items(now: Sequence[object], before: Sequence[object]) -> bool:
    return len(now) == len(before) and all(map(unchanged, now, before))


def _same_array(now: Array, before: Array) -> bool:
    """Whether two arrays are equal bit by bit, so that a NaN equals itself."""
    same_type = now.shape == before.shape and now.dtype == before.dtype
    return same_type and now.tobytes() == before.tobytes()
