"""Late binding of members that a higher layer provides for classes of a lower one."""

from importlib import import_module
from typing import Any


def module_above(name: str) -> Any:
    """Return a module of a higher layer, imported on demand, for members such as `x.astext()`.

    Packages import only from lower layers at import time; this function is for members that users
    expect on a class, but that a higher layer implements. The results of a lower layer must not
    depend on the higher one.
    """
    return import_module(name)
