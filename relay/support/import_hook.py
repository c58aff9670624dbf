"""Imports of modules without files: `from relay.op.nn import dense`."""

import sys
from collections.abc import Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType

from relay.support.errors import MissingModule, MissingName


class AttributeFinder:
    """An import finder for modules that are attributes of certain packages.

    It runs after Python's own finders. A module that is available as `relay.analysis` can then be
    imported by that name, and is the same module; no second list of modules is needed.
    """

    def __init__(self, packages: frozenset[str]) -> None:
        self._packages = packages

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module that is an attribute of its package; else None."""
        package, _, last = name.rpartition(".")
        if package not in self._packages:
            return None
        try:
            found = getattr(sys.modules[package], last)
        except MissingName as error:
            raise MissingModule(error.code, error.message, help=error.help) from None
        except AttributeError:
            return None
        return ModuleSpec(name, _Found(found)) if isinstance(found, ModuleType) else None


class _Found(Loader):
    """The loader of a module that exists already."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def create_module(self, spec: ModuleSpec) -> None:
        """Return None: Python then makes a module, which `exec_module` replaces.

        Returning the existing module would overwrite its own spec.
        """

    def exec_module(self, module: ModuleType) -> None:
        """Put the existing module in place of the new one in `sys.modules`."""
        sys.modules[module.__name__] = self._module


def importable(*packages: str) -> None:
    """Make modules that are attributes of these packages importable by name."""
    if not any(isinstance(each, AttributeFinder) for each in sys.meta_path):
        sys.meta_path.append(AttributeFinder(frozenset(packages)))
