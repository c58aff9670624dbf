"""Functions as people write them, each with arguments: what notes them, and what makes arrays."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relay.frontend.python import PythonFunction

Cases = list[tuple[PythonFunction, tuple[Any, ...]]]


def noting(cases: Cases) -> Callable[..., Callable[[PythonFunction], PythonFunction]]:
    """Return the decorator `on(*arguments)`: have a function compared on these arguments."""

    def on(*arguments: Any) -> Callable[[PythonFunction], PythonFunction]:
        def note(program: PythonFunction) -> PythonFunction:
            cases.append((program, arguments))
            return program

        return note

    return on


def normal(*shape: int) -> NDArray[np.float32]:
    """Draw numbers, the same each time."""
    return np.random.default_rng(3).standard_normal(shape).astype(np.float32)


def whole(numbers: Iterable[int]) -> NDArray[np.int32]:
    """Return whole numbers as a vector."""
    return np.array(list(numbers), np.int32)
