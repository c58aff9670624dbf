"""Strict mode: internal defects of the compiler raise exceptions instead of being worked around."""

import os


def is_strict() -> bool:
    """Whether the environment requests strict mode, by `RELAY_STRICT=1`."""
    return os.environ.get("RELAY_STRICT") == "1"
