"""Programs from other formats: one folder per source.

The classic names are here, too: `relay.frontend.from_onnx`.
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """Find a classic name when it is first asked for."""
    if name.startswith("_"):
        raise AttributeError(name)
    return import_module("relay.frontend.classic").find(name)
