"""Strict mode, in which defects of the compiler are raised instead of worked around."""

import os


def is_strict() -> bool:
    """Return whether the environment requests strict mode, with `RELAY_STRICT=1`."""
    return os.environ.get("RELAY_STRICT") == "1"
