"""Results of programs as arrays with the methods of TVM's `NDArray`."""

from typing import Any, cast

import numpy as np

from relay.runtime.code.interface_types import Data
from relay.support.ndarray import NDArray


def as_classic(result: Any) -> Any:
    """Return arrays, also in tuples and in values of data types, as `NDArray`.

    >>> as_classic(Data("Some", (np.ones(2),))).fields[0].numpy()
    array([1., 1.])
    """
    done: dict[int, Any] = {}
    pending: list[tuple[Any, bool]] = [(result, False)]  # with whether the parts are done
    while pending:
        top, is_ready = pending.pop()
        if id(top) in done:
            continue
        parts = _parts(top)
        if parts and not is_ready:
            pending += [(top, True), *((part, False) for part in parts)]
        else:
            done[id(top)] = _converted(top, tuple(done[id(part)] for part in parts))
    return done[id(result)]


def _parts(given: Any) -> tuple[Any, ...]:
    if isinstance(given, Data):
        return given.fields
    return cast("tuple[Any, ...]", given) if type(given) is tuple else ()


def _converted(given: Any, parts: tuple[Any, ...]) -> Any:
    if isinstance(given, Data):
        return Data(given.constructor, parts)
    if type(given) is tuple:
        return parts
    return cast("Any", given).view(NDArray) if isinstance(given, np.ndarray) else given
