"""Whether defects of the compiler are raised rather than worked around: so in its own tests."""

import os


def is_strict() -> bool:
    """Return whether the environment asks for it, with `RELAY_STRICT=1`."""
    return os.environ.get("RELAY_STRICT") == "1"
