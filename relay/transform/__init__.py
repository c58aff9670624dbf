"""Program transformations: one pass per file, each a value whose fields are its options.

The classic names are here, too: `relay.transform.FoldConstant()`, `relay.transform.Sequential`.
"""

from importlib import import_module
from typing import Any

from relay.transform.context import PassContext as PassContext


def __getattr__(name: str) -> Any:
    """Find a classic name when it is first asked for; those modules need this package."""
    if name.startswith("_"):
        raise AttributeError(name)
    return import_module("relay.transform.classic").find(name)


def __dir__() -> list[str]:
    return import_module("relay.transform.classic").NAMES
