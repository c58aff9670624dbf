"""Program transformations: one pass per file, each a value whose fields are its options.

The classic names are available here, too: `relay.transform.FoldConstant()`,
`relay.transform.Sequential`.
"""

from importlib import import_module
from typing import Any

from relay.transform.context import PassContext as PassContext


def __getattr__(name: str) -> Any:
    """Return the object with a classic name, imported on first use: its module imports this one."""
    if name.startswith("_"):
        raise AttributeError(name)
    return import_module("relay.transform.classic").find(name)


def __dir__() -> list[str]:
    return import_module("relay.transform.classic").NAMES
