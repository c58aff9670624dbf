"""Load importers when they are needed, and those that need optional packages."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.node import value


@value
class LateFunction:
    """A function whose module is imported when it is called."""

    module: str
    name: str

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Call the function."""
        return self.function(*args, **named)

    @property
    def function(self) -> Any:
        """Return the function."""
        return getattr(import_module(self.module), self.name)


def importer(module: str, package: str, extra: str, framework: str) -> Any:
    """Return a module that imports a package; raises `F050` if the package is missing."""
    if find_spec(package) is None:
        raise RelayImportError(
            ErrorCode.F050,
            f"this is a model of {framework}, and the package {package} is not installed",
            help=f"pip install relay-compiler[{extra}]",
        )
    return import_module(module)


def home(function: Any) -> str:
    """Return the location of a translation: its module in the importer's folder, and its name."""
    _, _, module = str(function.__module__).partition("translate.")
    return f"translate.{module}.{function.__name__}"
