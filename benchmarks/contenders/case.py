"""The input of a compared engine, a `Case`, and the type of its result, a `Binding`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Feeds = dict[str, NDArray[Any]]
Outputs = list[NDArray[Any]]
Binding = Callable[[Feeds], Callable[[], Outputs]]
"""A function that binds inputs once and returns the call to be timed."""


@dataclass(frozen=True)
class Case:
    """A model and a number of threads; `network` names its description, if it has one.

    A program has only a description, and no file.
    """

    model: Path | None
    feeds: Path
    threads: int = 1
    network: str | None = None

    def load_feeds(self) -> Feeds:
        """Read the inputs by name, in the order in which they were written."""
        with np.load(self.feeds) as archive:
            return {name: archive[name] for name in archive.files}
