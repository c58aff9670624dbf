"""Modules that lack some of TVM's names: their `__getattr__`, which says what to use instead."""

from collections.abc import Callable, Mapping
from typing import Any

from relay.support.errors import missing

Lookup = Callable[[str], Any]


def absent_names(module: str, instead: Mapping[str, str], others: Lookup | None = None) -> Lookup:
    """Return the `__getattr__` of a module; `instead` has the names that only TVM has, with help.

    It raises `U072` for these. `others` finds all other names; without it, there are none.

    >>> find = absent_names("relay.vm", {"Tuple": "use relay.Tuple"})
    >>> find("Tuple")
    Traceback (most recent call last):
    relay.support.errors.MissingName: error[U072]: Relay does not have relay.vm.Tuple, which TVM has
       = help: use relay.Tuple
    """

    def lookup(name: str) -> Any:
        if name in instead:
            raise missing(f"{module}.{name}", instead[name])
        if others is None:
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        return others(name)

    return lookup
