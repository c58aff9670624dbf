"""Progress reports of long operations."""

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with a stage, how many of its parts are begun, and how many there are; from any thread."""


def silent(stage: str, begun: int, total: int) -> None:
    """Report no progress."""
