"""Inputs that a call overwrites: the results after the first are copied to them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from relay.runtime.dlpack import array_of
from relay.runtime.interruptible_copies import copy_elements
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError


def writable(given: Sequence[Any], written: Sequence[int], names: Sequence[str]) -> list[Any]:
    """Return those arguments `given`, for the inputs `written`, that a call overwrites.

    Raises `R016` for an array that is read-only, or that shares memory with another argument.
    """
    found: list[Any] = []
    for place in written:
        array = array_of(given[place])
        if not array.flags.writeable:
            raise _not_written(
                f"the program writes to the input '{names[place]}', but its array is read-only"
            )
        for other, each in enumerate(given):
            if other != place and isinstance(each, np.ndarray) and _overlap(array, each):
                what = (
                    f"the inputs '{names[place]}' and '{names[other]}' share memory, which the "
                    "program changes"
                )
                raise _not_written(what)
        found.append(array)
    return found


def _overlap(one: Any, other: Any) -> bool:
    return bool(np.may_share_memory(one, other))


def write_back(found: tuple[Any, ...], arrays: Sequence[Any]) -> Any:
    """Copy the results `found` after the first to the arrays; return the first result."""
    result, *contents = found
    for array, content in zip(arrays, contents, strict=True):
        copy_elements(array, content)
    return result


def _not_written(what: str) -> RunError:
    return RunError(ErrorCode.R016, what, help="pass a copy of the array: x.copy()")
