"""Late binding of members that a higher layer provides for classes of a lower one."""

from importlib import import_module
from typing import Any


def module_above(name: str) -> Any:
    """Return a module of a higher layer, imported on demand: `x.astext()`, `x + y`.

    Layers import only from lower layers, so this is for members that users expect on a class and
    that are implemented in a higher layer. Results of a lower layer must not depend on it.
    """
    return import_module(name)
