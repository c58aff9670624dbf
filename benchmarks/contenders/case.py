"""What a contender is given, and what it gives back."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Feeds = dict[str, NDArray[Any]]
Outputs = list[NDArray[Any]]
Binding = Callable[[Feeds], Callable[[], Outputs]]
"""Binds inputs once and returns the call that is timed."""


@dataclass(frozen=True)
class Case:
    """One model at one number of threads; `network` names its description, if it has one.

    A program has a description only, and no file.
    """

    model: Path | None
    feeds: Path
    threads: int = 1
    network: str | None = None

    def load_feeds(self) -> Feeds:
        """Read the inputs by name, in the order in which they were written."""
        with np.load(self.feeds) as archive:
            return {name: archive[name] for name in archive.files}
