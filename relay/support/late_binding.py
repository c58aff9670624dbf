"""Late binding of members that a higher room provides for the classes of a lower one."""

from importlib import import_module
from typing import Any


def module_above(name: str) -> Any:
    """Return a module of a higher room, when it is needed: `x.astext()`, `x + y`.

    Rooms import only from rooms below them, so this is for members that users expect on a class and
    whose work is done above it. Nothing that a lower room computes may depend on it.
    """
    return import_module(name)
