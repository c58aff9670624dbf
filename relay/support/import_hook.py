"""An import hook for modules that have no file, as in `from relay.op.nn import dense`."""

import sys
from collections.abc import Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType

from relay.support.error_codes import ErrorCode
from relay.support.errors import MissingModule, MissingName


class AttributeFinder:
    """An import finder for modules that are attributes of certain packages.

    It runs after Python's own finders. If the attribute `relay.analysis` is a module, then `import
    relay.analysis` imports that same module, although no file has this name.
    """

    def __init__(self, packages: frozenset[str]) -> None:
        self._packages = packages

    def _has(self, name: str) -> bool:
        """Whether `name` is one of the packages, or the name of the file that defines one."""
        if name in self._packages:
            return True
        module = sys.modules.get(name)
        known = (sys.modules.get(each) for each in self._packages)
        return module is not None and any(module is each for each in known)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the import spec of a module that is an attribute of its package.

        None if there is none.
        """
        package, _, last = name.rpartition(".")
        if not self._has(package):
            return None
        try:
            found = getattr(sys.modules[package], last)
        except MissingName as error:
            raise MissingModule(error.code, error.message, help=error.help) from None
        except AttributeError:
            return None
        if not isinstance(found, ModuleType):
            message = f"{name} is not a module, but an object of type {type(found).__name__}"
            help_ = f"import names from {package} itself: from {package} import …"
            raise MissingModule(ErrorCode.U072, message, help=help_)
        return ModuleSpec(name, _Found(found))


class _Found(Loader):
    """An import loader that returns a module which already exists under another name."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def create_module(self, spec: ModuleSpec) -> None:
        """Return None, so that Python creates an empty module, which `exec_module` replaces.

        If it returned the existing module, Python would overwrite that module's spec.
        """

    def exec_module(self, module: ModuleType) -> None:
        """Replace the temporary module in `sys.modules` by the existing one."""
        sys.modules[module.__name__] = self._module


def importable(*packages: str) -> None:
    """Make modules that are attributes of these packages importable by their full names."""
    if not any(isinstance(each, AttributeFinder) for each in sys.meta_path):
        sys.meta_path.append(AttributeFinder(frozenset(packages)))
