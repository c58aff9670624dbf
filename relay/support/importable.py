"""Modules without files: `from relay.op.nn import dense`."""

import sys
from collections.abc import Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType

from relay.support.errors import MissingModule, MissingName


class AttributeFinder:
    """Finds modules where they are attributes of certain packages, after Python's own finders.

    So what can be read as `relay.analysis` can be imported as that, and it is the same module; no
    list says a second time which there are.
    """

    def __init__(self, packages: frozenset[str]) -> None:
        self._packages = packages

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how a module is found, None if there is none; asks the package for it."""
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
    """Loads a module that is there."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to Python to make a module, whose place is taken right after.

        The one that is there would be given `spec`, and lose its own.
        """

    def exec_module(self, module: ModuleType) -> None:
        """Be found by this name: a module may put another one into its place."""
        sys.modules[module.__name__] = self._module


def importable(*packages: str) -> None:
    """Let modules that are attributes of these packages be imported by name."""
    if not any(isinstance(each, AttributeFinder) for each in sys.meta_path):
        sys.meta_path.append(AttributeFinder(frozenset(packages)))
