"""`relay.frozen`: make arrays read-only, so that programs contain them as constants."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import numpy as np

from relay.ir.expr import Array

_T = TypeVar("_T")


def frozen(arrays: _T) -> _T:
    """Return arrays as read-only ones: an array, or a nested list, tuple or dictionary of arrays.

    A program reads a writable array from outside at each call; a read-only array is a constant,
    which is folded and packed at compile time. An array that owns its memory becomes read-only
    itself; others are copied.

    >>> import numpy as np
    >>> frozen(np.ones(3)).flags.writeable
    False
    """
    given: Any = arrays
    if isinstance(given, np.ndarray):
        return cast("_T", _read_only(cast("Array", given)))
    if isinstance(given, Mapping):
        items = cast("Mapping[object, object]", given)
        return cast("_T", {key: frozen(each) for key, each in items.items()})
    if isinstance(given, list | tuple):
        make = cast("Callable[[Any], Any]", type(cast("object", given)))
        return make([frozen(each) for each in cast("list[object]", given)])
    return arrays


def _read_only(array: Array) -> Array:
    made = array if array.flags.owndata else array.copy()
    made.flags.writeable = False
    return made
