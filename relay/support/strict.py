"""Strict mode: the compiler's own defects are raised instead of worked around, as in its tests."""

import os


def is_strict() -> bool:
    """Return whether the environment asks for it, with `RELAY_STRICT=1`."""
    return os.environ.get("RELAY_STRICT") == "1"
