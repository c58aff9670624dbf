"""Late binding of members that a higher layer provides for classes of a lower one."""

from importlib import import_module
from typing import Any


def module_above(name: str) -> Any:
    """Return a module of a higher layer, imported on demand.

    Packages import only from lower layers; this function is for members such as `x.astext()` that
    users expect on a class of a lower layer. The results of a lower layer must not depend on it.
    """
    return import_module(name)
