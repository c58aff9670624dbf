"""Progress reports of long operations."""

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int, int], None]
"""A callback with a stage, the number of parts begun, and their total; called from any thread."""


def silent(stage: str, begun: int, total: int) -> None:
    """Report no progress."""
