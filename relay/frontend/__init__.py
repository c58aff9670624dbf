"""Load programs from other formats: one folder per source.

The classic names are here too: `relay.frontend.from_onnx`.
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """Resolve a classic name on first use."""
    if name.startswith("_"):
        raise AttributeError(name)
    return import_module("relay.frontend.classic").find(name)
