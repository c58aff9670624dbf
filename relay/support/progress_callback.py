"""The type of callbacks that report the progress of long operations."""

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int, int], None]
"""A callback that may be called from any thread.

Its arguments are the stage's name, the number of its parts that have begun, and of all its parts.
"""


def silent(stage: str, begun: int, total: int) -> None:
    """Ignore a progress report, in which `begun` of `total` steps of a stage have begun."""
